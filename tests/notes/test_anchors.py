"""Anchors against code as it is at the look: what counts as a change, and what does not."""

# ruff: noqa: E501
from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo
from tests.notes.conftest import SHOP, Note, by_hand, ids, state_of

TOTAL = "symbol:src/cart.ts::Cart.total"
CLASS = "symbol:src/cart.ts::Cart"
FILE = "file:src/cart.ts"


@pytest.fixture
def anchored(shop: GitRepo, note: Note) -> str:
    ident = note(shop.path, "About totals", "--core", TOTAL, "--core", FILE, "--core", CLASS)
    shop.commit(message="note")
    return ident


def edit(shop: GitRepo, old: str, new: str, path: str = "src/cart.ts") -> None:
    file = shop.path / path
    before = file.read_text(encoding="utf-8")
    assert old in before
    file.write_text(before.replace(old, new, 1), encoding="utf-8")


def statuses(cm: Cm, shop: GitRepo, ident: str) -> dict[str, str]:
    (shown,) = cm(shop.path, "note", "show", "--json", ident).json["notes"]
    return {one["uri"]: one["status"] for group in shown["anchors"].values() for one in group}


def test_one_token_of_an_anchored_function_is_a_change_and_confirming_settles_it(
    shop: GitRepo, cm: Cm, anchored: str
) -> None:
    assert set(statuses(cm, shop, anchored).values()) == {"ok"}
    edit(shop, "a + b, 0)", "a + b, 1)")
    assert statuses(cm, shop, anchored) == {TOTAL: "changed", FILE: "changed", CLASS: "changed"}
    marked = cm(shop.path, "note", "search", "--json", "totals").json["results"][0]
    assert {one["status"] for one in marked["stale"]} == {"changed"}
    context = cm(shop.path, "retrieve", "--no-vectors", "--json", "make `Cart.total` faster").json
    assert context["notes"][0]["stale"]
    assert "changed since it was confirmed" in context["text"]
    cm(shop.path, "note", "edit", anchored, "--confirm").ok()
    assert set(statuses(cm, shop, anchored).values()) == {"ok"}


def test_confirming_says_which_anchor_is_not_there(shop: GitRepo, cm: Cm, anchored: str) -> None:
    edit(shop, "total()", "sum()")
    said = cm(shop.path, "note", "edit", anchored, "--confirm").ok().err
    assert f"{TOTAL} is not confirmed" in said
    assert f"{FILE} is not confirmed" not in said
    assert statuses(cm, shop, anchored) == {TOTAL: "gone", FILE: "ok", CLASS: "ok"}


def test_a_change_elsewhere_in_the_file_is_none_for_a_unit(shop: GitRepo, cm: Cm, anchored: str) -> None:
    edit(shop, "return new Cart()", "return new Cart( )")
    edit(shop, "/** What a customer", "/** All that a customer")
    assert statuses(cm, shop, anchored) == {TOTAL: "ok", FILE: "changed", CLASS: "ok"}


def test_a_reformat_of_the_note_is_no_change(shop: GitRepo, cm: Cm, anchored: str) -> None:
    path = shop.path / ".memory" / "notes" / f"{anchored}.md"
    text = path.read_text(encoding="utf-8")
    text = text.replace("summary: About totals", 'summary:   "About totals"   # said again').replace(
        "\n  - uri", "\n    - uri"
    )
    path.write_text(
        text.replace("\n    weight", "\n      weight").replace("\n    hash", "\n      hash"), encoding="utf-8"
    )
    assert set(statuses(cm, shop, anchored).values()) == {"ok"}


def test_a_move_within_the_file_is_no_change(shop: GitRepo, cm: Cm, anchored: str) -> None:
    whole = SHOP["src/cart.ts"]
    cut = whole.index("export function emptyCart")
    add = whole[whole.index("  add(") : whole.index("  total(")]
    head, tail = whole[:cut], whole[cut:]
    edited = tail + head.replace(add, "").replace(
        "reduce((a, b) => a + b, 0)\n  }\n", "reduce((a, b) => a + b, 0)\n  }\n\n" + add
    )
    (shop.path / "src/cart.ts").write_text(edited, encoding="utf-8")
    state = statuses(cm, shop, anchored)
    assert state[TOTAL] == "ok"
    assert state[CLASS] == "changed", "its members stand in another order"


def test_line_ends_of_a_checkout_are_no_change(shop: GitRepo, cm: Cm, anchored: str) -> None:
    for path in ("src/cart.ts",):
        data = (shop.path / path).read_bytes()
        (shop.path / path).write_bytes(data.replace(b"\n", b"\r\n"))
    assert set(statuses(cm, shop, anchored).values()) == {"ok"}


