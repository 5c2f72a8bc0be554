"""A misspelt name finds the one that the code has, softly."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from cmgit.retrieve.focus import find_focus
from cmgit.retrieve.misspelt import distance, near_names
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.retrieve import search
from cmgit.retrieve.silence import SURELY_NAMED
from cmgit.view.view import View

ViewOf = Callable[[Mapping[str, str | bytes]], View]
FILES = {
    "src/url.js": "export function buildQueryString(x) {\n  return x\n}\nexport function other(x) {\n  return 1\n}\n",
    "src/log.js": "export function writeLog(x) {\n  return x\n}\n",
}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("parse", "parse", 0), ("parse", "prase", 1), ("parse", "pars", 1), ("parse", "parser", 1), ("parse", "pqrze", 2),
     ("ab", "xyzab", 3), ("kitten", "sitting", 3)],
)  # fmt: skip
def test_distance_counts_letters_and_swaps(one: str, other: str, apart: int) -> None:
    assert distance(one, other, 2) == distance(other, one, 2) == apart


@pytest.mark.parametrize("written", ["buildQuerryString", "buildQueryStrign", "buildquerystring", "buildQueryStrgin"])
def test_a_misspelt_name_is_found_and_is_no_sure_hint(view_of: ViewOf, written: str) -> None:
    view = view_of(FILES)
    asked = read_prompt(f"why does `{written}` lose the last key")
    focus = find_focus(view, asked)
    assert [view.units.name(unit) for unit, _ in focus.units] == ["buildQueryString"]
    assert focus.units[0][1] < SURELY_NAMED
    assert not focus.outright
    assert view.unit(search(view, asked.title, 1)[0].unit).name == "buildQueryString"


def test_names_that_the_code_has_short_ones_and_plain_words_are_taken_as_they_are(view_of: ViewOf) -> None:
    view = view_of(FILES)
    assert near_names(view, "buildQueryString") == near_names(view, "othr") == near_names(view, "somethingElse") == []
    assert not find_focus(view, read_prompt("why is the wrietlog slow")).units
    assert not find_focus(view, read_prompt("WriteLog of a product is slow")).units


def test_several_names_that_are_as_near_say_nothing(view_of: ViewOf) -> None:
    files = {"src/a.js": "".join(f"export function handle{letter}(x) {{\n  return x\n}}\n" for letter in "ABCD")}
    assert near_names(view_of(files), "handleX") == []
