"""What is read out of a prompt."""

from __future__ import annotations

import time

import pytest

from cmgit.core.errors import UsageError
from cmgit.retrieve.boilerplate import without_boilerplate
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.query import read_query


@pytest.mark.parametrize("empty", ["", "  \n\t", "\n"])
def test_an_empty_prompt_is_refused_with_a_hint(empty: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_prompt(empty)
    assert refused.value.hint


def test_sentences_about_how_to_work_are_dropped_and_named_ones_stay() -> None:
    text = "The dropdown closes too early. Please run tests and summarize changes at the end. Check `useMenu` first."
    kept = without_boilerplate(text)
    assert "dropdown" in kept
    assert "summarize" not in kept
    assert "useMenu" in kept


def test_all_stays_when_nothing_else_would_be_left() -> None:
    assert without_boilerplate("Please run all checks.") == "Please run all checks."


def test_names_are_found_in_any_script_and_quoting() -> None:
    prompt = read_prompt("почему `renderSlot()` и patchChildren ломают расчётЦены, see snake_case and Foo.barBaz")
    names = {name.text: name for name in prompt.names}
    assert names["renderSlot"].ticked
    assert {"patchChildren", "расчётЦены", "snake_case", "Foo.barBaz"} <= names.keys()
    assert "почему" not in names


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("    at Router.handle (/srv/app/lib/router.js:12:7)", "/srv/app/lib/router.js", 12),
        ("    at file:///srv/app/lib/router.mjs:12:7", "srv/app/lib/router.mjs", 12),
        ("handle@http://localhost:3000/src/router.ts?t=123:12:7", "/src/router.ts", 12),
        ("at c:\\git\\app\\lib\\router.js:12:7", "c:/git/app/lib/router.js", 12),
        ("see src/app/[id].tsx:12", "src/app/[id].tsx", 12),
        ("src/router.ts(12,7): error TS2345", "src/router.ts", 12),
        ("look at ./src/App.vue please", "src/App.vue", 0),
        ("поправь док/файл.ts", "док/файл.ts", 0),
    ],
)
def test_paths_and_stack_frames_give_places(text: str, path: str, line: int) -> None:
    places = [(place.path, place.line) for place in read_prompt(text).places]
    assert (path.lstrip("/"), line) in [(found.lstrip("/"), at) for found, at in places]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("src/app.ts:10-20 what is this", [10, 20]),
        ("@src/app.ts#L10-20 explain", [10, 20]),
        ("see src/app.ts#L10-L20.", [10, 20]),
        ("https://github.com/o/r/blob/main/src/app.ts#L10C3-L20C9 fails", [10, 20]),
        ("src/app.ts:L10", [10]),
        ("`src/app.ts:10-20` is slow", [10, 20]),
        ("look at lines 10-20 of src/app.ts", [10, 20]),
        ("look at lines 10 to 20 in `src/app.ts` please", [10, 20]),
        ("src/app.ts line 10: why?", [10]),
        ("in `src/app.ts`, lines 10–20, tidy", [10, 20]),
        ("src/app.ts (line 10) throws", [10]),
        ("строки 10-20 в src/app.ts", [10, 20]),
        ("src/app.ts:10-x is a name", [0]),
        ("src/app.ts has 300 lines 10 too many", [0]),
        ("an online 10 of src/app.ts", [0]),
    ],
)
def test_lines_and_ranges_beside_a_path_are_its_places(text: str, lines: list[int]) -> None:
    places = read_prompt(text).places
    assert [place.line for place in places] == lines
    assert {place.path.removeprefix("github.com/o/r/blob/main/") for place in places} == {"src/app.ts"}


def test_code_fences_count_as_code_and_not_as_prose() -> None:
    prompt = read_prompt("Slots are lost\n```js\nconst vnode = createVNode(Comp)\n```\nafter an update")
    assert "createVNode" in prompt.code
    assert "createVNode" not in prompt.text
    weights = read_query(prompt).weights
    assert weights["slot"] > weights["creatvnode"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("which tests cover the router?", True),
        ("add a test for slots", True),
        ("покажи тесты роутера", True),
        ("the latest inspector contest", False),
        ("fix the router when a test server restarts", False),
    ],
)
def test_only_a_prompt_that_wants_tests_asks_for_them(text: str, asked: bool) -> None:
    assert read_prompt(text).tests_asked is asked


@pytest.mark.parametrize(
    "text",
    [
        "fooBar baz `x` src/a.ts:3 'abc' " * 160_000,
        "a" * 5_000_000,
        "a." * 2_500_000,
        "```\n" * 1_250_000,
        "计算价格" * 1_250_000,
        "'a " * 1_600_000,
        "ж" * 2_500_000,
        "a/b " * 1_250_000,
    ],
    ids=["mixed", "run", "dots", "fences", "han", "quotes", "cyrillic", "slashes"],
)
def test_a_prompt_of_five_megabytes_is_read_in_no_time(text: str) -> None:
    started = time.process_time()
    prompt = read_prompt(text)
    read_query(prompt)
    assert time.process_time() - started < 20  # what goes back and forth takes minutes
    assert len(prompt.text) < 70_000


def test_the_end_of_a_long_prompt_is_read_too() -> None:
    prompt = read_prompt("noise " * 100_000 + "crash in src/last.ts:7")
    assert ("src/last.ts", 7) in [(place.path, place.line) for place in prompt.places]
