"""A small shop with notes, and short ways to make and read them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Cm, GitRepo

SHOP = {
    "src/cart.ts": """\
import { priceOf } from './pricing'

/** What a customer wants to buy. */
export class Cart {
  private lines: string[] = []

  add(sku: string): number {
    this.lines.push(sku)
    return this.lines.length
  }

  total(): number {
    return this.lines.map((line) => priceOf(line)).reduce((a, b) => a + b, 0)
  }
}

export function emptyCart(): Cart {
  return new Cart()
}
""",
    "src/pricing.ts": """\
export class Discount {
  constructor(readonly percent: number) {}

  applyTo(price: number): number {
    return Math.max(0, price - (price * this.percent) / 100)
  }
}

export function priceOf(sku: string): number {
  return sku.length * 100
}
""",
    "src/session.ts": """\
export const SESSION_MINUTES = 15

export function isExpired(startedAt: number, now: number): boolean {
  return now - startedAt > SESSION_MINUTES * 60_000
}
""",
    ".env.example": "SESSION_SECRET=\nexport SMTP_HOST=mail\n",
}


@pytest.fixture
def shop(repo: GitRepo) -> GitRepo:
    repo.commit(SHOP, "shop")
    return repo


Note = Callable[..., str]


@pytest.fixture
def note(cm: Cm) -> Note:
    """Makes a note; gives its id."""

    def make(folder: Path, summary: str, *options: str, body: str = "Because.") -> str:
        made = cm(folder, "note", "create", "--summary", summary, "--body", body, "--json", *options)
        ident = made.json["id"]
        assert isinstance(ident, str)
        return ident

    return make


def ids(document: Any) -> list[str]:
    rows = document["results"] if "results" in document else document["notes"]
    return [row["id"] for row in rows]


def state_of(cm: Cm, folder: Path, ident: str, uri: str) -> dict[str, Any]:
    """What `git cm note show` says of one anchor."""
    (shown,) = cm(folder, "note", "show", "--json", ident).json["notes"]
    (found,) = [one for group in shown["anchors"].values() for one in group if one["uri"] == uri]
    assert isinstance(found, dict)
    return found


def text(repo: GitRepo, ident: str) -> str:
    return (repo.path / ".memory" / "notes" / f"{ident}.md").read_text(encoding="utf-8")


def by_hand(ident: str, summary: str, *uris: str, body: str = "By hand.", **front: str) -> dict[str, str]:
    """A note as people or an earlier tool write it: no hash."""
    lines = ["---", f"id: {ident}", f"summary: {summary}", *(f"{key}: {value}" for key, value in front.items())]
    lines += ["anchors:", *(f"  - uri: {uri}\n    weight: core" for uri in uris), "---", "", body, ""]
    return {f".memory/notes/{ident}.md": "\n".join(lines)}
