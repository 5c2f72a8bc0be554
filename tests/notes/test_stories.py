"""Stories of people who come back to code, each from beginning to end through the commands, on a repository of git."""

from __future__ import annotations

import pytest

from tests.conftest import Cm, GitRepo
from tests.notes.conftest import Note, by_hand, ids, state_of, text


def test_who_comes_back_to_an_old_area_finds_its_notes_by_file(shop: GitRepo, cm: Cm, note: Note) -> None:
    about_cart = note(shop.path, "Lines are kept in the order they came in", "--core", "file:src/cart.ts")
    about_class = note(shop.path, "Cart has no currency on purpose", "--core", "symbol:src/cart.ts::Cart")
    note(shop.path, "Sessions end after fifteen minutes", "--core", "file:src/session.ts")
    shop.commit(message="notes")
    assert ids(cm(shop.path, "note", "search", "--anchor", "file:src/cart.ts", "--json").json) == [about_cart]
    inside = cm(shop.path, "note", "search", "--inside", "--anchor", "file:src/cart.ts", "--json").json
    assert set(ids(inside)) == {about_cart, about_class}


def test_an_invariant_reaches_who_edits_the_file_though_ten_other_notes_match(
    shop: GitRepo, cm: Cm, note: Note
) -> None:
    for number in range(10):
        note(shop.path, f"Remark {number} about the cart", "--core", "file:src/cart.ts")
        shop.write(by_hand(f"other{number}"[-5:], "About something else", "file:src/session.ts"))
    invariant = note(
        shop.path,
        "A total is never negative",
        "--critical",
        "symbol:src/cart.ts::Cart.total",
        body="Refunds rely on it.",
    )
    context = cm(shop.path, "retrieve", "--no-vectors", "--json", "make `Cart.total` round to cents").json
    before, code, _ = context["text"].partition("\nsrc/cart.ts:")
    assert code
    assert invariant in before
    assert "Refunds rely on it." in before
    assert [row["whole"] for row in context["notes"]] == [True] + [False] * (len(context["notes"]) - 1)
    found = cm(shop.path, "note", "search", "--limit", "2", "--inside", "--anchor", "file:src/cart.ts", "--json").json
    assert ids(found)[0] == invariant
    assert len(found["results"]) == 2
    assert found["more"] == 9


def test_capture_after_a_task_is_refused_without_anchors_and_then_found_by_each(shop: GitRepo, cm: Cm) -> None:
    refused = cm(shop.path, "note", "create", "--summary", "Prices are whole cents", "--body", "Floats lost money.")
    assert refused.code == 2
    assert "at least one anchor" in refused.err
    unknown = cm(shop.path, "note", "create", "--summary", "Prices are whole cents", "--core", "entity:Price")
    assert unknown.code == 2
    assert "not registered" in unknown.err
    assert not (shop.path / ".memory" / "notes").exists()
    cm(shop.path, "entity", "add", "Price", "--meaning", "What a customer pays, in cents").ok()
    near = cm(shop.path, "note", "create", "--summary", "Prices are whole cents", "--core", "entity:Prise")
    assert "did you mean Price" in near.err
    anchors = {
        "file:src/pricing.ts": "core",
        "symbol:src/pricing.ts::Discount.applyTo": "core",
        "entity:Price": "supporting",
        "env:SMTP_HOST": "incidental",
    }
    options = [part for uri, weight in anchors.items() for part in (f"--{weight}", uri)]
    made = cm(shop.path, "note", "create", "--summary", "Prices are whole cents", "--json", *options).json
    assert made["warnings"] == []
    for uri in anchors:
        assert ids(cm(shop.path, "note", "search", "--anchor", uri, "--json").json) == [made["id"]], uri


def test_a_fuzzy_russian_question_finds_a_note_by_another_word_form(shop: GitRepo, cm: Cm, note: Note) -> None:
    wanted = note(shop.path, "Почему скидка проверяется дважды", "--core", "symbol:src/pricing.ts::Discount")
    note(shop.path, "Сессии живут пятнадцать минут", "--core", "file:src/session.ts")
    for question in ("зачем повторная проверка скидок?", "проверяли скидку", "скид"):
        assert ids(cm(shop.path, "note", "search", "--json", question).json) == [wanted], question
    assert ids(cm(shop.path, "note", "search", "--json", "--strict", "скидки", "сессии").json) == []


