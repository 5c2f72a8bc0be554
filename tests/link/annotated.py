"""Annotated sources: several files in one text, the expected edges beside the calls.

    //- src/a.ts
    import { sum } from "./calc"
    sum()  // -> src/calc.ts#sum

Behind `->` stands one answer for each call, construction, JSX element, tag or decorator of the line, in the order of
their names, separated by commas: `path#qualname` (the path may be left out for the same file), `external` or `unknown`;
`~` before it for a likely edge. Several targets of one call are joined by `+`. Behind `=>` stand in the same way the
units that the line reads without calling them, `none` for no edge. A line `//- path` begins a file; a path
that ends in .json or .yaml is a config file.
"""

from __future__ import annotations

import re
import textwrap

from cmgit.core.facts import BlobFacts, RefKind
from cmgit.core.tables import Confidence, EdgeStatus, FileEdges
from cmgit.extract.extract import extract
from cmgit.languages.table import language_of
from cmgit.link.link import ConfigFile, LinkFile, link

_ARROW = re.compile(r"(?://|#|<!--|\{/\*)\s*([-=])>\s*(.*?)\s*(?:-->|\*/\})?$")
_CALLS = {RefKind.CALL, RefKind.NEW, RefKind.JSX, RefKind.TAG, RefKind.DECORATOR}
_KINDS = {"-": _CALLS, "=": {RefKind.VALUE}}


def read_files(text: str) -> tuple[list[LinkFile], list[ConfigFile], dict[str, str]]:
    """Sources, configs and the plain texts of an annotated source."""
    texts: dict[str, str] = {}
    path = ""
    for line in textwrap.dedent(text).splitlines(keepends=True):
        found = re.match(r"//- (\S+)", line)
        if found:
            path = found.group(1)
            texts[path] = ""
        elif path:
            texts[path] += line
    sources, configs = [], []
    for name, content in texts.items():
        if name.endswith((".json", ".yaml")):
            configs.append(ConfigFile(name, content.encode()))
            continue
        language = language_of(name)
        assert language is not None, name
        sources.append(LinkFile(name, extract(content.encode(), language, 1_000_000)))
    return sources, configs, texts


def answers(file: LinkFile, edges: FileEdges, files: dict[str, BlobFacts], kinds: set[RefKind]) -> dict[int, list[str]]:
    """What linking says of the references of each line, as it would be written in an annotation."""
    refs = file.facts.refs
    by_ref: dict[int, list[str]] = {}
    for row in range(len(edges)):
        if edges.is_import[row] or refs.kind[edges.source[row]] not in kinds:
            continue
        status = EdgeStatus(edges.status[row])
        if status is EdgeStatus.RESOLVED:
            path = edges.paths[edges.target_path[row]]
            target = files[path].qualname(edges.target_unit[row])
            answer = f"#{target}" if path == file.path else f"{path}#{target}"
            if edges.confidence[row] == Confidence.LIKELY:
                answer = f"~{answer}"
        else:
            answer = status.name.lower()
        by_ref.setdefault(edges.source[row], []).append(answer)
    lines: dict[int, list[tuple[int, str]]] = {}
    for ref, found in by_ref.items():
        lines.setdefault(refs.line[ref], []).append((refs.name_start[ref], "+".join(found)))
    return {line: [answer for _, answer in sorted(found)] for line, found in lines.items()}


def check(text: str) -> None:
    """Links an annotated source and compares every annotated line."""
    sources, configs, texts = read_files(text)
    facts = {file.path: file.facts for file in sources}
    wrong = []
    arrows = 0
    for file, edges in zip(sources, link(sources, configs), strict=True):
        answered = {arrow: answers(file, edges, facts, kinds) for arrow, kinds in _KINDS.items()}
        for number, line in enumerate(texts[file.path].splitlines(), 1):
            arrow = _ARROW.search(line)
            if arrow is None:
                continue
            arrows += 1
            wanted = [part.strip() for part in arrow.group(2).split(",")]
            found = answered[arrow.group(1)].get(number, ["none"])
            if found != wanted:
                wrong.append(f"{file.path}:{number}: {line.strip()}\n    but found {', '.join(found)}")
    assert arrows, "no annotation"
    assert not wrong, "\n" + "\n".join(wrong)
