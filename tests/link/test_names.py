"""Names: lexical scope, imports, exports, barrels, CommonJS."""

from __future__ import annotations

from annotated import check


def test_lexical_scope_hoists_and_shadows() -> None:
    check("""
        //- a.ts
        early() // -> #early
        function early() { inner() } // -> #inner
        function inner() {}
        function shadow(inner: () => void) {
          inner() // -> unknown
          const early = () => {}
          early() // -> #shadow.early
        }
        {
          const inner = () => {}
          inner() // -> #inner
        }
        var late = function () {}
        late() // -> #late
        undeclared() // -> external
        """)


def test_es_imports_of_every_form() -> None:
    check("""
        //- lib.ts
        export default function main() {}
        export function named() {}
        export const arrow = () => {}
        function inner() {}
        export { inner as outer }
        export class Box {}
        const hidden = () => {}
        export const alias = hidden
        //- use.tsx
        import main, { named, arrow as renamed, outer, Box, alias } from "./lib"
        import * as all from "./lib"
        main() // -> lib.ts#main
        named() // -> lib.ts#named
        renamed() // -> lib.ts#arrow
        outer() // -> lib.ts#inner
        new Box() // -> lib.ts#Box
        alias() // -> lib.ts#hidden
        all.named() // -> lib.ts#named
        all.default() // -> lib.ts#main
        async function later() {
          (await import("./lib")).named() // -> lib.ts#named
          import("./lib").then((m) => m.outer()) // -> external, lib.ts#inner
          import("./lib").then(({ named }) => named()) // -> external, lib.ts#named
        }
        """)


def test_barrels_rename_chain_and_form_cycles() -> None:
    # optave/ops-codegraph-tool#1823
    check("""
        //- calc.ts
        export function sum() {}
        export default function product() {}
        //- one.ts
        export { sum as total, default as times } from "./calc"
        export * as calc from "./calc"
        //- two.ts
        export * from "./one"
        export * from "./loop"
        //- three.ts
        export * from "./two"
        //- loop.ts
        export * from "./two"
        export function looped() {}
        //- use.ts
        import { total, times, calc, looped, missing } from "./three"
        total() // -> calc.ts#sum
        times() // -> calc.ts#product
        calc.sum() // -> calc.ts#sum
        looped() // -> loop.ts#looped
        missing() // -> unknown
        """)


def test_a_barrel_of_another_package_is_external() -> None:
    check("""
        //- barrel.ts
        export * from "far"
        export { near } from "./near"
        //- near.ts
        export function near() {}
        //- use.ts
        import { near, far } from "./barrel"
        near() // -> near.ts#near
        far() // -> external
        """)


def test_commonjs_exports_and_requires() -> None:
    check("""
        //- object.js
        function a() {}
        module.exports = { a, b: function () {}, c() {}, d: a }
        //- single.js
        module.exports = create
        function create() {}
        create.helper = function () {}
        //- named.js
        exports.one = function () {}
        exports.two = exports.three = () => {}
        Object.assign(exports, { four() {} })
        Object.defineProperty(exports, "five", { enumerable: true, get: function () { return five } })
        function five() {}
        //- index.js
        module.exports = require("./single")
        //- use.js
        const { a, b: renamed } = require("./object")
        const object = require("./object")
        const create = require("./single")
        const named = require("./named")
        const again = require("./")
        a() // -> object.js#a
        renamed() // -> object.js#b
        object.c() // -> object.js#c
        object.d() // -> object.js#a
        create() // -> single.js#create
        create.helper() // -> single.js#create.helper
        named.one() // -> named.js#one
        named.two() // -> named.js#three
        named.four() // -> named.js#four
        named.five() // -> named.js#five
        require("./object").c() // -> external, object.js#c
        again() // -> single.js#create
        """)


