"""Which unit holds which term, and in which field."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cmgit.core.facts import NONE, BlobFacts, BlobStatus, ImportColumns, UnitColumns, UnitKind, empty_facts
from cmgit.core.tables import BlobTerms
from cmgit.words.recipe import words_recipe
from cmgit.words.units import blob_terms

SOURCE = b"""import { reactive } from './reactivity'
const limit = 'too many slots'

/** Renders a slot of the tree. */
export class Renderer {
  // keeps vnode order
  patchChildren(oldNode) { return compareVnodes(oldNode, `fragment ${oldNode}`) }
}
"""


def facts_of(source: bytes, units: list[tuple[UnitKind, str, int, bytes, bytes]], doc: bytes = b"") -> BlobFacts:
    """Facts with units given as (kind, name, owner, first bytes, last bytes)."""
    names = tuple(dict.fromkeys(unit[1] for unit in units))
    starts = [source.index(first) for _, _, _, first, _ in units]
    ends = [source.index(last, start) + len(last) for (*_, last), start in zip(units, starts, strict=True)]
    zeros = [0] * len(units)
    doc_start = [source.index(doc) if doc and kind == UnitKind.CLASS else 0 for kind, *_ in units]
    doc_end = [start + len(doc) if start else 0 for start in doc_start]
    columns = UnitColumns(
        kind=[int(unit[0]) for unit in units],
        name=[names.index(unit[1]) for unit in units],
        qualname=[names.index(unit[1]) for unit in units],
        owner=[unit[2] for unit in units],
        start=starts,
        end=ends,
        start_line=zeros,
        end_line=zeros,
        name_start=starts,
        name_line=zeros,
        body_start=ends,
        doc_start=doc_start,
        doc_end=doc_end,
        flags=zeros,
    )
    return replace(empty_facts("typescript", BlobStatus.PARSED, len(source)), strings=names, units=columns)


@pytest.fixture
def terms() -> BlobTerms:
    facts = facts_of(
        SOURCE,
        [
            (UnitKind.FILE, "", NONE, b"import", b"}\n}\n"),
            (UnitKind.VARIABLE, "limit", 0, b"const limit", b"slots'"),
            (UnitKind.CLASS, "Renderer", 0, b"export class", b"}\n}"),
            (UnitKind.METHOD, "patchChildren", 2, b"patchChildren", b"`) }"),
        ],
        doc=b"/** Renders a slot of the tree. */",
    )
    end = SOURCE.index(b"\n")
    imports = ImportColumns([0], [0], [0], [0], [0], [end], [1], [0], [0])
    return blob_terms(SOURCE, replace(facts, imports=imports))


def fields(terms: BlobTerms, term: str, unit: int) -> tuple[int, int, int, int, int] | None:
    """(name, owner, doc, string, body) occurrences of a term in a unit."""
    if term not in terms.terms:
        return None
    row = terms.terms.index(term)
    for position in range(terms.starts[row], terms.starts[row + 1]):
        if terms.unit[position] == unit:
            packed = terms.counts[position]
            return packed & 15, packed >> 4 & 15, packed >> 8 & 255, packed >> 16 & 255, packed >> 24 & 255
    return None


def test_each_occurrence_counts_in_its_field(terms: BlobTerms) -> None:
    assert fields(terms, "patchchildren", 3) == (1, 0, 0, 0, 1)
    assert fields(terms, "render", 3) == (0, 1, 0, 0, 0)
    assert fields(terms, "slot", 2) == (0, 0, 1, 0, 0)
    assert fields(terms, "slot", 1) == (0, 0, 0, 1, 0)
    assert fields(terms, "fragment", 3) == (0, 0, 0, 1, 0)


def test_a_token_belongs_to_the_innermost_unit_only(terms: BlobTerms) -> None:
    assert fields(terms, "comparvnode", 3) == (0, 0, 0, 0, 1)
    assert fields(terms, "comparvnode", 2) is None
    assert fields(terms, "comparvnode", 0) is None
    assert fields(terms, "vnode", 2) == (0, 0, 1, 0, 0)


def test_imports_and_keywords_are_not_words_of_a_file(terms: BlobTerms) -> None:
    assert "reactiv" not in terms.terms
    assert "return" not in terms.terms
    assert "const" not in terms.terms


def test_columns_are_sorted_whole_and_count_every_occurrence(terms: BlobTerms) -> None:
    assert list(terms.terms) == sorted(terms.terms)
    assert len(terms.starts) == len(terms.terms) + 1
    assert terms.starts[-1] == len(terms.unit) == len(terms.counts)
    assert len(terms.lengths) == 4
    for row in range(len(terms.terms)):
        span = list(terms.unit[terms.starts[row] : terms.starts[row + 1]])
        assert span == sorted(set(span))


@pytest.mark.parametrize("status", [BlobStatus.BINARY, BlobStatus.EMPTY, BlobStatus.OVERSIZED])
def test_a_skipped_blob_carries_no_searchable_text(status: BlobStatus) -> None:
    terms = blob_terms(b"binary content \0", empty_facts("javascript", status, 16))
    assert terms.terms == ()
    assert list(terms.starts) == [0]
    assert len(terms.lengths) == 0


def test_terms_do_not_depend_on_what_was_read_before() -> None:
    source = "function расчётЦены() { return сумма }".encode()
    facts = facts_of(source, [(UnitKind.FILE, "", NONE, b"function", b"}"), (UnitKind.FUNCTION, "x", 0, b"fu", b"}")])
    first = blob_terms(source, facts)
    blob_terms(b"class Other {}", facts_of(b"class Other {}", [(UnitKind.FILE, "", NONE, b"class", b"}")]))
    assert blob_terms(source, facts) == first
    assert fields(first, "расчетцен", 1) == (0, 0, 0, 0, 1)


def test_words_in_a_name_that_is_a_string_are_terms_without_stop_words() -> None:
    source = b"it('should render the slot', () => {})"
    units = [(UnitKind.FILE, "", NONE, b"it", b"})"), (UnitKind.CALLBACK, "should render the slot", 0, b"it", b"})")]
    terms = blob_terms(source, facts_of(source, units))
    assert fields(terms, "slot", 1) == (1, 0, 0, 1, 0)
    assert "the" not in terms.terms


def test_the_recipe_is_stable_within_an_installation() -> None:
    assert words_recipe() == words_recipe()
    assert len(words_recipe()) == 32
