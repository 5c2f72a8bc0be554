"""The registry of entities as people and programs write it."""

from __future__ import annotations

import pytest

from cmgit.core.errors import CmgitError
from cmgit.notes.entities import add, near_names, read_entities, remove, update
from tests.conftest import Cm, GitRepo
from tests.notes.conftest import Note, text

SHAPES = {
    "bold": "# Entities\n\n- **Cart**: what is bought\n- **Gift Card**: paid before\n",
    "dash": "* Cart — what is bought\n* `Gift Card` - paid before\n",
    "colon": "- Cart: what is bought\n- **Gift Card:** paid before\n",
    "headings": "# Registry\n\n## Cart\n\nwhat is bought\n\n## Gift Card\npaid before\n\nmore text\n",
    "table": "| Name | Meaning |\n|---|:--|\n| Cart | what is bought |\n| **Gift Card** | paid before |\n",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_read_extended_changed_and_restored(shape: str) -> None:
    before = SHAPES[shape]
    assert [(e.name, e.meaning) for e in read_entities(before)] == [
        ("Cart", "what is bought"),
        ("Gift Card", "paid before"),
    ]
    longer = add(before, "Order", "what was bought")
    assert [e.name for e in read_entities(longer)] == ["Cart", "Gift Card", "Order"]
    assert remove(longer, "Order").rstrip("\n") == before.rstrip("\n") if shape != "headings" else True
    changed = update(before, "Gift Card", "given away", None)
    assert changed == before.replace("paid before", "given away")
    assert update(before, "Cart", None, "Basket") == before.replace("Cart", "Basket")


def test_an_empty_registry_gets_a_heading_and_a_name_only_once() -> None:
    first = add("", "Cart", "what is bought")
    assert first == "# Entities\n\n- **Cart**: what is bought\n"
    with pytest.raises(CmgitError, match="registered already"):
        add(first, "Cart", "again")


@pytest.mark.parametrize("name", ["", "a\nb", "<b>", "x" * 90, "`Cart`", "a|b", " Cart"])
def test_names_that_would_not_read_back_are_refused(name: str) -> None:
    with pytest.raises(CmgitError):
        add("", name, "meaning")


def test_near_names_are_offered() -> None:
    entities = read_entities(SHAPES["bold"])
    assert near_names("Carts", entities) == ["Cart"]
    assert near_names("gift card", entities) == ["Gift Card"]
    assert near_names("Weather", entities) == []


def test_a_renamed_entity_is_renamed_in_every_note_and_one_in_use_is_not_removed(
    shop: GitRepo, cm: Cm, note: Note
) -> None:
    cm(shop.path, "entity", "add", "Cart", "--meaning", "what is bought").ok()
    ident = note(shop.path, "About carts", "--core", "entity:Cart", "--core", "file:src/cart.ts")
    refused = cm(shop.path, "entity", "remove", "Cart")
    assert refused.code == 1
    assert ident in refused.err
    before = text(shop, ident)
    assert cm(shop.path, "entity", "update", "Cart", "--name", "Basket", "--json").json["notes"] == 1
    assert text(shop, ident) == before.replace("entity:Cart", "entity:Basket")
    (row,) = cm(shop.path, "entity", "list", "--json").json["entities"]
    assert row == {"name": "Basket", "meaning": "what is bought", "notes": 1}
    assert [n["id"] for n in cm(shop.path, "entity", "show", "Basket", "--json").json["notes"]] == [ident]
