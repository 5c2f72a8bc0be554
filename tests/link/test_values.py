"""What is read without being called: passed on, stored, compared."""

from __future__ import annotations

from annotated import check, read_files

from cmgit.core.facts import RefKind
from cmgit.core.tables import EdgeStatus
from cmgit.link.link import link


def test_a_function_that_is_passed_on_is_used() -> None:
    check("""
        //- lib.ts
        export function f() {}
        export function g() {}
        export const data = { port: 1, handler: f } // => #f
        export enum Level { Low, High }
        export class Box { static make() {} open() { return this.close } close() {} } // => #Box.close
        export default g // => none
        const both = Math.random() ? f : g // => #f, #g
        list.map(f) // => #f
        list.map(f) // -> external
        const bound = [f.bind(this)] // => #f
        f.call(this, 1) // => #f
        f.call(this, 1) // -> external
        g.apply(null, []) // => #g
        export const other = f // => #f
        if (!f) g() // => #f
        //- barrel.ts
        export * from "./lib"
        //- use.tsx
        import g, { f as renamed, data, Level, Box } from "./barrel"
        import main from "./lib"
        import * as lib from "./lib"
        export const view = <button onClick={renamed} title={lib.g} {...data} /> // => lib.ts#f, lib.ts#g, lib.ts#data
        on(main, Level.Low, data.port, Box) // => lib.ts#g, lib.ts#Level, lib.ts#data, lib.ts#Box
        Box.make() // => lib.ts#Box
        on(data.handler) // => lib.ts#data, lib.ts#f
        on(lib) // => none
        function inner() { const { f } = lib; on(f) } // => lib.ts#f
        const alias = renamed // => lib.ts#f
        on(alias) // => lib.ts#f
        """)


def test_a_required_function_is_used() -> None:
    check("""
        //- create.js
        exports = module.exports = create // => #create
        function create() {}
        exports.helper = function helper() {}
        //- app.js
        var create = require("./create"), path = require("path")
        var helper = require("./create").helper
        var router = Router()
        on(create, helper) // => create.js#create, create.js#helper
        router.get("/", create.helper) // => #router, create.js#helper
        on(path) // => none
        module.exports = { router } // => #router
        """)


def test_what_resolves_to_no_unit_has_no_row_and_is_not_undecided() -> None:
    sources, configs, _ = read_files("""
        //- a.ts
        import { gone } from "./gone"
        import outside from "outside"
        interface Shape { side: number }
        export const a = { b: 1 }
        on(gone, outside, outside.x, a.b.c)
        """)
    (edges,) = link(sources, configs)
    refs = sources[0].facts.refs
    values = [row for row in range(len(refs)) if refs.kind[row] == RefKind.VALUE]
    assert len(values) == 6
    found = [i for i in range(len(edges)) if not edges.is_import[i] and edges.source[i] in values]
    assert [EdgeStatus(edges.status[i]) for i in found] == [EdgeStatus.RESOLVED]  # `a` itself
