from __future__ import annotations

import pytest
from handmade import Unit, make_facts

from cmgit.core.facts import UnitKind
from cmgit.embed.recipe import texts_recipe
from cmgit.embed.texts import MAX_WINDOWS, text_key, unit_texts
from cmgit.embed.wordpiece import MAX_TOKENS, WordPiece

FUNCTION = """\
/**
 * Compiles a template string into a render function.
 * @param source the template
 */
export function compileToFunction(source: string, options?: CompilerOptions): RenderFunction {
  // cached by content
  const cacheKey = hashOf(source)
  return compileCache[cacheKey] ?? warn('unknown template!')
}
"""
DOC = FUNCTION[: FUNCTION.index("export")].rstrip()
BODY = FUNCTION[FUNCTION.index("export") :].rstrip()


def one(found: list[tuple[int, str]]) -> str:
    assert len(found) == 1
    return found[0][1]


def test_a_function_is_embedded_by_name_doc_signature_and_body_in_words() -> None:
    facts = make_facts(FUNCTION.encode(), [Unit(UnitKind.FUNCTION, "compileToFunction", BODY, doc=DOC)])
    text = one(unit_texts(FUNCTION.encode(), facts))
    assert text.startswith("function compileToFunction compile To Function. Compiles a template string into a render ")
    assert " function. source the template: " in text
    for word in ("options", "Compiler", "cached", "content", "hash", "Of", "Key", "warn"):
        assert word in text.split(), word
    assert "const" not in text
    assert "{" not in text


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_never_change_a_key(end: str) -> None:
    unit = Unit(UnitKind.FUNCTION, "compileToFunction", BODY, doc=DOC)
    other = Unit(UnitKind.FUNCTION, "compileToFunction", BODY.replace("\n", end), doc=DOC.replace("\n", end))
    disk = FUNCTION.replace("\n", end).encode()
    in_blob = unit_texts(FUNCTION.encode(), make_facts(FUNCTION.encode(), [unit]))
    assert unit_texts(disk, make_facts(disk, [other])) == in_blob


def test_formatting_never_changes_a_text() -> None:
    loose = "function add(a, b) {\n\n    return  sum( first , second ) ;\n}"
    tight = "function add(a,b){return sum(first,second)}"
    texts = [
        unit_texts(source.encode(), make_facts(source.encode(), [Unit(UnitKind.FUNCTION, "add", source)]))
        for source in (loose, tight)
    ]
    assert texts[0] == texts[1]


def test_a_class_names_its_methods_and_leaves_their_bodies_to_them() -> None:
    method = "drain() { return flushEverything(queue) }"
    source = f"class JobQueue extends Emitter {{ limit = 5; {method} }}"
    units = [Unit(UnitKind.CLASS, "JobQueue", source), Unit(UnitKind.METHOD, "drain", method, owner=1)]
    texts = dict(unit_texts(source.encode(), make_facts(source.encode(), units)))
    assert texts[1] == "class JobQueue Job Queue: Job Queue Emitter limit drain"
    assert texts[2].startswith("method drain of Job Queue")
    assert "flush" in texts[2]


def test_an_inner_function_is_left_to_its_own_text() -> None:
    inner = f"function patch(node) {{ return reconcile(node) /* {'x ' * 120}*/ }}"
    source = f"function createRenderer(options) {{ {inner}\n return mountElement }}"
    units = [
        Unit(UnitKind.FUNCTION, "createRenderer", source),
        Unit(UnitKind.FUNCTION, "patch", inner, owner=1),
    ]
    texts = dict(unit_texts(source.encode(), make_facts(source.encode(), units)))
    assert "reconcile" not in texts[1]
    assert "patch" in texts[1]
    assert "mount" in texts[1]
    assert "reconcile" in texts[2]


def test_a_small_inner_function_is_told_with_the_outer_one() -> None:
    inner = "function patch(node) { return reconcile(node) }"
    source = f"function createRenderer(options) {{ {inner}\n return mountElement }}"
    units = [
        Unit(UnitKind.FUNCTION, "createRenderer", source),
        Unit(UnitKind.FUNCTION, "patch", inner, owner=1),
    ]
    text = one(unit_texts(source.encode(), make_facts(source.encode(), units)))
    assert "patch node reconcile" in text