def test_a_superseded_decision_is_found_only_on_request(shop: GitRepo, cm: Cm, note: Note) -> None:
    old = note(shop.path, "Sessions are kept in files", "--core", "file:src/session.ts")
    cm(shop.path, "note", "edit", old, "--status", "outdated").ok()
    new = note(shop.path, "Sessions are kept in the database", "--core", "file:src/session.ts", body=f"Not [[{old}]].")
    by_file = ("note", "search", "--anchor", "file:src/session.ts", "--json")
    assert ids(cm(shop.path, *by_file).json) == [new]
    assert set(ids(cm(shop.path, *by_file, "--outdated").json)) == {old, new}
    assert ids(cm(shop.path, "note", "search", "--json", "sessions kept").json) == [new]
    context = cm(shop.path, "retrieve", "--no-vectors", "--json", "change isExpired in src/session.ts").json
    assert [row["id"] for row in context["notes"]] == [new]
    assert old not in context["text"].split(new)[0]


def test_a_renamed_file_and_a_moved_class_are_followed_with_one_command_and_nothing_else_is_touched(
    shop: GitRepo, cm: Cm, note: Note
) -> None:
    uris = ("file:src/session.ts", "symbol:src/session.ts::isExpired", "symbol:src/pricing.ts::Discount")
    mixed = note(shop.path, "Sessions and discounts", *(p for uri in uris for p in ("--core", uri)))
    still = note(shop.path, "Prices are cents", "--core", "symbol:src/pricing.ts::priceOf")
    shop.commit(message="notes")
    shop.git("mv", "src/session.ts", "src/login/session.ts", check=False)
    (shop.path / "src" / "login").mkdir(exist_ok=True)
    shop.git("mv", "src/session.ts", "src/login/session.ts")
    whole = (shop.path / "src/pricing.ts").read_text()
    cut = whole.index("export function priceOf")
    shop.commit({"src/discount.ts": whole[:cut].rstrip() + "\n", "src/pricing.ts": whole[cut:]}, "move")
    before = {ident: text(shop, ident) for ident in (mixed, still)}
    targets = {
        uris[0]: "file:src/login/session.ts",
        uris[1]: "symbol:src/login/session.ts::isExpired",
        uris[2]: "symbol:src/discount.ts::Discount",
    }
    for uri, target in targets.items():
        state = state_of(cm, shop.path, mixed, uri)
        assert (state["status"], state.get("target")) == ("moved", target)
    assert ids(cm(shop.path, "note", "verify", "--json").json) == [mixed]
    shown = cm(shop.path, "note", "follow", "--dry-run").ok().out
    assert all(f"{uri} -> {target}" in shown for uri, target in targets.items())
    assert text(shop, mixed) == before[mixed]
    cm(shop.path, "note", "follow").ok()
    expected = before[mixed]
    for uri, target in targets.items():
        expected = expected.replace(f"uri: {uri}\n", f"uri: {target}\n")
    assert text(shop, mixed) == expected
    assert text(shop, still) == before[still]
    assert shop.git("status", "--porcelain").decode().split() == ["M", f".memory/notes/{mixed}.md"]
    assert cm(shop.path, "note", "verify", "--json").json["notes"] == []


def test_a_file_that_was_renamed_and_edited_in_one_commit_is_found_by_its_lines(
    shop: GitRepo, cm: Cm, note: Note
) -> None:
    ident = note(shop.path, "The cart", "--core", "file:src/cart.ts", "--core", "symbol:src/cart.ts::Cart.total")
    shop.commit(message="note")
    moved = (shop.path / "src/cart.ts").read_text().replace("'./pricing'", "'../pricing'")
    moved = moved.replace("a + b, 0", "a + b, 1")
    (shop.path / "src/cart.ts").unlink()
    shop.commit({"src/shop/basket.ts": moved}, "rename")
    state = state_of(cm, shop.path, ident, "file:src/cart.ts")
    assert (state["status"], state["target"]) == ("moved", "file:src/shop/basket.ts")
    member = state_of(cm, shop.path, ident, "symbol:src/cart.ts::Cart.total")
    assert (member["status"], member["target"]) == ("moved", "symbol:src/shop/basket.ts::Cart.total")
    cm(shop.path, "note", "follow").ok()
    state = state_of(cm, shop.path, ident, "symbol:src/shop/basket.ts::Cart.total")
    assert state["status"] == "changed", "the place was followed; that its text differs is still said"


def test_a_chain_of_links_can_be_walked_and_a_broken_one_is_told(shop: GitRepo, cm: Cm, note: Note) -> None:
    first = note(shop.path, "First attempt", "--core", "file:src/cart.ts")
    second = note(shop.path, "Second attempt", "--core", "file:src/cart.ts", body=f"After [[{first}]].")
    third = note(shop.path, "Third attempt", "--core", "file:src/cart.ts", body=f"After [[{second}]], not [[zzzzz]].")
    (shown,) = cm(shop.path, "note", "show", "--json", third).json["notes"]
    assert [(row["id"], row["summary"]) for row in shown["links"]] == [(second, "Second attempt"), ("zzzzz", "")]
    (shown,) = cm(shop.path, "note", "show", "--json", second).json["notes"]
    assert [row["id"] for row in shown["links"]] == [first]
    assert cm(shop.path, "stats", "--json").json["broken_links"] == 1


