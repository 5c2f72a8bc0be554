"""The whole of linking: what holds for every tree."""

from __future__ import annotations

from annotated import read_files

from cmgit.core.facts import BlobStatus, RefKind, empty_facts
from cmgit.core.tables import EdgeStatus
from cmgit.link.link import LinkFile, link

_TREE = """
    //- package.json
    { "name": "root" }
    //- a.ts
    import { b, type T } from "./b"
    import "./side"
    import * as far from "far"
    export class A { run(): T { return b(this) } }
    //- b.ts
    import { A } from "./a"
    export interface T { go(): void }
    export function b(a: A): T { return a.run() }
    export * from "./a"
    //- side.ts
    import { missing } from "./gone"
    missing()
    new Map().get(1)
    """


def test_every_reference_and_import_has_a_row_in_document_order() -> None:
    sources, configs, _ = read_files(_TREE)
    for file, edges in zip(sources, link(sources, configs), strict=True):
        rows = {(edges.is_import[i], edges.source[i]) for i in range(len(edges))}
        kinds = file.facts.refs.kind
        assert {(0, i) for i in range(len(kinds)) if kinds[i] != RefKind.VALUE} <= rows
        assert {(1, i) for i in range(len(file.facts.imports))} <= rows
        starts = [
            (file.facts.imports.start if edges.is_import[i] else file.facts.refs.start)[edges.source[i]]
            for i in range(len(edges))
        ]
        assert starts == sorted(starts)


def test_imports_name_their_module_and_unit() -> None:
    sources, configs, _ = read_files(_TREE)
    facts = {file.path: file.facts for file in sources}
    found = []
    for file, edges in zip(sources, link(sources, configs), strict=True):
        for i in range(len(edges)):
            if edges.is_import[i] and file.path == "a.ts":
                path = edges.paths[edges.target_path[i]] if edges.target_path[i] >= 0 else None
                unit = facts[path].name(edges.target_unit[i]) if path and edges.target_unit[i] >= 0 else None
                found.append((EdgeStatus(edges.status[i]).name, path, unit))
    assert found == [
        ("RESOLVED", "b.ts", "b"), ("RESOLVED", "b.ts", "T"), ("RESOLVED", "side.ts", None), ("EXTERNAL", None, None),
    ]  # fmt: skip


def test_the_order_of_the_files_changes_nothing() -> None:
    sources, configs, _ = read_files(_TREE)
    forward = dict(zip([f.path for f in sources], link(sources, configs), strict=True))
    turned = list(reversed(sources))
    backward = dict(zip([f.path for f in turned], link(turned, list(reversed(configs))), strict=True))
    assert forward == backward


def test_a_file_without_facts_has_no_edges() -> None:
    empty = LinkFile("big.js", empty_facts("javascript", BlobStatus.OVERSIZED, 9_000_000))
    sources, _, _ = read_files(_TREE)
    assert len(link([*sources, empty], [])[-1]) == 0


def test_no_edge_to_itself_by_a_namesake() -> None:
    sources, configs, _ = read_files("""
        //- a.js
        export const log = { write(x) { x.write(); other.write() } }
        """)
    edges = link(sources, configs)[0]
    assert EdgeStatus.RESOLVED not in [EdgeStatus(status) for status in edges.status]
