"""What a build did, for people and for `--json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from cmgit.core.records import Pending


@dataclass(frozen=True, slots=True)
class BuildReport:
    """tree, recipe: of the snapshot. files: sources with facts. vectors: of its texts. skipped: blobs by reason.
    parsed, reused: blobs. embedded, vectors_reused: distinct texts. Bytes: of the sources that are indexed, of the
    snapshot's segments without vectors, of its vectors. seconds: by stage, and "total"."""

    tree: str
    recipe: str
    files: int
    units: int
    edges: int
    vectors: int
    parsed: int
    reused: int
    skipped: Mapping[str, int]
    embedded: int
    vectors_reused: int
    source_bytes: int
    snapshot_bytes: int
    vector_bytes: int
    pending: Pending
    seconds: Mapping[str, float]

    def as_json(self) -> dict[str, object]:
        return {
            "tree": self.tree,
            "recipe": self.recipe,
            "files": self.files,
            "units": self.units,
            "edges": self.edges,
            "vectors": self.vectors,
            "blobs": {"parsed": self.parsed, "reused": self.reused, "skipped": dict(self.skipped)},
            "embedded": self.embedded,
            "vectors_reused": self.vectors_reused,
            "bytes": {
                "source": self.source_bytes,
                "snapshot": self.snapshot_bytes,
                "vectors": self.vector_bytes,
            },
            "seconds": {stage: round(seconds, 4) for stage, seconds in self.seconds.items()},
            "pending": {"files": self.pending.files, "vectors": self.pending.vectors},
        }


@dataclass(slots=True)
class Stopwatch:
    """Seconds by stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    started: float = field(default_factory=perf_counter)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begun = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - begun

    def finish(self) -> dict[str, float]:
        return {**self.seconds, "total": perf_counter() - self.started}
