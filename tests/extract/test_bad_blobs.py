"""Bad input is data: it has a status, good parts stay, nothing hangs and nothing raises."""

from __future__ import annotations

import pytest
from unit_helpers import facts_of, flags_of, kinds_and_names, row_of, text_of

from cmgit.core.facts import BlobStatus, UnitFlag
from cmgit.extract.extract import extract
from cmgit.extract.parse import Runaway, parse

BUNDLE_STATEMENT = "const f=function(a,b){return a+b};"
DEEP = 5_000


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", BlobStatus.EMPTY),
        (b" \n\t\r\n", BlobStatus.EMPTY),
        (b"\xef\xbb\xbf\n", BlobStatus.EMPTY),
        (b"const a = 1;\0", BlobStatus.BINARY),
        ("function a() {}".encode("utf-16"), BlobStatus.BINARY),
        ("функция".encode("utf-16-be"), BlobStatus.BINARY),
        (bytes(range(128, 256)) * 8, BlobStatus.BINARY),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", BlobStatus.LFS_POINTER),
        (BUNDLE_STATEMENT.encode() * 240_000, BlobStatus.OVERSIZED),
        (BUNDLE_STATEMENT.encode() * 6_000, BlobStatus.MINIFIED),
    ],
    ids=["empty", "blank", "only a mark", "NUL", "UTF-16", "UTF-16 without a mark", "bytes", "LFS", "8 MB", "bundle"],
)
# sourcegraph#15581: the reason was stored as content, so that searches found it.
def test_a_blob_that_is_not_parsed_has_a_reason_and_nothing_else(data: bytes, status: BlobStatus) -> None:
    facts = extract(data, "javascript", 1_000_000)
    assert facts.status is status
    assert (facts.size, len(facts.units), facts.strings) == (len(data), 0, ())


def test_one_byte_is_a_file() -> None:
    assert kinds_and_names(facts_of("x")) == ["block "]


def test_the_size_limit_counts_bytes_and_includes_itself() -> None:
    data = "const ä = 1;".encode()
    assert extract(data, "javascript", len(data)).status is BlobStatus.PARSED
    assert extract(data, "javascript", len(data) - 1).status is BlobStatus.OVERSIZED


