"""Components: script blocks and frontmatter, at their places in the outer file."""

from __future__ import annotations

import time

import pytest
from unit_helpers import facts_of, kinds_and_names, row_of, text_of

from cmgit.core.facts import BlobStatus
from cmgit.extract.embedded import embedded_text

VUE = """<template>
  <div @click="go">{{ a > b }}</div>
</template>
<!-- <script>function commented() {}</script> -->
<script lang="ts">
/** Options. */
export default { name: "Zoë", methods: { foo() {} } }
</script>
<script setup lang="ts" generic="T extends Record<string, X>">
import { ref } from "vue"
const n = ref<number>(0)
function go(): void { n.value++ }
</script>
<style lang="scss">.a { color: red }</style>
"""


# DeusData/codebase-memory-mcp#1410: "indexed" and empty.
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_both_scripts_of_a_vue_component_are_read_with_true_offsets(line_break: str) -> None:
    source = VUE.replace("\n", line_break)
    facts = facts_of(source, "vue")
    assert facts.status is BlobStatus.PARSED
    assert kinds_and_names(facts) == ["variable ", "method methods.foo", "variable n", "function go"]
    assert text_of(source, facts, "go") == "function go(): void { n.value++ }"
    assert facts.units.start_line[row_of(facts, "go")] == 12
    assert text_of(source, facts, "methods.foo") == "foo() {}"
    assert (facts.units.start[0], facts.units.end[0]) == (0, len(source.encode()))


def test_a_component_without_code_is_a_unit_itself() -> None:
    facts = facts_of("<template><p/></template>\n", "vue")
    assert (facts.status, len(facts.units), facts.lines) == (BlobStatus.PARSED, 1, 1)


def test_a_component_in_plain_javascript_needs_no_lang() -> None:
    facts = facts_of("<script>\nexport default { data() { return {} } }\n</script>", "vue")
    assert kinds_and_names(facts) == ["variable ", "method data"]


def test_a_component_in_tsx_is_read_as_tsx() -> None:
    facts = facts_of('<script lang="tsx">\nconst A = (p: P) => <b>{p.x}</b>;\n</script>', "vue")
    assert (facts.status, kinds_and_names(facts)) == (BlobStatus.PARSED, ["function A"])


def test_a_script_that_stands_elsewhere_is_an_import_of_it() -> None:
    source = b'<script lang="ts" src="./impl.ts"></script>\n<template/>\n'
    text, grammars = embedded_text(source, "vue")
    assert text.split() == [b"import", b'"./impl.ts"']
    assert (len(text), text.index(b"import")) == (len(source), 0)
    assert text.index(b'"./impl.ts"') == source.index(b'"./impl.ts"')
    assert grammars[0] == "typescript"
    assert facts_of(source, "vue").status is BlobStatus.PARSED


def test_svelte_scripts_on_one_line_are_one_module() -> None:
    source = '<script context="module">export function g() {}</script><script>let a = 1; function f() {}</script><p/>'
    facts = facts_of(source, "svelte")
    assert facts.status is BlobStatus.PARSED
    assert kinds_and_names(facts) == ["function g", "variable a", "function f"]


def test_svelte_typescript_is_read() -> None:
    code = "let { a }: Props = $props();\nconst d = $derived(a * 2);\n$: b = a;\n"
    source = f'<script lang="ts">\n{code}</script>\n{{#if a}}x{{/if}}'
    facts = facts_of(source, "svelte")
    assert (facts.status, kinds_and_names(facts)) == (BlobStatus.PARSED, ["variable a", "variable d", "block "])


def test_astro_frontmatter_and_scripts_are_read_and_data_is_not() -> None:
    source = """---
import X from "./X.astro";
const { a } = Astro.props as Props;
function f(): string { return "---" }
---
<X a={a}>{list.map((x) => <li>{x}</li>)}</X>
<script>
function g() {}
</script>
<script type="application/ld+json">{"a": 1}</script>
"""
    facts = facts_of(source, "astro")
    assert facts.status is BlobStatus.PARSED
    assert kinds_and_names(facts) == ["variable a", "function f", "function g"]
    assert facts.units.start_line[row_of(facts, "g")] == 8


def test_an_astro_file_without_frontmatter_is_a_unit_itself() -> None:
    assert kinds_and_names(facts_of("<p>---</p>\n", "astro")) == []


def test_an_error_in_a_script_is_counted() -> None:
    facts = facts_of("<script>\nfunction a() {}\nfunction ( {\n</script>\n", "vue")
    assert facts.status is BlobStatus.PARTIAL
    assert "function a" in kinds_and_names(facts)


@pytest.mark.parametrize("piece", [b"<script ", b'<script "', b"<script {", b"<style a='", b"<script a=<"])
def test_tags_that_never_end_are_no_work(piece: bytes) -> None:
    """Twelve thousand of them took minutes."""
    started = time.process_time()
    embedded_text(b"<script>a()</script>\n" + piece * 12_000, "vue")
    assert time.process_time() - started < 2


@pytest.mark.parametrize("comment", ["@param {x}" + " " * 60_000, "@p{" * 20_000, "@p {" * 20_000, "@p " * 20_000])
def test_doc_comments_that_never_end_are_no_work(comment: str) -> None:
    """60,000 blanks took minutes."""
    started = time.process_time()
    facts_of(f"/** {comment}*/\nfunction g(a) {{ return 1 }}\n".encode(), "javascript")
    assert time.process_time() - started < 4
