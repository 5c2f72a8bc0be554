"""References, imports, exports and values of one blob."""

from __future__ import annotations

from cmgit.core.facts import NONE, BlobFacts, ImportKind, RefKind, ValueOp
from cmgit.extract.extract import extract


def facts_of(source: str, language: str = "typescript") -> BlobFacts:
    return extract(source.encode(), language, 1_000_000)


def references(facts: BlobFacts) -> list[tuple[str, str]]:
    refs = facts.refs
    return [(RefKind(kind).label, facts.strings[name]) for kind, name in zip(refs.kind, refs.name, strict=True)]


def test_every_kind_of_reference_is_found_in_document_order() -> None:
    source = "@dec() class A extends B implements C { x: D = new E() }\nf(); g`x`; const v = <H a={i()} />; a.b().c()\n"
    facts = facts_of(source, "tsx")
    assert references(facts) == [
        ("decorator", "dec"), ("extends", "B"), ("implements", "C"), ("type", "D"), ("new", "E"), ("call", "f"),
        ("tag", "g"), ("jsx", "H"), ("call", "i"), ("call", "b"), ("call", "c"),
    ]  # fmt: skip
    starts = list(zip(facts.refs.start, facts.refs.end, strict=True))
    assert starts == sorted(starts)


def test_a_callee_is_given_whole_and_by_its_last_identifier() -> None:
    source = "/* é */ a?.b!.c(); (0, d.e)(); f()(); g['h']()"
    facts = facts_of(source)
    raw = source.encode()
    rows = zip(facts.refs.start, facts.refs.end, facts.refs.name_start, facts.refs.name, strict=True)
    shown = [(raw[start:end].decode(), name, facts.strings[text]) for start, end, name, text in rows]
    assert [(callee, text) for callee, _, text in shown] == [
        ("a?.b!.c", "c"), ("(0, d.e)", "e"), ("f", "f"), ("f()", ""), ("g['h']", "h"),
    ]  # fmt: skip
    assert raw[shown[0][1] :].startswith(b"c(")
    assert shown[3][1] == NONE


def test_a_reference_stands_in_its_innermost_unit() -> None:
    facts = facts_of("function outer() { function inner() { f() } g() }\nh()")
    units = [facts.qualname(unit) for unit in facts.refs.unit]
    assert units[:2] == ["outer.inner", "outer"]


def test_imports_of_every_form() -> None:
    facts = facts_of(
        "import a, * as b from 'x'; import { c as d, type E } from 'y'; import 'z'; import r = require('q');\n"
        "export { f as g } from 'w'; export * from 'v'; export * as n from 'u'; import('t'); require('s')\n"
    )
    rows = facts.imports
    text = lambda index: None if index == NONE else facts.strings[index]  # noqa: E731
    found = [
        (ImportKind(kind).name, text(spec), text(imported), text(local))
        for kind, spec, imported, local in zip(rows.kind, rows.specifier, rows.imported, rows.local, strict=True)
    ]
    assert found == [
        ("ES", "x", "default", "a"), ("ES", "x", "*", "b"), ("ES", "y", "c", "d"), ("ES", "y", "E", "E"),
        ("ES", "z", None, None), ("REQUIRE", "q", "*", "r"), ("REEXPORT", "w", "f", None), ("REEXPORT", "v", "*", None),
        ("REEXPORT", "u", "*", None), ("DYNAMIC", "t", "*", None), ("REQUIRE", "s", "*", None),
    ]  # fmt: skip
    assert [facts.strings[name] for name in facts.exports.name] == ["g", "*", "n"]
    assert list(rows.type_only) == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]


def test_equal_expressions_share_a_row() -> None:
    facts = facts_of("declare const a: any\na.b.c(); a.b.c(); a.b.d()")
    values = [value for kind, value in zip(facts.refs.kind, facts.refs.value, strict=True) if kind == RefKind.CALL]
    assert values[0] == values[1] != values[2]
    assert facts.values.a[values[0]] == facts.values.a[values[2]]


def test_names_of_other_scopes_are_not_confused() -> None:
    facts = facts_of("const f = 1; function g(f) { f() }\nf()", "javascript")
    inside, outside = (facts.values.op[facts.refs.value[i]] for i in range(2))
    assert (inside, outside) == (ValueOp.PARAM, ValueOp.UNIT)


