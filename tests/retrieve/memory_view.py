"""The real view over files given as text: real extraction, words and segments, nothing on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cmgit.core.facts import NONE
from cmgit.core.records import BlobKey, FileEntry
from cmgit.core.tables import FileEdges
from cmgit.git.disk import blob_oid
from cmgit.index.blobs import process_blob
from cmgit.languages.roles import role_of
from cmgit.languages.table import language_of
from cmgit.store.segments import EdgesSegment, FactsSegment, TermsSegment, TextsSegment
from cmgit.view.layout import FilePlace
from cmgit.view.sources import Read
from cmgit.view.view import Segments, View


@dataclass
class MemoryReader:
    """Files by path; a test may change or remove one after the view was made."""

    files: dict[str, bytes]

    def read(self, path: str, oid: str) -> Read | None:
        data = self.files.get(path)
        return None if data is None else Read(data, blob_oid(data, "sha1"))


@dataclass(frozen=True)
class Made:
    view: View
    reader: MemoryReader


def make_view(files: Mapping[str, str | bytes]) -> Made:
    """A complete view of exactly these files, as a cold build would give it."""
    from cmgit.index.linking import link_entries

    data = {
        path: text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for path, text in files.items()
    }
    paths = sorted(data, key=lambda path: path.encode("utf-8", "surrogateescape"))
    entries = [
        FileEntry(path, blob_oid(data[path], "sha1"), 0o100644, language_of(path, data[path][:64]) or "", role_of(path))
        for path in paths
    ]
    products = {
        BlobKey(e.oid, e.language): process_blob(BlobKey(e.oid, e.language), data[e.path], 1_000_000) for e in entries
    }
    rows = {key: row for row, key in enumerate(products)}
    edges: list[tuple[str, FileEdges]] = link_entries(entries, lambda key: products[key].facts)
    edge_rows = {path: row for row, (path, _) in enumerate(edges)}
    places = []
    for entry in entries:
        key = BlobKey(entry.oid, entry.language)
        at, facts = (0, rows[key]), products[key].facts
        linked = (0, edge_rows[entry.path]) if entry.path in edge_rows else (NONE, NONE)
        places.append(
            FilePlace(
                entry.path, entry.oid, entry.mode, entry.language, entry.role, int(facts.status), facts.size,
                at, at, at, linked,
            )
        )  # fmt: skip
    segments = Segments(
        facts=[FactsSegment.of([(key, made.facts) for key, made in products.items()])],
        terms=[TermsSegment.of([(key, made.terms) for key, made in products.items()])],
        texts=[TextsSegment.of([(key, made.texts) for key, made in products.items()])],
        edges=[EdgesSegment.of(edges)],
    )
    reader = MemoryReader(dict(data))
    tree = hashlib.sha1(b"".join(data[path] for path in paths)).hexdigest()
    return Made(View(tree, 0, places, segments, reader, 1_000_000, None), reader)


def refuse_to_embed(_: str) -> NDArray[np.float32]:
    raise AssertionError("this route must not embed")