def test_what_is_gone_says_so_and_names_what_only_has_the_name(shop: GitRepo, cm: Cm, anchored: str) -> None:
    shop.write(
        {"src/basket.ts": "export class Basket { total() { return 1 } }\nexport class Cart { total() { return 2 } }\n"}
    )
    (shop.path / "src/cart.ts").unlink()
    state = state_of(cm, shop.path, anchored, TOTAL)
    assert state["status"] == "gone"
    assert state["candidates"] == ["symbol:src/basket.ts::Cart.total"]
    assert "target" not in state
    assert "nothing has moved" in cm(shop.path, "note", "follow").err


def test_the_same_text_in_two_places_is_shown_and_not_followed(shop: GitRepo, cm: Cm, anchored: str) -> None:
    text = (shop.path / "src/cart.ts").read_text()
    (shop.path / "src/cart.ts").unlink()
    shop.commit({"src/one.ts": text, "src/two.ts": text}, "twice")
    state = state_of(cm, shop.path, anchored, CLASS)
    assert state["status"] == "moved"
    assert state["candidates"] == ["symbol:src/one.ts::Cart", "symbol:src/two.ts::Cart"]
    assert cm(shop.path, "note", "follow", "--json").json["followed"] == []


def test_a_file_of_a_language_that_is_not_indexed_is_known_its_symbols_are_not(
    shop: GitRepo, cm: Cm, note: Note
) -> None:
    shop.commit({"tool.py": "def run():\n    return 1\n", "style.css": "a { color: red }\n" * 3})
    ident = note(
        shop.path, "Other files", "--core", "file:tool.py", "--core", "symbol:tool.py::run", "--core", "file:style.css"
    )
    assert statuses(cm, shop, ident) == {"file:tool.py": "ok", "symbol:tool.py::run": "unknown", "file:style.css": "ok"}
    edit(shop, "return 1", "return 2", "tool.py")
    (shop.path / "style.css").rename(shop.path / "site.css")
    assert statuses(cm, shop, ident) == {
        "file:tool.py": "changed",
        "symbol:tool.py::run": "unknown",
        "file:style.css": "moved",
    }
    shop.commit(message="moved")
    assert state_of(cm, shop.path, ident, "file:style.css")["target"] == "file:site.css"


def test_variables_are_looked_for_in_the_names_of_env_files_never_in_their_values(
    shop: GitRepo, cm: Cm, note: Note
) -> None:
    shop.write({".env": "TOKEN=very-secret\nURL=postgres://HIDDEN=1\n", ".gitignore": ".env\n", "sub/.env": "DEEP=1\n"})
    uris = ("env:TOKEN", "env:SMTP_HOST", "env:HIDDEN", "env:DEEP")
    ident = note(shop.path, "Variables", *(part for uri in uris for part in ("--core", uri)))
    assert statuses(cm, shop, ident) == {
        "env:TOKEN": "ok",
        "env:SMTP_HOST": "ok",
        "env:HIDDEN": "gone",
        "env:DEEP": "gone",
    }
    shown = cm(shop.path, "note", "show", ident)
    assert "very-secret" not in shown.out + shown.err


def test_a_getter_and_its_setter_are_one_symbol(shop: GitRepo, cm: Cm, note: Note) -> None:
    shop.commit({"box.ts": "class Box {\n  get size() { return 1 }\n  set size(n) { this.n = n }\n  n = 0\n}\n"})
    ident = note(shop.path, "Both", "--core", "symbol:box.ts::Box.size")
    edit(shop, "this.n = n", "this.n = n + 1", "box.ts")
    assert statuses(cm, shop, ident) == {"symbol:box.ts::Box.size": "changed"}


def test_an_overload_that_changes_is_a_change_of_its_function(shop: GitRepo, cm: Cm, note: Note) -> None:
    code = "export function f(a: string): string\nexport function f(a: number): number\nexport function f(a: any) { return a }\n"
    shop.commit({"over.ts": code})
    ident = note(shop.path, "Overloads", "--core", "symbol:over.ts::f")
    edit(shop, "a: string): string", "a: bigint): bigint", "over.ts")
    assert statuses(cm, shop, ident) == {"symbol:over.ts::f": "changed"}