def test_an_anonymous_default_export_is_named_by_nothing() -> None:
    source = "export default function () { return startServer() }"
    text = one(unit_texts(source.encode(), make_facts(source.encode(), [Unit(UnitKind.FUNCTION, "", source)])))
    assert text == "function: start Server"


def test_the_clue_at_the_end_of_300_lines_is_in_the_last_window() -> None:
    # martin-conur/quackformers#34
    words = WordPiece()
    lines = [f"  const {name} = {name[::-1]}Value + {i}" for i, name in enumerate(_names(298))]
    source = "\n".join(["function migrate() {", *lines, "  rotateEncryptionKeys('zebra quartz')", "}"])
    found = unit_texts(source.encode(), make_facts(source.encode(), [Unit(UnitKind.FUNCTION, "migrate", source)]))
    assert 1 < len(found) <= MAX_WINDOWS
    assert all(text.startswith("function migrate: ") for _, text in found)
    last = found[-1][1]
    assert "Encryption" in last
    seen = words.encode(last)[:-1]
    assert seen[-4:] == words.encode("zebra quartz")[1:-1] or len(seen) < MAX_TOKENS - 1


def _names(count: int) -> list[str]:
    syllables = ["ba", "cor", "di", "fal", "gen", "hom", "jun", "kel", "lor", "min"]
    return [f"{syllables[i % 10]}{syllables[i // 10 % 10]}{syllables[i // 100]}" for i in range(count)]


def test_windows_of_a_middling_unit_cover_every_word() -> None:
    names = _names(100)
    source = "function assemble() { return [" + ", ".join(names) + "] }"
    found = unit_texts(source.encode(), make_facts(source.encode(), [Unit(UnitKind.FUNCTION, "assemble", source)]))
    together = {word for _, text in found for word in text.split()}
    assert set(names) <= together
    assert len(found) > 1


def test_the_file_unit_is_embedded_only_where_there_is_no_other() -> None:
    source = b"retry backoff jitter\nfunction add() { return sum }"
    assert [row for row, _ in unit_texts(source, make_facts(source, []))] == [0]
    with_unit = make_facts(source, [Unit(UnitKind.FUNCTION, "add", "function add() { return sum }")])
    assert [row for row, _ in unit_texts(source, with_unit)] == [1]


def test_re_exports_and_tiny_blocks_are_not_embedded() -> None:
    source = "export * from './reactivity'\nexport { watchEffect, computed, shallowRef } from './api'\n"
    facts = make_facts(source.encode(), [Unit(UnitKind.BLOCK, "", source.strip())], source.strip().split("\n"))
    assert unit_texts(source.encode(), facts) == []


def test_encoded_data_is_left_out() -> None:
    source = "const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk' // company emblem"
    text = one(unit_texts(source.encode(), make_facts(source.encode(), [Unit(UnitKind.VARIABLE, "logo", source)])))
    assert text == "variable logo: logo company emblem"


def test_names_of_other_scripts_become_words() -> None:
    source = "function расчётЦены(скидка) { return 价格表 }"
    text = one(
        unit_texts(source.encode(), make_facts(source.encode(), [Unit(UnitKind.FUNCTION, "расчётЦены", source)]))
    )
    assert text == "function расчётЦены расчёт Цены: расчёт Цены скидка 价格表"


def test_bytes_that_are_no_text_do_no_harm() -> None:
    source = b"function f() { return '\xff\xfe\x00' + name\xd0 }"
    facts = make_facts(source, [Unit(UnitKind.FUNCTION, "f", source.decode("utf-8", "surrogateescape"))])
    assert unit_texts(source, facts)
    assert unit_texts(source[:10], facts)


def test_a_key_is_16_bytes_and_the_recipe_is_stable() -> None:
    assert len(text_key("function add")) == 16
    assert text_key("function add") == text_key("function add") != text_key("function sub")
    assert len(text_key("\ud800")) == 16
    assert texts_recipe() == texts_recipe()