def test_deep_and_long_expressions_pass() -> None:
    chain = "a" + ".b()" * 3_000
    nested = "f(" * 2_000 + ")" * 2_000
    unions = "x = " + " || ".join(f"y{i}" for i in range(3_000))
    facts = facts_of(f"{chain};\n{nested};\n{unions};\nlast()", "javascript")
    assert len(facts.refs) == 3_000 + 2_000 + 1
    assert facts.strings[facts.refs.name[-1]] == "last"


def test_a_broken_file_keeps_its_good_references() -> None:
    facts = facts_of("import { a } from './a'\na()\nfunction ( {{ \nexport const ok = () => a()\n")
    assert ("call", "a") in references(facts)
    assert len(facts.imports) == 1


def test_the_same_bytes_give_the_same_facts() -> None:
    source = "export class A<T> { m(x: T) { return { x, n: this } } }\nexport const a = new A(); a.m(1).n.m(2)"
    assert facts_of(source) == facts_of(source)


def reads(source: str, language: str = "tsx") -> list[str]:
    """What is read without being called, as it is written, in document order."""
    facts = facts_of(source, language)
    raw, refs = source.encode(), facts.refs
    rows = zip(refs.kind, refs.start, refs.end, strict=True)
    return [raw[start:end].decode() for kind, start, end in rows if kind == RefKind.VALUE]


def test_a_function_that_is_passed_on_is_read() -> None:
    declared = "function f() {}\nimport { g, o, n } from 'x'\n"
    for use, found in {
        "const h = a ? f : g": ["f", "g"],
        "list.map(f)": ["f"],
        "const t = { f, k: g, [f]: 1, ...g }": ["f", "g", "f", "g"],
        "const t = [f.bind(this), g.call(1), o.p.apply(2)]": ["f", "g", "o", "o.p"],
        "export const h = f": ["f"],
        "if (!f || typeof f !== 'function') throw g": ["f", "f", "g"],
        "<C onClick={f} {...o}>{g}</C>": ["f", "o", "g"],
        "n.m.k; `${f}`; g`${f}`": ["n", "n.m.k", "f", "f"],
        "function k(a = f) { return g }": ["f", "g"],
        "isF(f) && f; f instanceof g && f": ["f", "f", "f", "g", "f"],
        "o.use(f as any, g!)": ["o", "f", "g"],
        "module.exports = { f }; exports.k = g": ["f", "g"],
    }.items():
        assert reads(declared + use) == found, use


def test_what_is_called_declared_exported_or_assigned_to_is_not_read() -> None:
    declared = "function f() {}\nlet v\nimport { g } from 'x'\nimport * as n from 'y'\n"
    for use in (
        "f(); new f(); <f.g />; f?.(); (f as any)(); (0, f)(); g`x`; n.a()",
        "@f class A {}",
        "class A extends g {}",
        "v = 1; v += 1; v++; f.x = 1; f.prototype.y = 2; for (v of []) {}; for ([v] of []) {}",
        "export default f",
        "export { f, g as h }",
        "type A = typeof f; type B = [f: string, g?: number]; interface I { [f: string]: number }",
        "function p(f: any, { g }: any): f is string { return f.x + g }",
        "function p(f: any): asserts f { let g; for (const v of f) g = v; return g }",
        "f: for (;;) { break f }; a.f; a?.g; ({ f: 1, g() {} }); <C f={1} a:f='' />",
        "console.log(undefined, globalThis, this)",
        "n; g.x = n",
    ):
        assert reads(declared + use) == [], use


def test_only_members_of_this_that_may_be_functions_are_read() -> None:
    body = "{ count = 0; run() { on(this.run, this.count, this.a.b); return () => this.run } }"
    assert reads(f"class A {body}") == ["this.run", "this.a.b", "this.run"]
    assert reads(f"class A extends B {body}") == ["this.run", "this.count", "this.a.b", "this.run"]


def test_a_required_name_is_read_as_what_it_brings_in() -> None:
    source = (
        "const a = require('./a'), { b } = require('./b')\nfunction f() { const { c } = a; on(a, b, c, a.d); a.e() }"
    )
    assert reads(source, "javascript") == ["a", "a", "b", "c", "a.d"]


def test_the_type_of_a_chain_of_members_is_that_of_its_last_one() -> None:
    facts = facts_of("export const f: typeof A.b.c = g\n")
    names = [
        facts.strings[name] for name, op in zip(facts.values.name, facts.values.op, strict=True) if op == ValueOp.MEMBER
    ]
    assert names == ["b", "c"]
