"""Public reports about code that parsers or extractors lost: each with the value that is right."""

from __future__ import annotations

import pytest

from tests.conftest import Cm, GitRepo


def units_of(repo: GitRepo, cm: Cm) -> dict[tuple[str, str], dict[str, object]]:
    return {(unit["path"], unit["qualname"]): unit for unit in cm(repo.path, "export", "--units").lines}


def source_of(repo: GitRepo, unit: dict[str, object]) -> str:
    data = (repo.path / str(unit["path"])).read_bytes()
    return data[int(str(unit["start_byte"])) : int(str(unit["end_byte"]))].decode()


def reasons_of(repo: GitRepo, cm: Cm) -> dict[str, str]:
    cm(repo.path, "index", "--no-vectors").ok()
    return {row["path"]: row["reason"] for row in cm(repo.path, "status", "--json").json["skipped"]}


def call_targets(repo: GitRepo, cm: Cm) -> dict[tuple[str, int, str], tuple[str | None, str | None]]:
    return {
        (edge["path"], edge["line"], edge["name"]): (edge["target_path"], edge["target_name"])
        for edge in cm(repo.path, "export", "--edges").lines
        if edge["kind"] in ("call", "new", "jsx")
    }


def test_a_runaway_parse_in_an_edited_file_stops_no_answer(repo: GitRepo, cm: Cm) -> None:
    """tree-sitter/tree-sitter-typescript#323: the parser never returned; here in the reader, not the build."""
    repo.commit({"a.tsx": "export function Ok() { return <a/> }\n", "b.ts": "export function other() {}\n"})
    cm(repo.path, "index", "--no-vectors").ok()
    repo.write({"a.tsx": "export function Ok() { return <a/> }\nconst x = () => <p {{q:>r:s(t u)"})
    assert {("a.tsx", "Ok"), ("b.ts", "other")} <= set(units_of(repo, cm))
    assert "function Ok()" in cm(repo.path, "retrieve", "--no-vectors", "change `Ok`").ok().out
    repo.commit()
    assert reasons_of(repo, cm) == {"a.tsx": "runaway"}
    assert cm(repo.path, "index", "--no-vectors", "--json").json["blobs"]["parsed"] == 0  # not tried again


PARTIAL = {
    "import type": (
        "a.ts",
        'let box: import("./m").Box<number> = make();\n'
        'function take(b: import("./m").Box<number>) { return unwrap(b) }\n'
        "export function after() { return take(box) }\n",
        {"box", "take", "after"},
        {"make", "unwrap", "take"},
    ),
    "ampersand": (
        "nav.tsx",
        "import { Link } from './link'\n"
        'export const Nav = () => <Link to="/q?page=1&size=2" onClick={() => track(1)} />\n'
        "export function after() { return <Nav/> }\n",
        {"Nav", "after"},
        {"Link", "track", "Nav"},
    ),
    "ampersand in jsx": (
        "nav.jsx",
        'export const Nav = () => <a href="/q?page=1&size=2">{label()}</a>\n'
        "export function after() { return <Nav/> }\n",
        {"Nav", "after"},
        {"label", "Nav"},
    ),
}


@pytest.mark.parametrize("case", PARTIAL)
def test_what_the_grammar_rejects_costs_neither_units_nor_calls(case: str, repo: GitRepo, cm: Cm) -> None:
    """tree-sitter/tree-sitter-typescript#322 (import type) and
    tree-sitter/tree-sitter-typescript#317 (bare & in an attribute)."""
    path, source, names, calls = PARTIAL[case]
    repo.commit({path: source})
    assert reasons_of(repo, cm) == {path: "partial"}
    assert names <= {name for _, name in units_of(repo, cm)}
    assert calls <= {name for _, _, name in call_targets(repo, cm)}
    assert "Nav" not in names or "&size=2" in cm(repo.path, "retrieve", "--no-vectors", "change `Nav`").ok().out


DECORATED = """\
@Controller("/api")
export class Api {
  @Get("/u") list() { return 1 }

  @Post()
  @Roles(
    "admin",
  )
  create() { return 2 }

  plain() { return 3 }
}
export @Injectable() class Late {}
"""


def test_a_unit_begins_at_its_first_decorator(repo: GitRepo, cm: Cm) -> None:
    """tree-sitter/tree-sitter-typescript#309: a method's decorators stand beside it in the tree."""
    repo.commit({"api.ts": DECORATED})
    units = units_of(repo, cm)
    starts = {name: source_of(repo, unit).splitlines()[0].strip() for (_, name), unit in units.items()}
    assert starts["Api"] == '@Controller("/api")'
    assert starts["Api.list"] == '@Get("/u") list() { return 1 }'
    assert (starts["Api.create"], units["api.ts", "Api.create"]["start_line"]) == ("@Post()", 5)
    assert starts["Api.plain"].startswith("plain()")
    assert starts["Late"] == "export @Injectable() class Late {}"
    found = cm(repo.path, "search", "--json", "--no-vectors", "-k", "1", "Roles admin").json["results"]
    assert found[0]["qualname"] == "Api.create"


FLOW = """\
// @flow
const n = (m: any) => m
function map<T>(xs: Array<T>): T { return xs[0] }
function maybe(a: ?string) { return map([a]) }
opaque type Id = string
export function after(x: Id) { return maybe(x) }
"""


