"""Wildcards of repositories: what they mean, and that none of them takes for ever."""

from __future__ import annotations

import pytest

from cmgit.core.globs import matches

YES = [
    ("packages/*", "packages/core"),
    ("**/core", "core"),
    ("**/core", "a/b/core"),
    ("packages/**", "packages/a/b"),
    ("packages/**/test", "packages/test"),
    ("packages/**/test", "packages/a/b/test"),
    ("**/**/z", "z"),
    ("a*b*c", "axxbxxc"),
    ("[ab]?", "bz"),
]
NO = [
    ("packages/*", "packages/a/b"),
    ("packages/*", "packages"),
    ("packages/**", "packages"),
    ("**/core", "a/cores"),
    ("a*c", "a/c"),
    ("", "a"),
]


@pytest.mark.parametrize(("pattern", "path"), YES)
def test_a_pattern_matches(pattern: str, path: str) -> None:
    assert matches(pattern, path)


@pytest.mark.parametrize(("pattern", "path"), NO)
def test_a_pattern_does_not_match(pattern: str, path: str) -> None:
    assert not matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("**/" * 40 + "z", "a/" * 200 + "y"), ("*a" * 40 + "z", "a" * 5_000), ("**/*a" * 40, "a/" * 200 + "b")],
)
def test_a_hostile_pattern_comes_back(pattern: str, path: str) -> None:
    assert not matches(pattern, path)
