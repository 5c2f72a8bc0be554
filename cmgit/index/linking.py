"""Facts of a tree → its edges. The one place that knows how files and config files reach `link`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cmgit.core.facts import CONFIG_LANGUAGE, BlobFacts, config_text
from cmgit.core.records import BlobKey, FileEntry
from cmgit.core.tables import FileEdges
from cmgit.link.link import ConfigFile, LinkFile, link


def link_entries(
    entries: Sequence[FileEntry], facts_of: Callable[[BlobKey], BlobFacts | None]
) -> list[tuple[str, FileEdges]]:
    """Edges of each source file of a tree, in the order of `entries`; files without facts have none.

    Args:
        entries: sources and config files of one tree, in path order.
        facts_of: facts of a blob; None where there are none.
    """
    files: list[LinkFile] = []
    configs: list[ConfigFile] = []
    for entry in entries:
        facts = facts_of(BlobKey(entry.oid, entry.language))
        if facts is None:
            continue
        if entry.language == CONFIG_LANGUAGE:
            if not entry.path.endswith(".gitattributes"):
                configs.append(ConfigFile(entry.path, config_text(facts).encode("utf-8", "surrogateescape")))
        elif len(facts.units):
            files.append(LinkFile(entry.path, facts))
    return [(file.path, edges) for file, edges in zip(files, link(files, configs), strict=True)]
