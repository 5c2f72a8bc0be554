"""Who uses what is shown: sites, plain statements, an honest ending."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cmgit.core.config import Config
from cmgit.core.records import ItemRole
from cmgit.retrieve.retrieve import retrieve
from cmgit.view.view import View

ViewOf = Callable[[Mapping[str, str | bytes]], View]
CONFIG = Config()
PAD = "// padding\n" * 400  # keeps a file from being short enough to be shown whole

FILES = {
    "src/price.ts": PAD
    + """export function roundPrice(value: number): number {
  return scale(value) / 100
}

export function scale(value: number): number {
  return Math.round(value * 100)
}
""",
    "src/cart.ts": """import { roundPrice } from './price'

export function cartTotal(lines: Line[]): number {
  return roundPrice(lines.length)
}

export const start = roundPrice(0)
""",
}


def test_call_sites_are_listed_with_their_callers_and_module_level(view_of: ViewOf) -> None:
    context = retrieve(view_of(FILES), "`roundPrice`", CONFIG)
    sites = {(site.of, site.path, site.line) for site in context.call_sites}
    assert {("roundPrice", "src/cart.ts", 4), ("roundPrice", "src/cart.ts", 7)} <= sites
    assert "Call sites of roundPrice: src/cart.ts:4 (cartTotal), src/cart.ts:7" in context.text


def test_a_dependency_of_the_root_comes_with_it(view_of: ViewOf) -> None:
    context = retrieve(view_of(FILES), "`roundPrice`", CONFIG)
    roles = {item.name: item.role for item in context.items}
    assert roles["roundPrice"] is ItemRole.ROOT
    assert roles["scale"] is ItemRole.DEPENDENCY
    assert "Nothing that roundPrice is known to need from this repository was left out." in context.text


def test_a_large_dependency_is_shown_by_its_signature_and_said_to_be_cut(view_of: ViewOf) -> None:
    body = "".join(f"  step({i}, value)\n" for i in range(200))
    files = {
        "src/a.js": PAD + "import { huge } from './b'\nexport function rootTask(x) {\n  return huge(x)\n}\n",
        "src/b.js": f"export function huge(value) {{\n{body}}}\n",
    }
    context = retrieve(view_of(files), "`rootTask`", CONFIG)
    signature = next(item for item in context.items if item.role is ItemRole.SIGNATURE)
    assert (signature.path, signature.start_line, signature.end_line) == ("src/b.js", 1, 1)
    assert "the body of 1 dependency shown by signature" in context.text


def test_no_call_site_is_stated_as_proven_only_when_every_use_is_bound(view_of: ViewOf) -> None:
    alone = {"src/a.js": PAD + "export function lonelyTask(x) {\n  return x\n}\n"}
    text = retrieve(view_of(alone), "`lonelyTask`", CONFIG).text
    assert "Call sites of lonelyTask: none found (every use of the name in this tree was bound)." in text
    unbound = {**alone, "src/b.js": "export function run(job) {\n  job.lonelyTask()\n}\n"}
    text = retrieve(view_of(unbound), "`lonelyTask`", CONFIG).text
    assert "none found (not proven: 1 use" in text


def test_many_call_sites_are_counted_and_not_all_listed(view_of: ViewOf) -> None:
    calls = "".join(f"roundPrice({i})\n" for i in range(40))
    files = {**FILES, "src/cart.ts": f"import {{ roundPrice }} from './price'\n{calls}"}
    context = retrieve(view_of(files), "`roundPrice`", CONFIG)
    assert len(context.call_sites) == 12
    assert "and 28 more" in context.text
    assert context.omitted["call_sites"] == 28
