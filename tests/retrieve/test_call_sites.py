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


def test_call_sites_in_sources_stand_before_those_in_tests_and_built_files(view_of: ViewOf) -> None:
    call = "import { roundPrice } from '../src/price'\nexport function use() {\n  return roundPrice(1)\n}\n"
    tests = {f"__tests__/a{i}.test.ts": call for i in range(14)}
    others = {"dist/a.ts": call, "examples/a.ts": call, "src/z.ts": call.replace("../src", ".")}
    context = retrieve(view_of({"src/price.ts": FILES["src/price.ts"], **tests, **others}), "`roundPrice`", CONFIG)
    paths = [site.path for site in context.call_sites]
    assert paths[:3] == ["src/z.ts", "examples/a.ts", "__tests__/a0.test.ts"]
    assert "dist/a.ts" not in paths
    assert len(paths) == 12


def test_what_is_passed_on_is_listed_apart_sources_first(view_of: ViewOf) -> None:
    passed = "import { roundPrice } from '../src/price'\nexport const all = (list) => list.map(roundPrice)\n"
    files = {**FILES, "__tests__/a.test.ts": passed, "src/table.ts": passed.replace("../src", ".")}
    context = retrieve(view_of(files), "`roundPrice`", CONFIG)
    assert "Call sites of roundPrice: src/cart.ts:4 (cartTotal), src/cart.ts:7" in context.text
    line = next(line for line in context.text.splitlines() if line.startswith("Passed on as a value: roundPrice at "))
    assert line.index("src/table.ts:2") < line.index("__tests__/a.test.ts:2")
    assert [site.kind for site in context.call_sites] == ["call", "call", "value", "value"]


INNER = (
    PAD
    + """export const guard = (options) => {
  const known = options.known
  return async function guard(ctx, next) {
    if (!known.has(ctx.user)) throw new Error('guard refuses the unknown visitor')
    await next()
  }
}
"""
)


def test_a_returned_function_is_used_where_it_stands_and_the_calls_are_those_of_the_outer(view_of: ViewOf) -> None:
    files = {"src/guard.js": INNER, "src/app.js": "import { guard } from './guard'\napp.use(guard({ known }))\n"}
    context = retrieve(view_of(files), "src/guard.js:404 refuses the unknown visitor", CONFIG)
    assert "none found" not in context.text
    assert (
        "Call sites of guard: it is used where it stands, inside guard; those of the outer guard: src/app.js:2"
        in context.text
    )


def test_a_function_passed_inline_is_used_where_it_stands(view_of: ViewOf) -> None:
    source = PAD + "export function start(queue) {\n  queue.push(function drainSlowly(job) {\n    job.go()\n  })\n}\n"
    context = retrieve(view_of({"src/a.js": source}), "`drainSlowly` hangs", CONFIG)
    assert "none found" not in context.text


def test_an_inner_function_that_nobody_calls_is_still_said_to_be_unused(view_of: ViewOf) -> None:
    source = PAD + "export function start(queue) {\n  function drainSlowly(job) {\n    job.go()\n  }\n  queue.go()\n}\n"
    context = retrieve(view_of({"src/a.js": source}), "`drainSlowly` hangs", CONFIG)
    assert "Call sites of drainSlowly: none found" in context.text
