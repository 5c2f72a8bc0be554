"""Notes in every kind of place that git has: sparse checkouts, linked worktrees, bare repositories, unborn branches."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Cm, GitRepo
from tests.notes.conftest import SHOP, Note, by_hand, ids


def test_a_sparse_checkout_that_leaves_them_out_still_has_them(shop: GitRepo, cm: Cm) -> None:
    shop.commit(by_hand("aaaaa", "Off the disk", "file:src/cart.ts"))
    shop.git("sparse-checkout", "set", "--cone", "src")
    assert not (shop.path / ".memory").exists()
    assert ids(cm(shop.path, "note", "search", "--json", "--anchor", "file:src/cart.ts").json) == ["aaaaa"]
    assert ids(cm(shop.path, "note", "search", "--json", "disk").json) == ["aaaaa"]
    (shown,) = cm(shop.path, "note", "show", "--json", "aaaaa").json["notes"]
    assert shown["body"].strip() == "By hand."
    refused = cm(shop.path, "note", "edit", "aaaaa", "--status", "draft")
    assert refused.code == 1
    assert not (shop.path / ".memory").exists() or not list((shop.path / ".memory").rglob("*.md"))


def test_a_linked_worktree_has_its_own(shop: GitRepo, cm: Cm, note: Note, tmp_path: Path) -> None:
    shop.commit(by_hand("aaaaa", "Shared", "file:src/cart.ts"))
    other = tmp_path / "linked"
    shop.git("worktree", "add", "--quiet", "-b", "other", str(other))
    mine = note(other, "Only here", "--core", "file:src/cart.ts")
    assert set(ids(cm(other, "note", "list", "--json").json)) == {"aaaaa", mine}
    assert ids(cm(shop.path, "note", "list", "--json").json) == ["aaaaa"]
    assert (other / ".memory/notes" / f"{mine}.md").is_file()


def test_a_bare_repository_shows_those_of_a_revision_and_writes_none(shop: GitRepo, cm: Cm, tmp_path: Path) -> None:
    shop.commit(by_hand("aaaaa", "Committed", "symbol:src/cart.ts::Cart"))
    shop.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    bare = tmp_path / "bare"
    assert ids(cm(bare, "note", "list", "--rev", "main", "--json").json) == ["aaaaa"]
    (shown,) = cm(bare, "note", "show", "--rev", "main", "--json", "aaaaa").json["notes"]
    assert shown["anchors"]["core"][0]["status"] == "ok"
    assert cm(bare, "note", "create", "--summary", "x", "--core", "file:a.ts").code == 1
    assert cm(bare, "note", "list").code == 1


def test_before_the_first_commit_notes_are_those_on_disk(repo: GitRepo, cm: Cm, note: Note) -> None:
    repo.write(SHOP)
    ident = note(repo.path, "Early", "--core", "symbol:src/cart.ts::Cart")
    assert ids(cm(repo.path, "note", "search", "--json", "early").json) == [ident]
    context = cm(repo.path, "retrieve", "--no-vectors", "--json", "change `Cart.total`").json
    assert [row["id"] for row in context["notes"]] == [ident]


def test_a_store_that_cannot_be_written_is_no_obstacle(shop: GitRepo, cm: Cm) -> None:
    shop.commit(by_hand("aaaaa", "Read only", "file:src/cart.ts"))
    cm(shop.path, "index", "--no-vectors").ok()
    (shop.path / ".git/cm/notes").write_text("in the way")
    assert ids(cm(shop.path, "note", "search", "--json", "read only").json) == ["aaaaa"]
    assert ids(cm(shop.path, "note", "search", "--json", "--anchor", "file:src/cart.ts").json) == ["aaaaa"]


def test_looking_at_notes_leaves_the_working_tree_and_the_index_alone(shop: GitRepo, cm: Cm) -> None:
    shop.commit(by_hand("aaaaa", "Quiet", "file:src/cart.ts"))
    before = (shop.path / ".git/index").read_bytes()
    for args in (("list",), ("search", "quiet"), ("show", "aaaaa"), ("verify",), ("follow", "--dry-run")):
        cm(shop.path, "note", *args, "--json").ok()
    cm(shop.path, "stats", "--json").ok()
    assert shop.git("status", "--porcelain") == b""
    assert (shop.path / ".git/index").read_bytes() == before


def test_the_commands_for_people_say_what_they_found(shop: GitRepo, cm: Cm, note: Note) -> None:
    cm(shop.path, "entity", "add", "Cart", "--meaning", "what is bought").ok()
    ident = note(shop.path, "Said aloud", "--critical", "file:src/cart.ts", "--core", "entity:Cart", body="Aloud.")
    assert cm(shop.path, "note", "list").ok().out == f"{ident}  Said aloud\n"
    assert cm(shop.path, "note", "search", "--anchor", "entity:Cart").ok().out == f"{ident}  Said aloud\n"
    assert (
        cm(shop.path, "note", "search", "--anchor", "file:src/cart.ts").ok().out == f"{ident}  Said aloud  (critical)\n"
    )
    shown = cm(shop.path, "note", "show", ident).ok().out
    assert "  critical\n    ok      file:src/cart.ts\n" in shown
    assert "\nAloud.\n" in shown
    assert cm(shop.path, "entity", "list").ok().out == "Cart: what is bought  (1)\n"
    assert "1 current" in cm(shop.path, "stats").ok().out
    shop.write({".memory/notes/zzzzz.md": "no front matter"})
    assert "is no note" in cm(shop.path, "note", "list").ok().err
