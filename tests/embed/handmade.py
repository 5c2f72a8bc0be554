"""Blob facts made by hand, so that these tests need no parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cmgit.core.facts import (
    NONE,
    BlobFacts,
    BlobStatus,
    ExportColumns,
    ImportColumns,
    ImportKind,
    PropColumns,
    RefColumns,
    UnitColumns,
    UnitKind,
    ValueColumns,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit found in a source by its exact text."""

    kind: UnitKind
    name: str
    text: str
    owner: int = 0
    doc: str = ""


def make_facts(source: bytes, units: Sequence[Unit], imports: Sequence[str] = ()) -> BlobFacts:
    rows = [Unit(UnitKind.FILE, "", source.decode("utf-8", "surrogateescape"), NONE), *units]
    spans, docs = [], []
    for unit in rows:
        raw = unit.text.encode("utf-8", "surrogateescape")
        start = source.index(raw)
        spans.append((start, start + len(raw)))
        doc = source.index(unit.doc.encode()) if unit.doc else 0
        docs.append((doc, doc + len(unit.doc.encode())))
    names = [unit.name for unit in rows]
    strings = tuple(dict.fromkeys(names))
    index = [strings.index(name) for name in names]
    starts, ends = [span[0] for span in spans], [span[1] for span in spans]
    lines = [source.count(b"\n", 0, start) + 1 for start in starts]
    columns = UnitColumns(
        kind=[unit.kind for unit in rows],
        name=index,
        qualname=index,
        owner=[unit.owner for unit in rows],
        start=starts,
        end=ends,
        start_line=lines,
        end_line=[source.count(b"\n", 0, end) + 1 for end in ends],
        name_start=starts,
        name_line=lines,
        body_start=ends,
        doc_start=[doc[0] for doc in docs],
        doc_end=[doc[1] for doc in docs],
        flags=[0] * len(rows),
    )
    at = [source.index(text.encode()) for text in imports]
    found = len(imports)
    return BlobFacts(
        language="typescript",
        status=BlobStatus.PARSED,
        errors=0,
        size=len(source),
        lines=source.count(b"\n") + 1,
        strings=strings,
        units=columns,
        refs=RefColumns(*((),) * 8),
        imports=ImportColumns(
            [ImportKind.REEXPORT] * found,
            [0] * found,
            [NONE] * found,
            [NONE] * found,
            at,
            [start + len(text.encode()) for start, text in zip(at, imports, strict=True)],
            [1] * found,
            [0] * found,
            [0] * found,
        ),
        exports=ExportColumns(*((),) * 3),
        values=ValueColumns(*((),) * 4),
        props=PropColumns(*((),) * 4),
        args=(),
    )
