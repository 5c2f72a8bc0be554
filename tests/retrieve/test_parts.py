"""Large units by their telling parts."""

from __future__ import annotations

from pathlib import Path

from cmgit.retrieve import parts
from cmgit.retrieve.parts import lines_of, signature_span, telling_parts
from cmgit.words.split import terms_of

BODY = b"".join(b"  step%d()\n" % i for i in range(400))
SOURCE = b"// head\nfunction big(a, b) {\n" + BODY + b"  return needle(a)\n}\n"
START = SOURCE.index(b"function")
END = SOURCE.rindex(b"}") + 1
BODY_START = SOURCE.index(b"{", START)


def weigh(term: str) -> float:
    return 1.0 if term == "needl" else 0.0


def test_parts_show_the_signature_and_the_lines_that_speak_of_the_prompt() -> None:
    spans = telling_parts(SOURCE, START, END, 2, BODY_START, weigh, 500)
    shown = [SOURCE[span.start : span.end] for span in spans]
    assert shown[0].startswith(b"function big(a, b) {")
    assert any(b"needle(a)" in piece for piece in shown)
    assert sum(map(len, shown)) <= 500


def test_parts_are_whole_lines_with_their_true_numbers() -> None:
    lines = SOURCE.split(b"\n")
    for span in telling_parts(SOURCE, START, END, 2, BODY_START, weigh, 700):
        piece = SOURCE[span.start : span.end].split(b"\n")
        assert piece == lines[span.start_line - 1 : span.end_line]


def test_a_line_larger_than_the_room_is_cut_at_a_character() -> None:
    data = ("const x = '" + "ж" * 3_000 + "'").encode()
    (span,) = telling_parts(data, 0, len(data), 1, len(data), weigh, 301)
    assert span.end - span.start <= 301
    data[span.start : span.end].decode()


def test_crlf_and_lone_cr_end_lines() -> None:
    lines = lines_of(b"a\r\nb\rc\nd", 0, 8, 1)
    assert [(line.start_line, line.end - line.start) for line in lines] == [(1, 3), (2, 2), (3, 2), (4, 1)]


def test_a_signature_ends_where_the_body_begins() -> None:
    data = b"function f(\n  a,\n  b,\n) {\n  return a\n}"
    span = signature_span(data, 0, len(data), 1, data.index(b"{"))
    assert data[span.start : span.end] == b"function f(\n  a,\n  b,\n) {"
    assert (span.start_line, span.end_line) == (1, 4)


def test_no_room_shows_nothing() -> None:
    assert telling_parts(SOURCE, START, END, 2, BODY_START, weigh, 0) == []


def test_a_line_that_is_passed_over_holds_no_term_with_a_weight() -> None:
    sources = sorted(Path(parts.__file__).parent.parent.glob("*/*.py"))[::3]
    lines = sorted({line for path in sources for line in path.read_bytes().splitlines()})[::2]
    prompts = ("change createRenderer", "isRef of a v_for is dying", "h1 xYz abilities", "размер of \\u0441lots")
    for prompt in prompts:
        terms = set(terms_of(prompt))
        weigher = parts.Weigher(terms, lambda term, terms=terms: float(term in terms))
        passed_over = [line for line in lines if not weigher.may_tell(line)]
        assert passed_over
        assert [line for line in passed_over if parts._value(line, weigher) > 0] == []
