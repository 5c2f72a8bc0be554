"""Lines and bytes agree, whatever ends a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit_helpers import doc_of, facts_of, kinds_and_names, row_of, text_of

from cmgit.extract.lines import Lines

SOURCE = """// first
/** doc */
export function a() {
  // c
  return `x
y`
}
const b = 1
go()
class C {
  m() {}
}
// last"""


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("end", ["", "\n"], ids=["no end", "ended"])
def test_units_stand_on_the_same_lines_whatever_ends_a_line(line_break: str, end: str) -> None:
    source = (SOURCE + end).replace("\n", line_break)
    facts, plain = facts_of(source), facts_of(SOURCE + end)
    assert kinds_and_names(facts) == ["function a", "variable b", "block ", "class C", "method C.m"]
    assert facts.lines == 13
    for column in ("start_line", "end_line", "name_line", "owner", "flags", "kind"):
        assert list(getattr(facts.units, column)) == list(getattr(plain.units, column))
    assert text_of(source, facts, "a") == text_of(SOURCE, plain, "a").replace("\n", line_break)
    assert doc_of(source, facts, "a") == "/** doc */"


def test_mixed_line_ends_count_as_an_editor_counts_them() -> None:
    facts = facts_of("a()\r\nb()\nc()\rfunction d() {}\n\rfunction e() {}\r\n\r\nfunction f() {}")
    assert [facts.units.start_line[row_of(facts, name)] for name in "def"] == [4, 6, 8]
    assert facts.lines == 8


@given(st.binary(max_size=60).map(lambda data: data.replace(b"x", b"\r\n").replace(b"y", b"\n").replace(b"z", b"\r")))
def test_lines_are_those_of_splitlines(data: bytes) -> None:
    lines = Lines(data)
    split = data.splitlines(keepends=True)
    assert lines.count == max(1, len(split))
    offset = 0
    for number, line in enumerate(split, 1):
        assert lines.line_of(offset) == number
        assert lines.line_of(offset + len(line) - 1) == number
        offset += len(line)


@given(
    st.lists(
        st.sampled_from(["function a() {}", "const b = 1;", "go();", "class C { m() {} }", "/* c */", "// d", "é", ""])
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_ranges_and_lines_agree_for_any_source(parts: list[str], line_break: str) -> None:
    # `facts_of` checks every unit against an own count of the lines.
    facts_of(line_break.join(parts))
