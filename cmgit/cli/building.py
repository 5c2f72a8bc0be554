"""What `init` and `index` share: build a tree and say what was done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cmgit.cli.output import counted, note, seconds_text, terminal_progress
from cmgit.cli.session import Session
from cmgit.core.errors import CmgitError
from cmgit.git.revisions import head_tree, tree_of

if TYPE_CHECKING:
    from cmgit.index.report import BuildReport

NO_VECTORS = "no embeddings: a task that shares no word with the code it needs will not find it"


def build_tree(session: Session, rev: str | None, *, no_vectors: bool) -> BuildReport:
    """Build the snapshot of HEAD's tree, or of a revision's, with progress on a terminal."""
    from cmgit.index.build import build

    tree = tree_of(session.location, rev) if rev is not None else head_tree(session.location)
    if tree is None:
        raise CmgitError(
            "there is no commit yet",
            "commit something first; `git cm retrieve` and `git cm search` already answer from the files on disk",
        )
    config = replace(session.config, vectors=session.config.vectors and not no_vectors)
    progress, close = terminal_progress()
    try:
        return build(session.location, tree, config, progress, note, on_demand=rev is not None)
    finally:
        close()


def describe(report: BuildReport, *, vectors: bool) -> str:
    """A few lines for people."""
    lines = [
        f"{counted(report.files, 'file')}, {counted(report.units, 'unit')}, {counted(report.edges, 'reference')}"
        + (f", {counted(report.vectors, 'vector')}" if vectors else "")
        + f" in {seconds_text(report.seconds['total'])}",
        f"{counted(report.parsed, 'blob')} parsed, {report.reused:,} reused"
        + (f"; {counted(report.embedded, 'text')} embedded, {report.vectors_reused:,} reused" if vectors else ""),
    ]
    if report.skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in report.skipped.items())
        lines.append(f"skipped: {reasons} (`git cm status` names them)")
    size = f"{megabytes(report.source_bytes)} of source, {megabytes(report.snapshot_bytes)} on disk"
    lines.append(size + (f" and {megabytes(report.vector_bytes)} of vectors" if vectors else ""))
    if not report.files:
        lines.append("no JavaScript or TypeScript here: there is nothing that cmgit could answer with")
    return "\n".join(lines)


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
