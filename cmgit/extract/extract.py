"""One blob to its facts: the only entry of this folder. Pure; bad input is data and never raises."""

from __future__ import annotations

from cmgit.core.facts import BlobFacts, BlobStatus, empty_facts
from cmgit.extract.lines import Lines
from cmgit.extract.reading import read_tree
from cmgit.extract.scopes import collect_scopes
from cmgit.extract.strings import Interner
from cmgit.extract.text import readable_text
from cmgit.extract.units import collect_units


def extract(data: bytes, language: str, max_bytes: int) -> BlobFacts:
    """What one blob says by itself.

    Args:
        data: the blob.
        language: one that `cmgit.languages.table` names.
        max_bytes: larger blobs are not parsed.
    """
    text = readable_text(data, language, max_bytes)
    if isinstance(text, BlobStatus):
        return empty_facts(language, text, len(data))
    tree = read_tree(text)
    if isinstance(tree, BlobStatus):
        return empty_facts(language, tree, len(data))
    source, parsed = tree.source, tree.parsed
    lines, strings = Lines(data), Interner()
    root = parsed.tree.root_node  # one for both passes: a node keeps its children
    units, unit_of_node = collect_units(root, parsed.grammar, source, text.start, strings, lines)
    refs, imports, exports, values, props, args = collect_scopes(
        root, source, units, unit_of_node, strings, lines, parsed.grammar
    )
    return BlobFacts(
        language=language,
        status=tree.status,
        errors=tree.errors,
        size=len(data),
        lines=lines.count,
        strings=strings.strings(),
        units=units,
        refs=refs,
        imports=imports,
        exports=exports,
        values=values,
        props=props,
        args=args,
    )