def test_onboarding_by_drafts_keeps_them_out_until_somebody_approves(shop: GitRepo, cm: Cm, note: Note) -> None:
    drafts = [
        note(shop.path, f"Draft about {name}", "--status", "draft", "--core", f"file:src/{name}.ts")
        for name in ("cart", "pricing", "session")
    ]
    prompt = ("retrieve", "--no-vectors", "--json", "change emptyCart in src/cart.ts")
    assert "notes" not in cm(shop.path, *prompt).json
    assert ids(cm(shop.path, "note", "list", "--json").json) == []
    assert set(ids(cm(shop.path, "note", "list", "--status", "draft", "--json").json)) == set(drafts)
    assert ids(cm(shop.path, "note", "search", "--json", "draft about").json) == []
    assert set(ids(cm(shop.path, "note", "search", "--drafts", "--json", "draft about").json)) == set(drafts)
    cm(shop.path, "note", "edit", drafts[0], "--status", "current").ok()
    assert [row["id"] for row in cm(shop.path, *prompt).json["notes"]] == [drafts[0]]


def test_an_investigation_keeps_its_hypothesis_apart_from_what_was_seen(shop: GitRepo, cm: Cm, note: Note) -> None:
    body = "## Verified\n\nExpiry counts from the start.\n\n## Hypothesis\n\nClocks of two hosts differ.\n"
    ident = note(
        shop.path, "Sessions end too early on one host", "--core", "symbol:src/session.ts::isExpired", body=body
    )
    assert ids(cm(shop.path, "note", "search", "--json", "clock of a host").json) == [ident]
    (shown,) = cm(shop.path, "note", "show", "--json", ident).json["notes"]
    assert shown["body"].strip() == body.strip()
    cm(shop.path, "note", "edit", ident, "--append", "## Verified later\n\nIt was the clock.").ok()
    (shown,) = cm(shop.path, "note", "show", "--json", ident).json["notes"]
    assert shown["body"].strip() == body.strip() + "\n\n## Verified later\n\nIt was the clock."


def test_two_branches_have_different_notes(shop: GitRepo, cm: Cm, note: Note) -> None:
    shared = note(shop.path, "Known on both", "--core", "file:src/cart.ts")
    shop.commit(message="shared")
    shop.git("checkout", "--quiet", "-b", "feature")
    only_here = note(shop.path, "Known on the feature branch", "--core", "file:src/cart.ts")
    cm(shop.path, "note", "edit", shared, "--summary", "Known on both, better").ok()
    shop.commit(message="feature")
    listed = ("note", "list", "--json")
    assert set(ids(cm(shop.path, *listed).json)) == {shared, only_here}
    shop.git("checkout", "--quiet", "main")
    document = cm(shop.path, *listed).json
    assert [(row["id"], row["summary"]) for row in document["notes"]] == [(shared, "Known on both")]
    assert set(ids(cm(shop.path, *listed, "--rev", "feature").json)) == {shared, only_here}
    assert ids(cm(shop.path, "note", "search", "--json", "--rev", "feature", "feature branch").json) == [only_here]
    assert ids(cm(shop.path, "note", "search", "--json", "feature branch").json) == []


@pytest.mark.parametrize("clean", [True, False], ids=["committed", "untracked"])
def test_an_edit_by_any_editor_is_seen_at_the_next_call(shop: GitRepo, cm: Cm, clean: bool) -> None:
    shop.write(by_hand("aaaaa", "Written by hand", "file:src/cart.ts"))
    if clean:
        shop.commit(message="by hand")
    search = ("note", "search", "--json", "--anchor", "file:src/cart.ts")
    assert ids(cm(shop.path, *search).json) == ["aaaaa"]
    path = shop.path / ".memory/notes/aaaaa.md"
    path.write_text(path.read_text().replace("file:src/cart.ts", "file:src/session.ts").replace("by hand", "anew"))
    assert ids(cm(shop.path, *search).json) == []
    found = cm(shop.path, "note", "search", "--json", "--anchor", "file:src/session.ts").json
    assert found["results"][0]["summary"] == "Written anew"
    assert ids(cm(shop.path, "note", "search", "--json", "anew").json) == ["aaaaa"]
    path.unlink()
    assert ids(cm(shop.path, "note", "list", "--json").json) == []


def test_a_repository_without_notes_says_so_and_an_unknown_note_gets_a_hint(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": "export const a = 1\n"})
    for command in (("note", "list"), ("stats",)):
        answer = cm(repo.path, *command).ok()
        assert (answer.out, answer.err) == ("", "no notes yet; `git cm note create` writes one\n")
    shown = cm(repo.path, "note", "show", "zzzzz")
    assert shown.code == 1
    assert "hint: `git cm note list --all`" in shown.err