# dean0x/skim#395: a test on the average line dropped whole modules.
@pytest.mark.parametrize("length", [2_000, 300_000])
def test_a_long_string_does_not_make_a_module_a_bundle(length: int) -> None:
    source = 'export const data = "' + "aGVsbG8=" * (length // 8) + '";\n' + "function f() {}\n" * 29
    facts = facts_of(source, "javascript")
    assert facts.status is BlobStatus.PARSED
    assert len(facts.units) == 31
    assert facts.lines == 30


def test_a_small_file_on_one_line_is_parsed() -> None:
    facts = facts_of(BUNDLE_STATEMENT.replace("const f", "var f") * 100, "javascript")
    assert facts.status is BlobStatus.PARSED
    assert len(facts.units) == 101


# tree-sitter-typescript#323: the parser never returned.
@pytest.mark.parametrize("head", ["", "export function before() { return 1 }\n", "const x = 1;\n" * 500])
def test_a_parser_that_runs_away_is_stopped_and_what_stands_before_is_kept(head: str) -> None:
    facts = facts_of(head + "<p {{q:>r:s(t u)", "tsx")
    assert facts.status is BlobStatus.RUNAWAY
    assert len(facts.units) == (len(facts_of(head, "tsx").units) if head else 0)
    assert facts_of("const after = 1;", "tsx").status is BlobStatus.PARSED


def test_the_parser_is_stopped_by_a_count_so_that_every_machine_agrees() -> None:
    text = b"const a = 1;\n<p {{q:>r:s(t u)"
    stopped = parse(text, "tsx")
    assert isinstance(stopped, Runaway)
    assert stopped == parse(text, "tsx")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf"])
@pytest.mark.parametrize("first", [b"", b"#!/usr/bin/env node\n"])
def test_a_byte_order_mark_is_no_part_of_any_unit(mark: bytes, first: bytes) -> None:
    data = mark + first + b"function a() {}\nconst b = 1;\n"
    facts = facts_of(data, "javascript")
    assert facts.status is BlobStatus.PARSED
    assert text_of(data, facts, "a") == "function a() {}"
    assert facts.units.start_line[row_of(facts, "a")] == 1 + len(first.splitlines())
    assert facts.units.start[0] == len(mark)


def test_bytes_that_are_not_utf8_are_kept_in_place() -> None:
    data = "// café, Straße\nfunction a() { return 'ü' }\nconst b = 1;\n".encode("latin-1")
    facts = facts_of(data, "javascript")
    assert facts.status is BlobStatus.PARSED
    assert kinds_and_names(facts) == ["function a", "variable b"]
    row = row_of(facts, "b")
    assert data[facts.units.start[row] : facts.units.end[row]] == b"const b = 1;"


def test_names_in_any_script_are_names() -> None:
    source = "function приветМир() {}\nconst 索引 = () => 1;\nclass Zoë { 名前() {} }\n// 🦀\nfunction last() {}\n"
    facts = facts_of(source)
    assert kinds_and_names(facts) == [
        "function приветМир",
        "function 索引",
        "class Zoë",
        "method Zoë.名前",
        "function last",
    ]
    assert text_of(source, facts, "last") == "function last() {}"


@pytest.mark.parametrize(
    "source",
    [
        "var x = " + "[" * DEEP + "]" * DEEP,
        "var x = " + "(" * DEEP + "1" + ")" * DEEP,
        "function a() {\n" * DEEP + "}\n" * DEEP,
        "if (x) {" * DEEP + "}" * DEEP,
        "a = " + "{ a: " * DEEP + "1" + "}" * DEEP,
        "a" + ".b()" * DEEP,
        "x = " + "f(" * DEEP + ")" * DEEP,
        "x = " + "<a>" * DEEP + "</a>" * DEEP,
        "let x: " + "A<" * DEEP + "B" + ">" * DEEP,
        "namespace " + ".".join("a" * DEEP) + " {}",
        "x = " + "() => " * DEEP + "1",
        "x = " + "1 + " * DEEP + "1",
        "x = " + "a ? b : " * DEEP + "1",
        "class A { m() {\n" * DEEP + "} }\n" * DEEP,
        "describe('x', () => {\n" * DEEP + "})\n" * DEEP,
    ],
    ids=lambda source: source[:14].strip(),
)
def test_nesting_of_5000_passes(source: str) -> None:
    facts = extract(source.encode(), "tsx", 1_000_000)
    assert facts.status is BlobStatus.PARSED
    assert sum(map(len, facts.strings)) < 10_000_000


# tree-sitter-typescript#322: still an error in the grammar.
def test_an_import_type_with_arguments_costs_no_unit() -> None:
    source = """let box: import("./m").Box<number> = make();
function p(a: import('./m').Box<number>) {}
function q(a?: import("@babel/types").Statement[]) {}
class A { m(x: import("./m").Box<number>) {} n() {} }
const mod = await importOriginal<typeof import("@/common")>();
function last() {}
"""
    facts = facts_of(source)
    assert facts.status is BlobStatus.PARTIAL
    assert facts.errors > 0
    expected = ["variable box", "function p", "function q", "class A", "method A.m", "method A.n"]
    assert kinds_and_names(facts) == [*expected, "variable mod", "function last"]
    assert text_of(source, facts, "box") == 'let box: import("./m").Box<number> = make();'


def test_variance_of_type_parameters_costs_no_unit() -> None:
    source = """export interface Box<
  out Output = unknown,
  in Input extends string = never,
> extends Base<Output> { get(): Output }
interface Both<in out T> { x: T }
for (const key in Table) run(key);
function last() {}
"""
    facts = facts_of(source)
    assert facts.status is BlobStatus.PARTIAL
    assert kinds_and_names(facts) == ["interface Box", "interface Both", "block ", "function last"]
    assert not flags_of(facts, "Box") & UnitFlag.PARTIAL


# tree-sitter-typescript#317: still an error in the grammars.
@pytest.mark.parametrize("language", ["tsx", "javascript"])
def test_an_ampersand_in_an_attribute_costs_no_unit(language: str) -> None:
    source = 'export const Nav = () => <Link to="/q?page=1&size=2" />\nexport function after() { return <Nav/> }\n'
    facts = facts_of(source, language)
    assert facts.status is BlobStatus.PARTIAL
    assert facts.errors > 0
    assert kinds_and_names(facts) == ["function Nav", "function after"]
    assert flags_of(facts, "Nav") & UnitFlag.PARTIAL
    assert not flags_of(facts, "after") & UnitFlag.PARTIAL


# squid-protocol/gitgalaxy#2163: one generic function lost the whole file.
def test_flow_types_in_a_js_file_cost_no_function() -> None:
    source = """// @flow
import type { Node } from "react";
const n = (m: any): number => m;
function map<T>(xs: Array<T>): T { return xs[0] }
export type Props = {| a: ?string |};
function maybe(a: ?string) {}
opaque type Id = string;
class Store { state: State = {}; get(): Id {} }
export default function App(props: Props): Node { return <Link a={1} /> }
"""
    facts = facts_of(source, "javascript")
    names = kinds_and_names(facts)
    for name in ("function n", "function map", "function maybe", "class Store", "method Store.get", "function App"):
        assert name in names


def test_a_broken_function_leaves_the_others_whole() -> None:
    source = "function a() { return 1 }\nfunction b( { return 2 }\nfunction c() { return 3 }\nconst d = () => 4;\n"
    facts = facts_of(source)
    assert facts.status is BlobStatus.PARTIAL
    assert {"function a", "function c", "function d"} <= set(kinds_and_names(facts))
    assert flags_of(facts, "c") == 0


def test_both_sides_of_a_conflict_are_units_at_their_own_lines() -> None:
    source = """function before() {}
<<<<<<< HEAD
function ours() { return 1 }
||||||| merged common ancestors
function base() {}
=======
function theirs() { return 2 }
>>>>>>> feature/x
function after() {}
"""
    facts = facts_of(source)
    assert facts.status is BlobStatus.CONFLICTED
    assert kinds_and_names(facts) == ["function before", "function ours", "function theirs", "function after"]
    assert facts.units.start_line[row_of(facts, "theirs")] == 7


def test_a_conflict_that_splits_a_function_is_read_by_its_first_side() -> None:
    source = (
        "<<<<<<< ours\r\nfunction a(x) {\r\n=======\r\nfunction a(y, z) {\r\n>>>>>>> theirs\r\n  run()\r\n}\r\nb();\r\n"
    )
    facts = facts_of(source)
    assert facts.status is BlobStatus.CONFLICTED
    assert kinds_and_names(facts) == ["function a", "block "]
    assert (facts.units.start_line[1], facts.units.end_line[1]) == (2, 7)


def test_conflict_markers_in_a_string_are_no_conflict() -> None:
    facts = facts_of("const doc = `\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n`;\n")
    assert facts.status is BlobStatus.PARSED


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx", "vue", "svelte", "astro"])
@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe",
        b"<<<<<<<",
        b"=======\n>>>>>>> x\n<<<<<<< y\n",
        b"#!",
        b"\r",
        b"---",
        b"<script>",
        b"<script src='",
        b"</script><script lang=ts>function f(",
        b"export default",
        b"export {",
        b"class {",
        b"const = ;",
        b"module.exports =",
        b"a.b.c = function",
        b"describe(",
        b"@",
        b"@dec",
        b"`${",
        b"\\u0061 = function() {}",
        b"\x1b[31m",
        "\u2028function a(){}".encode(),
    ],
)
def test_scraps_do_not_raise(data: bytes, language: str) -> None:
    facts_of(data, language)
