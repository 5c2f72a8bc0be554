"""Who has a deadline gets an answer before it: from the last view, which says what it lacks, or none at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from cmgit.cli.reader import answer_with
from cmgit.cli.session import config_from
from cmgit.git.locate import locate
from cmgit.serve.keeper import Keeper, NotReady
from tests.conftest import Cm, GitRepo

QUESTION: dict[str, object] = {"op": "retrieve", "prompt": "`splitAmount`", "no_vectors": True}
HANG = 300.0


def early_answer(keeper: Keeper, question: dict[str, object]) -> dict[str, object]:
    """What is answered with a deadline: one within which git says what changed, on a machine that may be busy."""
    for seconds in (2.0, 8.0, 32.0):
        with suppress(NotReady):
            return answer_with(keeper, question, time.monotonic() + seconds)
    raise AssertionError("git says nothing")


@contextmanager
def busy(keeper: Keeper) -> Iterator[None]:
    """The thread for long work has something else to do."""
    free, began = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        free.wait(HANG)

    keeper.work(work)
    began.wait(HANG)
    try:
        yield
    finally:
        free.set()


def test_with_no_view_yet_the_reader_says_so_at_once_and_goes_on_opening_one(shop: GitRepo) -> None:
    keeper = Keeper(locate(str(shop.path)), config_from)
    started = time.monotonic()
    with pytest.raises(NotReady):
        answer_with(keeper, QUESTION, started + HANG)
    assert time.monotonic() - started < HANG / 2
    while keeper.held is None and time.monotonic() - started < HANG:
        time.sleep(0.05)
    assert "splitAmount" in str(answer_with(keeper, QUESTION, time.monotonic() + HANG)["text"])
    keeper.close()


def test_an_edit_that_cannot_be_read_in_time_is_told_as_pending_and_shown_as_it_is_on_disk(shop: GitRepo) -> None:
    keeper = Keeper(locate(str(shop.path)), config_from)
    answer_with(keeper, QUESTION, None)
    shop.write(
        {
            "src/money.ts": "// moved\nexport function splitAmount(all: number, parts: number) {\n  return parts\n}\n",
            "src/later.ts": "export const later = 1\n",
            "notes.txt": "no code\n",
        }
    )
    with busy(keeper):
        started = time.monotonic()
        early = early_answer(keeper, QUESTION)
        assert time.monotonic() - started < HANG / 2  # for so long the thread is busy
        assert early["pending"] == {"files": 3, "vectors": 0}
        assert "return parts" in str(early["text"])
        assert "total / parts" not in str(early["text"])
    late = answer_with(keeper, QUESTION, None)
    assert late["pending"] == {"files": 0, "vectors": 0}
    assert "return parts" in str(late["text"])
    keeper.close()


def test_vectors_that_are_not_made_in_time_are_told_as_pending_and_there_the_next_time(cm: Cm, shop: GitRepo) -> None:
    cm(shop.path, "index", "--no-vectors").ok()
    keeper = Keeper(locate(str(shop.path)), config_from)
    question: dict[str, object] = {"op": "search", "query": "divide what a meal costs"}
    answer_with(keeper, {**question, "no_vectors": True}, None)
    with busy(keeper):
        early = early_answer(keeper, question)
        assert early["pending"]["vectors"] > 0  # type: ignore[index]
    late = answer_with(keeper, question, None)
    assert late["pending"] == {"files": 0, "vectors": 0}
    assert late["results"] == answer_with(keeper, question, time.monotonic() + HANG)["results"]
    assert [r["score"] for r in late["results"]] != [r["score"] for r in early["results"]]  # type: ignore[attr-defined]
    keeper.close()


def test_a_branch_whose_snapshot_is_missing_counts_the_files_that_differ(shop: GitRepo) -> None:
    shop.git("checkout", "-q", "-b", "wide")
    shop.commit({f"src/wide{n}.ts": f"export const wide{n} = {n}\n" for n in range(7)})
    shop.git("checkout", "-q", "main")
    keeper = Keeper(locate(str(shop.path)), config_from)
    answer_with(keeper, QUESTION, None)
    shop.git("checkout", "-q", "wide")
    with busy(keeper):
        assert early_answer(keeper, QUESTION)["pending"] == {"files": 7, "vectors": 0}
    assert answer_with(keeper, QUESTION, None)["pending"] == {"files": 0, "vectors": 0}
    keeper.close()


def test_a_question_waits_for_the_one_before_it_no_longer_than_its_deadline(shop: GitRepo) -> None:
    keeper = Keeper(locate(str(shop.path)), config_from)
    answer_with(keeper, QUESTION, None)
    asked, free = threading.Event(), threading.Event()

    def slow(*_: object) -> None:
        asked.set()
        free.wait(HANG)

    first = threading.Thread(target=lambda: keeper.ask(slow))
    first.start()
    asked.wait(HANG)
    started = time.monotonic()
    with pytest.raises(NotReady):
        answer_with(keeper, QUESTION, started + 0.5)
    assert time.monotonic() - started < HANG / 2  # so long the one before takes
    free.set()
    first.join()
    keeper.close()
