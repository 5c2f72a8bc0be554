"""The documents name what there is: links lead somewhere, every setting is described, the manual page is sound."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from cmgit.core.config import Config

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
LINK = re.compile(r"\]\(([^)#\s]+)")

NOT_SETTINGS = {"max_characters"}
"""Fields of Config that are fixed, not read from `git config`."""


def setting_names() -> list[str]:
    """`max_blob_bytes` is written `cm.maxBlobBytes`."""
    fields = [field.name for field in dataclasses.fields(Config) if field.name not in NOT_SETTINGS]
    return ["cm." + re.sub(r"_(\w)", lambda match: match[1].upper(), name) for name in fields]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", ["docs/settings.md", "docs/git-cm.1"])
def test_every_setting_is_described_and_no_other(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    described = set(re.findall(r"^(?:\| `|\.B )(cm\.\w+)", text, re.MULTILINE))
    assert described == set(setting_names())


def test_the_manual_page_escapes_its_hyphens() -> None:
    for line in (ROOT / "docs/git-cm.1").read_text(encoding="utf-8").splitlines():
        assert not re.search(r"(?<!\\)--[a-z]", line), line
        assert line.isascii(), line


def test_the_folders_of_the_package_are_those_of_the_architecture_page() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE))
    there = {path.parent.name for path in (ROOT / "cmgit").glob("*/__init__.py")}
    assert described == there
