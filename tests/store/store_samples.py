"""Random but consistent facts, terms, texts and edges, and ways to compare them by what they say."""

from __future__ import annotations

import dataclasses
import random
from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cmgit.core.facts import (
    NONE,
    BlobFacts,
    BlobStatus,
    ExportColumns,
    ImportColumns,
    PropColumns,
    RefColumns,
    UnitColumns,
    ValueColumns,
    empty_facts,
)
from cmgit.core.records import BlobKey
from cmgit.core.tables import BlobTerms, BlobTexts, FileDepends, FileEdges

ODD_STRINGS = ("", "a\0b", "\1", "\1\2", "\0", "naïve", "имя", "名前", "\udcff\udc80", "\ud800", "😀", "a\nb")
LANGUAGES = ("javascript", "typescript", "tsx", "vue")
TABLES = {
    "units": UnitColumns,
    "refs": RefColumns,
    "imports": ImportColumns,
    "exports": ExportColumns,
    "values": ValueColumns,
    "props": PropColumns,
}
STRING_COLUMNS = {"name", "qualname", "specifier", "imported", "local"}
NEVER_NONE = {
    ("units", "kind"), ("units", "flags"), ("refs", "kind"), ("imports", "kind"), ("imports", "type_only"),
    ("values", "op"), ("props", "static"),
}  # fmt: skip


def key(number: int, language: str = "typescript") -> BlobKey:
    return BlobKey(f"{number:040x}", language)


def facts(seed: int, rows: int = 12) -> BlobFacts:
    """Facts whose columns hold anything that an int column may: near, far and absent values, in lists and arrays."""
    r = random.Random(seed)
    if r.random() < 0.1:
        return empty_facts(r.choice(LANGUAGES), BlobStatus.OVERSIZED, r.choice([0, 5_000_000_000]))
    strings = tuple(r.sample(ODD_STRINGS, r.randrange(1, len(ODD_STRINGS))) + [f"n{r.randrange(30)}" for _ in range(9)])

    def column(table: str, name: str, length: int) -> Sequence[int]:
        low = 0 if (table, name) in NEVER_NONE else NONE
        high = len(strings) - 1 if name in STRING_COLUMNS else r.choice([1, 9, 300, 70_000, 900_000_000])
        values = [r.randint(low, high) for _ in range(length)]
        return array("i", values) if r.random() < 0.3 else tuple(values) if r.random() < 0.3 else values

    def table(name: str) -> dict[str, Sequence[int]]:
        length = r.randrange(rows + 1)
        return {field.name: column(name, field.name, length) for field in dataclasses.fields(TABLES[name])}

    return BlobFacts(
        language=r.choice(LANGUAGES),
        status=BlobStatus(r.randrange(10)),
        errors=r.randrange(5),
        size=r.choice([0, 10, 70_000, 6_000_000_000]),
        lines=r.randrange(9000),
        strings=strings,
        units=UnitColumns(**table("units")),
        refs=RefColumns(**table("refs")),
        imports=ImportColumns(**table("imports")),
        exports=ExportColumns(**table("exports")),
        values=ValueColumns(**table("values")),
        props=PropColumns(**table("props")),
        args=[r.randint(0, 40) for _ in range(r.randrange(rows))],
    )


def said(facts: BlobFacts) -> dict[str, object]:
    """What facts say, with names in place of string indices: equal for equal facts in any segment."""
    out: dict[str, object] = {
        "head": (facts.language, facts.status, facts.errors, facts.size, facts.lines),
        "args": list(facts.args),
    }
    for table in TABLES:
        columns = getattr(facts, table)
        for field in dataclasses.fields(columns):
            values = list(getattr(columns, field.name))
            if field.name in STRING_COLUMNS:
                values = [None if value == NONE else facts.strings[value] for value in values]
            out[f"{table}.{field.name}"] = values
    return out


