"""Command lines that are read without click say what they say to click."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools

import click
import pytest

from cmgit.cli import plain, retrieve, retrieving, search, searching
from cmgit.cli.plain import SHAPES, plain_call, read_plain
from tests.conftest import Cm, GitRepo

COMMANDS = {"retrieve": retrieve.command, "search": search.command}
RUN = {"retrieve": retrieving.run_retrieve, "search": searching.run_search}
DEFAULTS = {
    name: {p.name: p.default for p in inspect.signature(run).parameters.values() if p.default is not p.empty}
    for name, run in RUN.items()
}
WORDS = """fix - --json --no-vectors --explain --rev HEAD --budget 300 -5 x3 --detail expanded --route named bogus -k 7
    0 2000 -- --json=1 --rev=HEAD -k7 -h --help""".split()  # noqa: SIM905
WORDS += ["two words", ""]


def by_click(name: str, words: list[str]) -> dict[str, object] | None:
    try:
        context = COMMANDS[name].make_context(name, list(words))
    except (click.ClickException, click.exceptions.Exit):
        return None
    return dict(context.params)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_what_is_read_without_click_is_what_click_reads(
    name: str, length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    read = 0
    for words in itertools.product(WORDS, repeat=length):
        found = read_plain(words, SHAPES[name])
        if found is not None:
            read += 1
            expected = by_click(name, list(words))
            assert expected is not None, words
            assert {**DEFAULTS[name], **found} == expected, words
    assert read > 2


def test_the_words_that_options_take_are_those_of_the_commands() -> None:
    assert SHAPES["retrieve"].values["--detail"] == ("detail", retrieving.DETAILS)
    assert SHAPES["retrieve"].values["--route"] == ("route", retrieving.ROUTES)
    assert SHAPES["search"].values["-k"] == ("count", (1, searching.MOST_RESULTS))
    for name, command in COMMANDS.items():
        known = {*SHAPES[name].values, *SHAPES[name].flags}
        assert known == {opt for p in command.params if isinstance(p, click.Option) for opt in p.opts}


@pytest.mark.parametrize("args", [[], ["status"], ["retrieve"], ["retrieve", "--help"], ["retrieve", "a", "b"], ["-h"]])
def test_everything_else_goes_to_click(args: list[str]) -> None:
    assert plain_call(args) is None


def test_a_plain_question_prints_what_click_prints(repo: GitRepo, cm: Cm, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit(
        {"a.ts": "import './b'\nexport function retryDelay(n: number) { return n * 2 }\n", "b.ts": "let x = 1\n"}
    )
    cm(repo.path, "index", "--no-vectors").ok()
    monkeypatch.chdir(repo.path)
    for args in (["retrieve", "change retryDelay"], ["search", "--no-vectors", "-k", "3", "retry delay"]):
        call = plain_call(args)
        assert call is not None
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            call()
        assert out.getvalue() == cm(repo.path, *args).ok().out
    assert plain.MOST >= 10**6