def test_flow_in_a_js_file_costs_no_function(repo: GitRepo, cm: Cm) -> None:
    """squid-protocol/gitgalaxy#2163: one generic function lost the rest of the file."""
    repo.commit({"flow.js": FLOW})
    assert {("flow.js", name) for name in ("n", "map", "maybe", "after")} <= set(units_of(repo, cm))
    targets = call_targets(repo, cm)
    assert targets["flow.js", 4, "map"] == ("flow.js", "map")
    assert targets["flow.js", 6, "maybe"] == ("flow.js", "maybe")


OVERLOADS = """\
export function pick(a: string): string
export function pick(a: number): number
export function pick(a: bigint): bigint
export function pick(a: Date, zone: TimeZoneName): Date
export function pick(a: boolean): boolean
export function pick(a: any): any {
  return a
}
export class Box {
  get(a: string): string
  get(a: number): number
  get(a: any) { return a }
}
"""


def test_overloads_are_one_symbol_whose_signatures_can_be_found(repo: GitRepo, cm: Cm) -> None:
    """entireio/entire-graph#79: signatures without a body were dropped."""
    repo.commit({"lib.ts": OVERLOADS, "types.d.ts": "export declare function ambient(a: WidgetHandle): void\n"})
    names = [unit["qualname"] for unit in cm(repo.path, "export", "--units").lines]
    assert (names.count("pick"), names.count("Box.get"), names.count("ambient")) == (1, 1, 1)
    for query, name in (("TimeZoneName", "pick"), ("WidgetHandle", "ambient")):
        found = cm(repo.path, "search", "--json", "--no-vectors", "-k", "1", query).json["results"]
        assert [row["name"] for row in found] == [name]


def test_a_declaration_file_stands_below_the_source(repo: GitRepo, cm: Cm) -> None:
    """entireio/entire-graph#79: the twin of a function in a .d.ts is not what to change."""
    repo.commit(
        {
            "lib/format-money.d.ts": "export declare function formatMoney(value: number): string\n",
            "lib/format-money.js": "export function formatMoney(value) { return '$' + value }\n",
        }
    )
    found = cm(repo.path, "search", "--json", "--no-vectors", "format money").json["results"]
    assert found[0]["path"] == "lib/format-money.js"


SUFFIXED = {
    "a.mts": ("export function fa(x: number): number { return x }\n", "fa"),
    "b.cts": ("export function fb(x: number): number { return x }\n", "fb"),
    "c.mjs": ("export function fc() {}\n", "fc"),
    "d.cjs": ("exports.fd = function fd() {}\n", "fd"),
    "e.jsx": ("export const Fe = () => <a b={1}/>\n", "Fe"),
    "f.d.mts": ("export declare function ff(): void\n", "ff"),
    "G.TS": ("export function fg(x: number): number { return <any>x }\n", "fg"),
    "H.JSX": ("export const Fh = () => <a/>\n", "Fh"),
    "run": ("#!/usr/bin/env node\nfunction fi() {}\nfi()\n", "fi"),
}


def test_every_suffix_and_a_script_without_one_is_read(repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#366: 133 files were invisible."""
    repo.commit({name: source for name, (source, _) in SUFFIXED.items()} | {"README.md": "# x\n", "notes": "fi()\n"})
    assert reasons_of(repo, cm) == {}
    assert {(name, unit) for name, (_, unit) in SUFFIXED.items()} <= set(units_of(repo, cm))
    status = cm(repo.path, "status", "--json").json
    expected = {".cjs": 1, ".cts": 1, ".jsx": 2, ".mjs": 1, ".mts": 2, ".ts": 1, "(none)": 1}
    assert (status["files"], status["suffixes"]) == (len(SUFFIXED), expected)


VUE = """\
<template><button @click="save">ok</button></template>
<script>
export default {
  methods: {
    legacySave() { return helper() },
  },
}
</script>
<script setup lang="ts">
import { helper } from './helper'
function save(x: number): void { helper() }
</script>
"""
SVELTE = """\
<script context="module" lang="ts">
  export function load(x: number): number { return x }
</script>
<script lang="ts">
  import { helper } from './helper'
  function click() { helper() }
</script>
<h1>hi</h1>
"""


def test_component_scripts_are_read_at_their_true_lines(repo: GitRepo, cm: Cm) -> None:
    """DeusData/codebase-memory-mcp#1410: shown as indexed, with no functions and no calls."""
    repo.commit(
        {
            "a.vue": VUE,
            "b.svelte": SVELTE,
            "c.vue": '<script src="./helper.ts"></script>\n',
            "helper.ts": "export function helper() {}\n",
        }
    )
    lines = {name: unit["start_line"] for (_, name), unit in units_of(repo, cm).items()}
    assert (lines["save"], lines["load"], lines["click"]) == (11, 2, 6)
    assert next(line for name, line in lines.items() if name.endswith("legacySave")) == 5
    targets = call_targets(repo, cm)
    for place in (("a.vue", 11, "helper"), ("b.svelte", 6, "helper")):
        assert targets[place] == ("helper.ts", "helper")
    callers = cm(repo.path, "callers", "--json", "helper").json["units"][0]["callers"]
    assert {row["path"] for row in callers} >= {"a.vue", "b.svelte"}
