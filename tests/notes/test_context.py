"""Notes beside code in a context: within its budget, before or behind the code, and at no cost where there are none."""

from __future__ import annotations

import pytest

from tests.conftest import Cm, GitRepo
from tests.notes.conftest import Note, by_hand

PROMPT = ("retrieve", "--no-vectors", "--json", "make `Cart.total` round to cents")


def timeless(document: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in document.items() if key != "seconds"}


@pytest.mark.parametrize("prompt", ["make `Cart.total` round to cents", "raise SESSION_MINUTES in src/session.ts"])
def test_a_repository_without_a_memory_gets_the_same_bytes(shop: GitRepo, cm: Cm, note: Note, prompt: str) -> None:
    asked = ("retrieve", "--no-vectors", "--json", prompt)
    before = timeless(cm(shop.path, *asked).json)
    assert "notes" not in before
    ident = note(shop.path, "Something", "--core", "file:src/cart.ts", "--core", "file:src/session.ts")
    assert ident in str(cm(shop.path, *asked).json["notes"])
    shop.git("config", "cm.notes", "off")
    assert timeless(cm(shop.path, *asked).json) == before
    shop.git("config", "--unset", "cm.notes")
    (shop.path / ".memory/notes" / f"{ident}.md").unlink()
    assert timeless(cm(shop.path, *asked).json) == before


def test_no_module_of_notes_is_loaded_without_a_memory(shop: GitRepo, cm: Cm) -> None:
    from tests.cli.test_imports import modules_of

    cm(shop.path, "index", "--no-vectors").ok()
    loaded = modules_of(shop.path, *PROMPT)
    assert {name for name in loaded if name.startswith("cmgit.notes.")} <= {"cmgit.notes.model", "cmgit.notes.standing"}
    assert "yaml" not in loaded


@pytest.mark.parametrize("budget", [300, 600, 1_000, 2_000, 6_000])
@pytest.mark.parametrize("length", [10, 900, 4_000])
def test_code_and_notes_stay_within_the_budget(shop: GitRepo, cm: Cm, note: Note, budget: int, length: int) -> None:
    body = ("Русский текст, две буквы. " * 400)[:length]
    note(shop.path, "Invariant", "--critical", "symbol:src/cart.ts::Cart.total", body=body)
    note(shop.path, "Second", "--critical", "file:src/cart.ts", body=body)
    for number in range(12):
        note(shop.path, f"Remark {number} on totals", "--core", "symbol:src/cart.ts::Cart")
    document = cm(shop.path, *PROMPT, "--budget", str(budget)).json
    assert len(document["text"]) <= 9_000
    source = document["bytes"]
    around = document["text"].encode()
    head, code, tail = around.partition(b"\nsrc/")
    notes = (head if code else b"") + (
        tail[tail.index(b"\nNotes on this code") :] if b"\nNotes on this code" in tail else b""
    )
    assert source + len(notes) <= budget + 2
    whole = [row for row in document.get("notes", ()) if row["whole"]]
    assert len(head.decode()) <= 1_500 + 2
    if budget >= 2_000:
        assert whole
        assert source > 100


def test_critical_notes_together_have_1500_characters(shop: GitRepo, cm: Cm, note: Note) -> None:
    for number in range(4):
        note(shop.path, f"Invariant {number}", "--critical", "file:src/cart.ts", body=f"{number} " + "word " * 120)
    document = cm(shop.path, *PROMPT).json
    whole = [row for row in document["notes"] if row["whole"]]
    before = document["text"].partition("\nsrc/cart.ts:")[0]
    assert len(whole) >= 2
    assert len(before) <= 1_500
    assert len(document["notes"]) == 4
    assert document["text"].count(", critical)") == 4 - len(whole) or "critical" in document["text"]


def test_a_direct_answer_brings_its_notes_and_says_what_is_stale(shop: GitRepo, cm: Cm, note: Note) -> None:
    ident = note(shop.path, "Fifteen minutes are a promise", "--critical", "symbol:src/session.ts::isExpired")
    asked = ("retrieve", "--json", "raise SESSION_MINUTES in src/session.ts")
    document = cm(shop.path, *asked).json
    assert document["route"] == "direct"
    assert document["text"].startswith(f"Note {ident}, critical for symbol:src/session.ts::isExpired: Fifteen")
    assert document["notes"][0]["stale"] is False
    path = shop.path / "src/session.ts"
    path.write_text(path.read_text().replace("60_000", "61_000"))
    document = cm(shop.path, *asked).json
    assert document["notes"][0]["stale"] is True
    assert "stale: symbol:src/session.ts::isExpired changed" in document["text"]


def test_notes_of_a_revision_come_with_its_code(shop: GitRepo, cm: Cm) -> None:
    shop.commit(by_hand("aaaaa", "At the tag", "file:src/cart.ts"))
    shop.git("tag", "then")
    shop.commit({".memory/notes/aaaaa.md": by_hand("aaaaa", "Later", "file:src/cart.ts")[".memory/notes/aaaaa.md"]})
    assert cm(shop.path, *PROMPT).json["notes"][0]["summary"] == "Later"
    assert cm(shop.path, *PROMPT, "--rev", "then").json["notes"][0]["summary"] == "At the tag"


def test_notes_on_other_functions_of_the_file_stay_away(shop: GitRepo, cm: Cm, note: Note) -> None:
    filler = "\n".join(f"export function filler{n}(): number {{\n  return {n} * 2\n}}\n" for n in range(120))
    path = shop.path / "src/cart.ts"
    shop.commit({"src/cart.ts": path.read_text() + filler})
    mine = note(shop.path, "On the total", "--core", "symbol:src/cart.ts::Cart.total")
    note(shop.path, "On a filler", "--core", "symbol:src/cart.ts::filler99")
    assert [row["id"] for row in cm(shop.path, *PROMPT).json["notes"]] == [mine]


def test_the_same_prompt_gives_the_same_bytes_on_a_clone(shop: GitRepo, cm: Cm, note: Note, tmp_path) -> None:  # type: ignore[no-untyped-def]
    for number in range(5):
        note(shop.path, f"Remark {number}", "--core", "file:src/cart.ts", "--supporting", "symbol:src/cart.ts::Cart")
    shop.commit(message="notes")
    shop.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    assert timeless(cm(shop.path, *PROMPT).json) == timeless(cm(tmp_path / "clone", *PROMPT).json)