def test_a_base_without_hashes_works_and_says_that_nobody_confirmed(shop: GitRepo, cm: Cm) -> None:
    shop.commit(by_hand("aaaaa", "By an earlier tool", FILE, TOTAL, "symbol:src/cart.ts::Nothing", "file:src/gone.ts"))
    assert statuses(cm, shop, "aaaaa") == {
        FILE: "ok",
        TOTAL: "ok",
        "symbol:src/cart.ts::Nothing": "gone",
        "file:src/gone.ts": "gone",
    }
    assert state_of(cm, shop.path, "aaaaa", TOTAL)["confirmed"] is False
    cm(shop.path, "note", "edit", "aaaaa", "--confirm").ok()
    assert "confirmed" not in state_of(cm, shop.path, "aaaaa", TOTAL)
    edit(shop, "a + b, 0)", "a + b, 2)")
    assert statuses(cm, shop, "aaaaa")[TOTAL] == "changed"


def test_verify_lists_what_a_change_touched_and_nothing_else(shop: GitRepo, cm: Cm, anchored: str, note: Note) -> None:
    prices = note(shop.path, "Prices", "--core", "symbol:src/pricing.ts::priceOf")
    other = note(shop.path, "Discounts", "--core", "symbol:src/pricing.ts::Discount.applyTo")
    shop.commit(message="base")
    edit(shop, "sku.length * 100", "sku.length * 99", "src/pricing.ts")
    touched = cm(shop.path, "note", "verify", "--changed", "HEAD", "--json").json
    assert ids(touched) == [prices]
    assert touched["checked"] == 3
    cm(shop.path, "note", "edit", prices, "--confirm").ok()
    assert cm(shop.path, "note", "verify", "--json").json["notes"] == []
    assert ids(cm(shop.path, "note", "verify", "--changed", "HEAD", "--json").json) == [prices], (
        "touched, and confirmed"
    )
    shop.commit(message="cheaper")
    edit(shop, "Math.max(0,", "Math.max(1,", "src/pricing.ts")
    shop.commit(message="not free")
    assert ids(cm(shop.path, "note", "verify", "--changed", "HEAD~1..HEAD", "--json").json) == [other]
    assert set(ids(cm(shop.path, "note", "verify", "--changed", "HEAD~2..", "--json").json)) == {prices, other}
    assert cm(shop.path, "note", "verify", "--exit-code").code == 1
    assert anchored not in ids(cm(shop.path, "note", "verify", "--json").json)


def test_anchors_are_checked_at_a_revision_too(shop: GitRepo, cm: Cm, anchored: str) -> None:
    shop.git("tag", "before")
    edit(shop, "a + b, 0)", "a + b, 1)")
    shop.commit(message="change")
    (now,) = cm(shop.path, "note", "show", "--json", "--rev", "HEAD", anchored).json["notes"]
    (then,) = cm(shop.path, "note", "show", "--json", "--rev", "before", anchored).json["notes"]
    assert {one["status"] for one in now["anchors"]["core"]} == {"changed"}
    assert {one["status"] for one in then["anchors"]["core"]} == {"ok"}


def test_a_renamed_anchor_takes_what_is_inside_along(shop: GitRepo, cm: Cm, anchored: str) -> None:
    from tests.notes.test_tools import tools_for

    tools = tools_for(shop.path)
    done = tools["rename_anchor"].call({"old_uri": FILE, "new_uri": "file:src/basket.ts"})
    assert done["notes"] == 1
    assert set(statuses(cm, shop, anchored)) == {
        "file:src/basket.ts",
        "symbol:src/basket.ts::Cart.total",
        "symbol:src/basket.ts::Cart",
    }


def test_paths_with_odd_names_can_be_anchored(shop: GitRepo, cm: Cm, note: Note) -> None:
    path = "src/a b: ключ #1.ts"
    shop.commit({path: "export const x = () => 1\n"})
    ident = note(shop.path, "Odd", "--core", f"file:{path}", "--core", f"symbol:{path}::x")
    assert statuses(cm, shop, ident) == {f"file:{path}": "ok", f"symbol:{path}::x": "ok"}
    found = cm(shop.path, "note", "search", "--json", "--anchor", f"symbol:{path}::x").json
    assert ids(found) == [ident]


def test_a_path_may_be_typed_from_the_current_folder(shop: GitRepo, cm: Cm, anchored: str) -> None:
    folder: Path = shop.path / "src"
    assert ids(cm(folder, "note", "search", "--json", "--anchor", "file:./cart.ts").json) == [anchored]
    outside = cm(folder, "note", "search", "--anchor", "file:../../etc/passwd")
    assert outside.code == 2