def test_prototypes_and_constructor_functions() -> None:
    check("""
        //- shape.js
        var util = require("util")
        function Shape() { this.id = 1 }
        Shape.prototype.area = function () { return this.scale() } // -> #Shape.scale
        Shape.prototype.scale = function () {}
        Shape.create = function () { return new Shape() } // -> #Shape
        function Square() { Shape.call(this) } // -> external
        util.inherits(Square, Shape) // -> external
        Square.prototype.side = function () {
          this.area() // -> #Shape.area
        }
        module.exports = { Shape, Square }
        //- use.js
        const { Shape, Square } = require("./shape")
        const shape = new Shape() // -> shape.js#Shape
        shape.area() // -> shape.js#Shape.area
        Shape.create().area() // -> shape.js#Shape.create, shape.js#Shape.area
        new Square().area() // -> shape.js#Square, shape.js#Shape.area
        """)


def test_an_application_object_of_functions() -> None:
    check("""
        //- app.js
        var app = exports = module.exports = {}
        app.init = function () { this.configure() } // -> #app.configure
        app.configure = function configure() {}
        //- use.js
        var app = require("./app")
        app.init() // -> app.js#app.init
        """)


def test_import_equals_and_export_equals() -> None:
    check("""
        //- lib.ts
        function lib() {}
        export = lib
        //- use.ts
        import lib = require("./lib")
        lib() // -> lib.ts#lib
        """)


def test_wrappers_keep_the_function() -> None:
    check("""
        //- ui.tsx
        import { memo, forwardRef, lazy } from "react"
        export const Plain = () => null
        export const Memo = memo(() => null) // -> external
        export const Ref = forwardRef(function Inner(props, ref) { return null }) // -> external
        export const Named = memo(Plain) // -> external
        //- use.tsx
        import { Memo, Ref, Named, Plain } from "./ui"
        export function Page() {
          return <>
            <Plain /> {/* -> ui.tsx#Plain */}
            <Memo /> {/* -> ui.tsx#Memo */}
            <Ref /> {/* -> ui.tsx#Ref */}
            <Named /> {/* -> ui.tsx#Named */}
          </>
        }
        """)


def test_namespaces_tags_and_decorators() -> None:
    check("""
        //- lib.ts
        export namespace Geo { export function area() {} ; export namespace Deep { export function dig() {} } }
        export function html(parts: TemplateStringsArray) {}
        export function Route(path: string): any {}
        //- use.ts
        import { Geo, html, Route } from "./lib"
        Geo.area() // -> lib.ts#Geo.area
        Geo.Deep.dig() // -> lib.ts#Geo.Deep.dig
        html`<p>` // -> lib.ts#html
        @Route("/") // -> lib.ts#Route
        class Page {
          @Route("/x") // -> lib.ts#Route
          show() {}
        }
        """)


def test_an_import_wins_over_a_namesake() -> None:
    # trailhq/Graft#330
    check("""
        //- mock.ts
        export function useRouter() {}
        export class Store { get() {} ; trim() {} ; split() {} }
        //- use.ts
        import { useRouter } from "next/navigation"
        useRouter() // -> external
        export function clean(s: string, m: Map<string, number>, other) {
          s.trim().split(" ") // -> external, external
          m.get("a") // -> external
          other.get("a") // -> unknown
        }
        export class Log {
          log = console
          write() { this.log.write() } // -> external
        }
        """)


def test_forms_that_others_lose() -> None:
    check("""
        //- lib.ts
        function fn() {}
        export const a = fn
        export { fn as b }
        export default fn
        export const api = { load() {}, save: fn, nested: { deep() {} } }
        class Service { run() {} }
        export const service = new Service() // -> #Service
        //- use.ts
        import fn, { a, b, api, service } from "./lib"
        const local = fn
        a() // -> lib.ts#fn
        b() // -> lib.ts#fn
        fn() // -> lib.ts#fn
        local() // -> lib.ts#fn
        api.load() // -> lib.ts#api.load
        api.save() // -> lib.ts#fn
        api.nested.deep() // -> lib.ts#api.nested.deep
        service.run() // -> lib.ts#Service.run
        """)