def facts_items(seed: int, count: int) -> list[tuple[BlobKey, BlobFacts]]:
    """The key's language is that of the facts, as the extractor gives them."""
    made = [facts(seed * 1000 + i) for i in range(count)]
    return [(key(seed * 1000 + i, fact.language), fact) for i, fact in enumerate(made)]


def terms(seed: int, vocabulary: int = 40, units: int = 6) -> BlobTerms:
    r = random.Random(seed)
    names = sorted({r.choice([f"t{r.randrange(vocabulary)}", *ODD_STRINGS[5:9]]) for _ in range(r.randrange(12))})
    starts, unit, counts = [0], [], []
    for _ in names:
        rows = sorted(r.sample(range(units), r.randrange(1, units)))
        unit += rows
        counts += [r.choice([1, 17, 1 << 24, (1 << 32) - 1]) for _ in rows]
        starts.append(len(unit))
    return BlobTerms(tuple(names), starts, unit, counts, [r.randrange(900) for _ in range(units)])


def terms_items(seed: int, count: int) -> list[tuple[BlobKey, BlobTerms]]:
    return [(key(seed * 1000 + i), terms(seed * 1000 + i)) for i in range(count)]


def text_key(number: int) -> bytes:
    return random.Random(number).randbytes(16)


def texts(seed: int, pool: int = 50) -> BlobTexts:
    r = random.Random(seed)
    unit = sorted(r.randrange(20) for _ in range(r.randrange(8)))
    return BlobTexts(unit, [text_key(r.randrange(pool)) for _ in unit])


def texts_items(seed: int, count: int) -> list[tuple[BlobKey, BlobTexts]]:
    return [(key(seed * 1000 + i), texts(seed * 1000 + i)) for i in range(count)]


def vectors(numbers: Sequence[int]) -> tuple[list[bytes], npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    matrix = np.stack(
        [np.random.default_rng(n).integers(-127, 128, 384).astype(np.int8) for n in numbers] or [np.zeros(384, np.int8)]
    )[: len(numbers)]
    scales = np.array([1 / (n + 3) for n in numbers], np.float32)
    return [text_key(n) for n in numbers], matrix, scales


def edges(seed: int) -> FileEdges:
    r = random.Random(seed)
    paths = tuple(r.sample(["a.ts", "b/c.vue", "\udcff.js", "x\ny.ts", "é.ts"], 3))
    rules = ("scope", f"rule{r.randrange(3)}")
    n = r.randrange(9)

    def column(low: int, high: int) -> list[int]:
        return [r.randint(low, high) for _ in range(n)]

    return FileEdges(
        paths=paths,
        rules=rules,
        is_import=column(0, 1),
        source=column(0, 5000),
        target_path=column(-1, 2),
        target_unit=column(-1, 300),
        confidence=column(0, 1),
        rule=column(0, 1),
        status=column(0, 2),
        depends=depends(seed),
    )


def depends(seed: int) -> FileDepends:
    r = random.Random(seed + 1)
    names = tuple(r.sample(["a.ts", "", "\udcff.js", "<{}", "é.ts", "global x"], 4))
    n = r.randrange(9)
    limits = ((0, 5), (-1, 3), (0, 3), (-5000, 5000), (0, 300))
    return FileDepends(names, *([r.randint(low, high) for _ in range(n)] for low, high in limits))


def edges_said(edges: FileEdges) -> list[tuple[object, ...]]:
    """Edges with paths and rules in place of their indices."""
    targets = [None if i == NONE else edges.paths[i] for i in edges.target_path]
    rules = [edges.rules[i] for i in edges.rule]
    columns = (edges.is_import, edges.source, targets, edges.target_unit, edges.confidence, rules, edges.status)
    return list(zip(*columns, strict=True))


def edges_items(seed: int, count: int) -> list[tuple[str, FileEdges]]:
    return [(f"src/{seed}/f{i}\udc80.ts", edges(seed * 1000 + i)) for i in range(count)]
