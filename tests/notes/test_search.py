"""The border of a search: who is in, and who is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmgit.git.locate import locate, probe
from cmgit.notes.memory import Memory, open_memory
from cmgit.notes.search import Question, search_notes
from cmgit.notes.standing import Standing
from cmgit.notes.uri import typed_uri
from tests.conftest import Cm, GitRepo
from tests.notes.conftest import ids


def write(
    repo: GitRepo, ident: str, *anchors: str, summary: str = "A note", body: str = "", status: str = "current"
) -> None:
    """anchors: `weight uri`."""
    lines = ["---", f"id: {ident}", f"summary: {summary}", f"status: {status}", "anchors:"]
    for anchor in anchors:
        weight, uri = anchor.split(" ", 1)
        lines += [f"  - uri: {uri}", f"    weight: {weight}"]
    repo.write({f".memory/notes/{ident}.md": "\n".join([*lines, "---", body, ""])})


def memory_at(folder: Path) -> Memory:
    location = locate(str(folder))
    seen = probe(str(folder), with_changes=True)
    memory = open_memory(Standing(location, seen.head_tree or "", tuple(seen.changes or ())))
    assert memory is not None
    return memory


def found(repo: GitRepo, *uris: str, **question: object) -> list[str]:
    asked = Question(tuple(map(typed_uri, uris)), **question)  # type: ignore[arg-type]
    return [hit.head.id for hit in search_notes(memory_at(repo.path), asked).hits]


@pytest.fixture(params=["committed", "untracked"])
def base(repo: GitRepo, request: pytest.FixtureRequest) -> GitRepo:
    """Twenty notes, each on a file of its own; whether they are committed makes no difference."""
    repo.commit({"a.ts": "export const a = () => 1\n"})
    for number in range(20):
        write(repo, f"far{number:02}", f"core file:far/{number}.ts", summary=f"Far away {number}")
    if request.param == "committed":
        repo.commit(message="far")
    return repo


def test_anchors_are_a_union_of_exact_uris(base: GitRepo) -> None:
    write(base, "aaaaa", "core symbol:a.ts::Order")
    write(base, "bbbbb", "core symbol:a.ts::Order.cancel")
    write(base, "ccccc", "core file:a.ts")
    write(base, "ddddd", "core entity:Order")
    assert found(base, "symbol:a.ts::Order") == ["aaaaa"]
    assert found(base, "file:a.ts") == ["ccccc"]
    assert set(found(base, "file:a.ts", inside=True)) == {"aaaaa", "bbbbb", "ccccc"}
    assert set(found(base, "symbol:a.ts::Order.cancel", "entity:Order")) == {"bbbbb", "ddddd"}
    assert found(base, "file:a.t") == found(base, "file:A.ts") == []


def test_the_order_is_by_weight_and_critical_comes_first(base: GitRepo) -> None:
    for ident, weight in (("aaaaa", "incidental"), ("bbbbb", "supporting"), ("ccccc", "core"), ("ddddd", "critical")):
        write(base, ident, f"{weight} file:a.ts")
    assert found(base, "file:a.ts") == ["ddddd", "ccccc", "bbbbb", "aaaaa"]


def test_critical_notes_are_in_over_any_limit_and_the_limit_says_how_many_more(base: GitRepo) -> None:
    for number in range(4):
        write(base, f"crit{number}", "critical file:a.ts")
    for number in range(6):
        write(base, f"core{number}", "core file:a.ts")
    answer = search_notes(memory_at(base.path), Question((typed_uri("file:a.ts"),), limit=2))
    assert [hit.head.id for hit in answer.hits] == ["crit0", "crit1", "crit2", "crit3"]
    assert answer.more == 6
    answer = search_notes(memory_at(base.path), Question((typed_uri("file:a.ts"),), limit=5))
    assert [hit.head.id for hit in answer.hits] == ["crit0", "crit1", "crit2", "crit3", "core0"]
    assert answer.more == 5


def test_a_file_that_most_notes_have_is_enough_for_nobody_but_a_critical_one(repo: GitRepo) -> None:
    repo.commit({"a.ts": "1\n"})
    for number in range(7):
        write(repo, f"on{number:03}", "core file:a.ts", f"core symbol:a.ts::f{number}")
    for number in range(3):
        write(repo, f"off{number:02}", "core file:b.ts")
    assert found(repo, "file:a.ts") == [], "7 of 10 are 70%"
    assert found(repo, "file:a.ts", "symbol:a.ts::f3") == ["on003"], "met elsewhere too"
    assert found(repo, "file:a.ts", context=(typed_uri("symbol:a.ts::f5"),)) == ["on005"], "confirmed by the context"
    write(repo, "crita", "critical file:a.ts")
    assert found(repo, "file:a.ts") == ["crita"]
    write(repo, "off10", "core file:b.ts")
    write(repo, "off11", "core file:b.ts")
    assert len(found(repo, "file:a.ts")) == 8, "8 of 13 are below 70%"


def test_four_notes_are_too_few_for_a_file_to_be_ubiquitous(repo: GitRepo) -> None:
    repo.commit({"a.ts": "1\n"})
    for number in range(4):
        write(repo, f"on{number:03}", "core file:a.ts")
    assert len(found(repo, "file:a.ts")) == 4


def test_an_entity_that_all_notes_have_still_finds_them_all(repo: GitRepo) -> None:
    repo.commit({"a.ts": "1\n"})
    for number in range(9):
        write(repo, f"on{number:03}", "incidental entity:Shop", "incidental env:PORT")
    assert len(found(repo, "entity:Shop")) == len(found(repo, "env:PORT")) == 9


def test_an_incidental_anchor_at_a_common_place_is_not_enough(repo: GitRepo) -> None:
    repo.commit({"a.ts": "1\n"})
    for number in range(12):
        write(repo, f"on{number:03}", f"{'incidental' if number < 3 else 'core'} file:a.ts")
    for number in range(8):
        write(repo, f"off{number:02}", "core file:b.ts")
    assert set(found(repo, "file:a.ts")) == {f"on{number:03}" for number in range(3, 12)}
    assert "on001" in found(repo, "file:a.ts", text="note")


def test_the_context_lifts_and_filters_none(base: GitRepo) -> None:
    write(base, "aaaaa", "core file:a.ts")
    write(base, "bbbbb", "supporting file:a.ts", "core entity:Order")
    assert found(base, "file:a.ts") == ["aaaaa", "bbbbb"]
    context = (typed_uri("entity:Order"), typed_uri("file:elsewhere.ts"))
    assert found(base, "file:a.ts", context=context) == ["bbbbb", "aaaaa"]
    assert found(base, "file:none.ts", context=context) == []


def test_only_current_notes_are_searched_and_counted(repo: GitRepo) -> None:
    repo.commit({"a.ts": "1\n"})
    for number in range(6):
        write(repo, f"on{number:03}", "core file:a.ts", status="outdated" if number < 3 else "current")
    write(repo, "draft", "core file:a.ts", status="draft")
    assert set(found(repo, "file:a.ts")) == {"on003", "on004", "on005"}, "3 current notes: too few to be ubiquitous"
    assert found(repo, "file:a.ts", outdated=True) == [], "of 6 notes searched, all have it"
    assert set(found(repo, "file:a.ts", drafts=True)) == {"on003", "on004", "on005", "draft"}


WORDS = {
    "aaaaa": ("Deadlock in reserveStock when retrying", "We hold the lock twice."),
    "bbbbb": ("Скидка не складывается с налогом", "Проверяли на трёх заказах."),
    "ccccc": ("Retries are bounded", "The HTTPServer retried for ever. See MAX_RETRY_COUNT."),
    "ddddd": ("Sessions of stores", "Nothing about it."),
}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("retry", {"aaaaa", "ccccc"}),
        ("retries of a deadlock", {"aaaaa", "ccccc"}),
        ("reserveStock", {"aaaaa"}),
        ("reservestock", {"aaaaa"}),
        ("stock", {"aaaaa"}),
        ("reserving", set()),
        ("httpserver", {"ccccc"}),
        ("MAX_RETRY_COUNT", {"ccccc"}),
        ("складывать скидки", {"bbbbb"}),
        ("налоги и заказы", {"bbbbb"}),
        ("налог", {"bbbbb"}),
        ("deadl", {"aaaaa"}),
        ("ded", set()),
        ("kubernetes", set()),
    ],
)
def test_words_are_found_by_stem_prefix_and_part_of_an_identifier(
    base: GitRepo, question: str, expected: set[str]
) -> None:
    for ident, (summary, body) in WORDS.items():
        write(base, ident, f"core file:{ident}.ts", summary=summary, body=body)
    assert set(found(base, text=question)) == expected


def test_strict_wants_every_word(base: GitRepo) -> None:
    for ident, (summary, body) in WORDS.items():
        write(base, ident, f"core file:{ident}.ts", summary=summary, body=body)
    assert found(base, text="retry lock", strict=True) == ["aaaaa"]
    assert found(base, text="retry kubernetes", strict=True) == []


def test_what_scores_far_below_the_best_is_out(base: GitRepo) -> None:
    write(base, "aaaaa", "core file:x.ts", summary="Reservation expiry hydration invariant")
    write(base, "bbbbb", "core file:y.ts", summary="Other", body="an invariant")
    assert found(base, text="reservation expiry hydration invariant") == ["aaaaa"]
    assert found(base, text="invariant") == ["aaaaa", "bbbbb"]


def test_a_word_that_most_notes_have_finds_none_beside_a_rare_one(base: GitRepo) -> None:
    write(base, "aaaaa", "core file:x.ts", summary="Far away hydration")
    assert found(base, text="away hydration") == ["aaaaa"]
    assert len(found(base, text="away")) == 20 if len(found(base, text="away", limit=100)) > 20 else True
    assert len(found(base, text="away", limit=100)) == 21


def test_a_committed_base_answers_as_an_untracked_one_after_every_kind_of_change(repo: GitRepo) -> None:
    repo.commit({"a.ts": "1\n"})
    for ident, (summary, body) in WORDS.items():
        write(repo, ident, "core file:a.ts", f"core symbol:a.ts::{ident}", summary=summary, body=body)
    questions = ["retry", "stock", "налоги", "session", "bounded hydration"]

    def answers() -> list[object]:
        memory = memory_at(repo.path)
        asked = [Question(text=text) for text in questions] + [Question((typed_uri("file:a.ts"),), inside=True)]
        return [[(hit.head.id, hit.score, hit.met) for hit in search_notes(memory, one).hits] for one in asked]

    untracked = answers()
    repo.commit(message="notes")
    assert answers() == untracked
    assert answers() == untracked, "and from the pack that the last look left"
    write(repo, "eeeee", "critical file:a.ts", summary="Bounded hydration")
    write(repo, "aaaaa", "core file:b.ts", summary="Now about sessions")
    (repo.path / ".memory/notes/bbbbb.md").unlink()
    changed = answers()
    repo.commit(message="changed")
    assert answers() == changed
    for file in (repo.path / ".git/cm/notes").glob("*.*"):
        file.unlink()
    assert answers() == changed, "and from nothing"


def test_many_notes_that_were_never_committed_answer_alike_at_once_and_after_every_edit(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cmgit.notes import bases

    repo.commit({"a.ts": "1\n"})
    for number in range(90):
        write(
            repo,
            f"n{number:04}",
            f"core file:far/{number % 30}.ts",
            summary=f"Far away {number}",
            body=f"word{number} tax",
        )
    repo.write({".memory/notes/zzzzz.md": "no note", ".memory/entities.md": "- **Order**: what is bought\n"})

    def answers() -> list[object]:
        memory = memory_at(repo.path)
        asked = [Question(text="word7"), Question(text="away 12"), Question((typed_uri("file:far/3.ts"),))]
        found = [[(hit.head.id, hit.score, hit.met) for hit in search_notes(memory, one).hits] for one in asked]
        return [found, memory.unreadable(), list(memory.entities), len(memory.rows())]

    read_all = answers()
    assert not list((repo.path / ".git/cm").rglob("loose-*"))
    monkeypatch.setattr(bases, "RACY", -(10**15))
    assert answers() == read_all
    assert len(list((repo.path / ".git/cm").rglob("loose-*"))) == 2
    assert answers() == read_all, "from the pack"
    write(repo, "n0007", "core file:far/3.ts", summary="Now here", body="word7")
    (repo.path / ".memory/notes/n0003.md").unlink()
    edited = answers()
    assert edited != read_all
    monkeypatch.setattr(bases, "RACY", 10**18)
    assert answers() == edited
    repo.commit(message="all of them")
    assert answers() == edited


def test_damaged_packs_are_made_anew(base: GitRepo, cm: Cm) -> None:
    write(base, "aaaaa", "core file:a.ts", summary="Hydration")
    base.commit(message="one more")
    assert found(base, text="hydration") == ["aaaaa"]
    for file in (base.path / ".git/cm/notes").glob("*.*"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    assert found(base, text="hydration") == ["aaaaa"]
    assert found(base, "file:a.ts") == ["aaaaa"]
    assert ids(cm(base.path, "note", "search", "--json", "hydration").json) == ["aaaaa"]


def test_a_question_without_anything_is_refused(base: GitRepo, cm: Cm) -> None:
    assert cm(base.path, "note", "search", " ").code == 2


def test_without_a_memory_there_is_nothing_and_no_failure(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": "1\n"})
    for args in (("note", "list"), ("note", "search", "x"), ("entity", "list"), ("stats",), ("note", "verify")):
        cm(repo.path, *args, "--json").ok()
    assert not (repo.path / ".memory").exists()


def test_ignored_notes_are_not_read_and_none_is_written_where_nobody_would_see_it(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": "1\n", ".gitignore": ".memory/\n"})
    write(repo, "aaaaa", "core file:a.ts")
    assert ids(cm(repo.path, "note", "list", "--json").json) == []
    refused = cm(repo.path, "note", "create", "--summary", "x", "--core", "file:a.ts")
    assert refused.code == 1
    assert "ignores" in refused.err
    assert "check-ignore" in refused.err
