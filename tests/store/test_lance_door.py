"""Readers load the file reader of Lance, and nothing of its package."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from store_samples import edges_items, facts_items, terms_items, texts_items, vectors

from cmgit.core.errors import SegmentDamaged
from cmgit.store.segment_file import BLOCK_COLUMN, SegmentFile, find_places, places_of
from cmgit.store.segments import SegmentStore


def run(code: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_the_door_loads_the_file_reader_without_the_package_body() -> None:
    loaded = run(
        "import sys; from cmgit.store.lance_door import lance_file; lance_file().LanceFileReader;"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] == 'lance'))"
    )
    assert loaded == ["lance", "lance.file", "lance.lance"]


def test_a_package_that_somebody_loaded_before_is_left_alone() -> None:
    assert run(
        "import lance, sys; before = sys.modules['lance']; from cmgit.store.lance_door import lance_file;"
        "print(sys.modules['lance'] is before, lance_file() is lance.file, hasattr(lance, 'dataset'))"
    ) == ["True", "True", "True"]


def test_where_the_bare_package_fails_the_plain_import_is_used() -> None:
    code = (
        "import importlib, sys\n"
        "real, calls = importlib.import_module, []\n"
        "def first_fails(name, package=None):\n"
        "    calls.append(name)\n"
        "    if len(calls) == 1: raise ImportError(name)\n"
        "    return real(name, package)\n"
        "importlib.import_module = first_fails\n"
        "from cmgit.store.lance_door import lance_file\n"
        "print(lance_file().__name__, 'lance.dataset' in sys.modules)"
    )
    assert run(code) == ["lance.file", "True"]


@pytest.mark.parametrize("module", ["cmgit.store.segments", "cmgit.snapshot.publish", "cmgit.snapshot.manifest"])
def test_importing_the_store_loads_neither_lance_nor_arrow(module: str) -> None:
    loaded = run(f"import sys, {module}; print(*[m for m in sys.modules if m.split('.')[0] in ('lance', 'pyarrow')])")
    assert loaded == []


def test_a_segment_with_known_places_is_read_without_lance_and_arrow(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    refs = [
        store.write_facts("r", facts_items(1, 9)),
        store.write_terms("r", terms_items(1, 30)),
        store.write_texts("r", texts_items(1, 9)),
        store.write_edges("r", edges_items(1, 9)),
        store.write_vectors("r", *vectors(range(9))),
    ]
    code = (
        "import sys; from cmgit.store.refs import SegmentRef; from cmgit.store.segments import SegmentStore\n"
        f"store = SegmentStore({str(tmp_path)!r})\n"
        f"facts, terms, texts, edges, vectors = [SegmentRef(**said) for said in {[asdict(ref) for ref in refs]!r}]\n"
        "store.open_facts(facts).facts(3); store.open_terms(terms).all_postings(); store.open_texts(texts).texts(2)\n"
        "store.open_edges(edges).depends(1); store.open_vectors(vectors).matrix\n"
        "print(*[m for m in sys.modules if m.split('.')[0] in ('lance', 'pyarrow')])"
    )
    assert run(code) == []


@pytest.mark.parametrize("seed", range(4))
def test_lance_reads_the_same_bytes_as_the_noted_places(tmp_path: Path, seed: int) -> None:
    store = SegmentStore(str(tmp_path))
    refs = [
        store.write_facts("r", facts_items(seed, 7 * seed)),
        store.write_terms("r", terms_items(seed, 400 * seed)),
        store.write_texts("r", texts_items(seed, seed)),
        store.write_edges("r", edges_items(seed, 5 * seed)),
        store.write_vectors("r", *vectors(range(90 * seed))),
    ]
    for ref in refs:
        noted = dict(ref.places)
        names = [name for name in noted if name != BLOCK_COLUMN]
        quick, lance = SegmentFile(store.path(ref), ref), SegmentFile(store.path(ref), replace(ref, places=()))
        assert {n: bytes(t) for n, t in quick.tables(names).items()} == {
            n: bytes(t) for n, t in lance.tables(names).items()
        }
        blocks = range(len(noted.get(BLOCK_COLUMN, ())) // 2)
        assert [*map(bytes, quick.blocks(blocks))] == [*map(bytes, lance.blocks(blocks))]
        assert places_of(store.path(ref)) == ref.places  # as a builder finds them whose manifest was lost


def test_a_value_that_does_not_stand_in_the_file_in_one_piece_has_no_place() -> None:
    data = b"..one..tw.o..three.."
    assert find_places(data, {"a": [b"one"], "b": [b"two"], "block": [b"three", b"nine"]}) == (("a", (2, 3)),)
    assert find_places(data, {"late": [b"three"], "early": [b"one"], "none": []}) == (
        ("late", (13, 5)),
        ("early", (2, 3)),
    )


def test_a_file_that_is_shorter_than_its_places_is_damaged(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path))
    ref = store.write_facts("r", facts_items(1, 9))
    file = SegmentFile(store.path(ref), ref)
    store.path(ref).write_bytes(store.path(ref).read_bytes()[:30])
    with pytest.raises(SegmentDamaged, match="cut short"):
        file.tables(["strings"])
