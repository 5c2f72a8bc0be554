"""`git cm status`: what is indexed, what was skipped and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from cmgit.cli.building import megabytes
from cmgit.cli.options import json_option
from cmgit.cli.output import counted, one_line, pending_json, print_json, print_text
from cmgit.cli.session import open_session
from cmgit.core.facts import CONFIG_LANGUAGE, BlobStatus
from cmgit.core.records import Pending, Role

if TYPE_CHECKING:
    from cmgit.snapshot.manifest import Manifest

WHOLE = (BlobStatus.PARSED,)
LISTED = 20


@click.command(name="status")
@json_option
def command(as_json: bool) -> None:
    """Say whether HEAD's snapshot exists, what it holds, which files were skipped or are only partly understood and
    why, and how many files differ on disk. Builds nothing."""
    from cmgit.git.revisions import head_tree
    from cmgit.git.worktree import changes
    from cmgit.index.recipes import current_recipes
    from cmgit.languages.table import language_of
    from cmgit.snapshot.publish import load, published

    session = open_session()
    location = session.location
    recipes = current_recipes(session.config)
    tree = head_tree(location)
    manifest = load(location.cm_dir, tree, recipes.snapshot) if tree is not None else None
    dirty = sum(language_of(change.path) is not None for change in changes(location)) if location.top else 0
    document: dict[str, object] = {
        "tree": tree,
        "indexed": manifest is not None,
        "dirty": dirty,
        "snapshots": len(published(location.cm_dir)),
        "recipe": recipes.snapshot,
        "store": location.cm_dir,
    }
    pending = Pending()
    if manifest is not None:
        document |= contents(manifest)
        if session.config.vectors:
            have = manifest.counts.vectors if manifest.recipes.vectors == recipes.vectors else 0
            pending = Pending(vectors=max(0, manifest.counts.vectors_wanted - have))
            if manifest.recipes.vectors != recipes.vectors:
                document["vectors"] = 0
    if as_json:
        print_json(document | {"pending": pending_json(pending)})
        return
    print_status(document, pending)


def contents(manifest: Manifest) -> dict[str, object]:
    """Counts, and every file that is not wholly understood with its reason."""
    table = manifest.files
    languages: Counter[str] = Counter()
    suffixes: Counter[str] = Counter()
    roles: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    skipped: list[dict[str, str]] = []
    numbers = (column.tolist() for column in (table.role, table.status, table.size))
    rows = zip(table.path, table.language, *numbers, strict=True)
    source = files = 0
    for path, language, role, status, size in rows:
        if language == CONFIG_LANGUAGE and status in WHOLE:
            continue
        if language not in ("", CONFIG_LANGUAGE):
            languages[language] += 1
            files, source = files + 1, source + size
            roles[Role(role).label] += 1
            name = path.rsplit("/", 1)[-1]
            suffixes["." + name.rsplit(".", 1)[-1].lower() if "." in name else "(none)"] += 1
        if status not in WHOLE:
            reasons[BlobStatus(status).label] += 1
            skipped.append({"path": path, "reason": BlobStatus(status).label})
    return {
        "files": files,
        "units": manifest.counts.units,
        "edges": manifest.counts.edges,
        "vectors": manifest.counts.vectors,
        "languages": dict(sorted(languages.items())),
        "suffixes": dict(sorted(suffixes.items())),
        "roles": dict(sorted(roles.items())),
        "reasons": dict(sorted(reasons.items())),
        "skipped": skipped,
        "bytes": {
            "source": source,
            "snapshot": sum(ref.size for ref in manifest.segments if ref.kind != "vectors"),
            "vectors": sum(ref.size for ref in manifest.segments if ref.kind == "vectors"),
        },
    }


def print_status(document: dict[str, object], pending: Pending) -> None:
    tree = document["tree"]
    if tree is None:
        print_text("no commit yet: questions are answered from the files on disk")
        return
    if not document["indexed"]:
        print_text(f"tree {tree} has no snapshot; the next question makes one, or run `git cm index`")
        return
    print_text(f"tree {tree} is indexed")
    print_text(
        ", ".join(counted(document[f"{what}s"], what) for what in ("file", "unit"))  # type: ignore[arg-type]
        + f", {counted(document['edges'], 'reference')}, {counted(document['vectors'], 'vector')}"  # type: ignore[arg-type]
        + (f" ({pending.vectors:,} still missing)" if pending.vectors else "")
    )
    for label in ("suffixes", "roles"):
        counts = document[label]
        assert isinstance(counts, dict)
        print_text(f"{label}: " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
    sizes = document["bytes"]
    assert isinstance(sizes, dict)
    print_text(", ".join(f"{name} {megabytes(size)}" for name, size in sizes.items()) + f"; in {document['store']}")
    differ = "1 file differs" if document["dirty"] == 1 else f"{document['dirty']:,} files differ"
    print_text(f"{differ} from it on disk; answers show the files as they are")
    skipped = document["skipped"]
    assert isinstance(skipped, list)
    if skipped:
        reasons = document["reasons"]
        assert isinstance(reasons, dict)
        print_text("not wholly understood: " + ", ".join(f"{count} {reason}" for reason, count in reasons.items()))
        for row in skipped[:LISTED]:
            print_text(f"  {row['reason']:<12} {one_line(row['path'])}")
        if len(skipped) > LISTED:
            print_text(f"  and {len(skipped) - LISTED} more (--json lists all)")
