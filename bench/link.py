"""Measure linking: `python bench/link.py [REPO …]`. CPU seconds of one core, machines being noisy.

Each repository is cloned into a temporary folder and built there without vectors. Said are: the seconds of a full link
and what they are for each reference, and for edits of single files, over a sample of them, the median and the worst
seconds of a relink from the snapshot on disk, with the files that were linked anew. `open` is reading the segments of
edges, `decode` reading the facts that linking looked into; both happen once in a process.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cmgit.core.config import Config
from cmgit.core.facts import CONFIG_LANGUAGE, BlobFacts
from cmgit.core.records import BlobKey, FileEntry, no_progress
from cmgit.extract.extract import extract
from cmgit.git.locate import locate
from cmgit.git.objects import open_objects
from cmgit.index.build import build
from cmgit.index.entries import entries_of
from cmgit.index.linking import link_entries, relink_entries
from cmgit.index.recipes import current_recipes
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments
from cmgit.snapshot.publish import load
from cmgit.store.segments import SegmentStore

SAMPLE = 40
CONFIG = Config(vectors=False)
BODY = b"\nfunction addedForMeasuring() { return [1].map((x) => x + 1) }\n"
EXPORT = b"\nexport function addedForMeasuring(value) { return value }\n"


@dataclass
class Edit:
    """CPU seconds of one relink, and how many files were linked anew or renumbered."""

    open: float
    decode: float
    link: float
    files: int


class Reader:
    """Facts of blobs from a snapshot's segments, with the time that decoding takes."""

    def __init__(self, manifest: Manifest, opened: OpenSegments) -> None:
        table = manifest.files
        rows = zip(table.oid, table.language, table.facts_segment.tolist(), table.facts_row.tolist(), strict=True)
        self._places = {BlobKey(oid, language): (segment, row) for oid, language, segment, row in rows if segment >= 0}
        self._opened = opened
        self.extra: dict[BlobKey, BlobFacts] = {}
        self.seconds = 0.0

    def __call__(self, key: BlobKey) -> BlobFacts | None:
        started = time.process_time()
        found = self.extra.get(key)
        if found is None and key in self._places:
            segment, row = self._places[key]
            found = self._opened.facts(segment).facts(row)
        self.seconds += time.process_time() - started
        return found


def timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def relink_after(store: SegmentStore, manifest: Manifest, entry: FileEntry, data: bytes) -> Edit:
    """A relink as a new process does it, after an edit of one file."""
    opened = OpenSegments(store, manifest.segments)
    facts_of = Reader(manifest, opened)
    edited = replace(entry, oid="f" * 40)
    facts_of.extra[BlobKey(edited.oid, edited.language)] = extract(data, entry.language, CONFIG.max_blob_bytes)
    entries = [edited if other.path == entry.path else other for other in entries_of(manifest)]

    def read() -> None:
        for index, _ in manifest.of_kind("edges"):
            segment = opened.edges(index)
            _ = (segment.arrays, segment.depend_arrays)
        for index, _ in manifest.of_kind("facts"):
            opened.facts(index).facts(0)

    opening = timed(read)
    found = []
    linking = timed(lambda: found.append(relink_entries(entries, facts_of, manifest, opened)))
    return Edit(opening, facts_of.seconds, linking - facts_of.seconds, len(found[0].fresh))


def measure(source: Path, folder: Path) -> None:
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", "--no-checkout", str(source), str(clone)], check=True)
    location = locate(str(clone))
    tree = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=clone, check=True, capture_output=True, text=True)
    build(location, tree.stdout.strip(), CONFIG, no_progress, lambda _: None)
    manifest = load(location.cm_dir, tree.stdout.strip(), current_recipes(CONFIG).snapshot)
    assert manifest is not None
    store = SegmentStore(location.cm_dir)
    whole = Reader(manifest, OpenSegments(store, manifest.segments))
    entries = entries_of(manifest)
    known = {entry: whole(BlobKey(entry.oid, entry.language)) for entry in entries}
    references = sum(len(facts.refs) for facts in known.values() if facts is not None)
    by_key = {BlobKey(entry.oid, entry.language): facts for entry, facts in known.items()}
    full = min(timed(lambda: link_entries(entries, by_key.get)) for _ in range(3))
    size = sum(ref.size for _, ref in manifest.of_kind("edges"))
    print(f"{source.parent.name}: {len(entries)} files, {references} references, edges {size / 1e6:.2f} MB")
    print(f"  full link    {full:7.3f} s   {full / references * 1e6:5.1f} µs for each reference")
    candidates = [entry for entry, facts in known.items() if entry.language != CONFIG_LANGUAGE and facts is not None]
    sample = random.Random(1).sample(candidates, min(SAMPLE, len(candidates)))
    with open_objects(location) as objects:
        for label, addition in (("body edit", BODY), ("new export", EXPORT)):
            edits = [relink_after(store, manifest, entry, objects.read_blob(entry.oid) + addition) for entry in sample]
            for name in ("link", "decode", "open"):
                column = sorted(getattr(edit, name) for edit in edits)
                middle, worst = statistics.median(column) * 1e3, column[-1] * 1e3
                print(f"  {label:10s} {name:7s} median {middle:6.1f} ms, worst {worst:6.1f}")
            files = sorted(edit.files for edit in edits)
            print(f"  {label:10s} files   median {statistics.median(files):6.0f},    worst {files[-1]:6d}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    for source in parser.parse_args().repositories:
        with tempfile.TemporaryDirectory() as folder:
            measure(source, Path(folder))


if __name__ == "__main__":
    main()
