"""Names of modules: which file a specifier means."""

from __future__ import annotations

from annotated import check


def test_a_js_specifier_means_the_typescript_source() -> None:
    # colbymchenry/codegraph#1482
    check("""
        //- src/cart.ts
        export function add() {}
        //- src/view.tsx
        export function View() { return null }
        //- src/mod.mts
        export function mod() {}
        //- src/common.cts
        export function common() {}
        //- src/d/index.ts
        export function inFolder() {}
        //- src/Case.ts
        export function cased() {}
        //- src/main.ts
        import { add } from "./cart.js"
        import { View } from "./view.js"
        import { mod } from "./mod.mjs"
        import { common } from "./common.cjs"
        import { inFolder } from "./d"
        import { cased } from "./case"
        add() // -> src/cart.ts#add
        View() // -> src/view.tsx#View
        mod() // -> src/mod.mts#mod
        common() // -> src/common.cts#common
        inFolder() // -> src/d/index.ts#inFolder
        cased() // -> src/Case.ts#cased
        """)


def test_the_javascript_beside_a_declaration_file_wins() -> None:
    check("""
        //- lib/util.d.ts
        export declare function work(): void
        //- lib/util.js
        export function work() {}
        //- lib/main.ts
        import { work } from "./util"
        work() // -> lib/util.js#work
        """)


def test_tsconfig_paths_with_comments_extends_and_base_url() -> None:
    check("""
        //- tsconfig.base.json
        {
          // the aliases of all packages
          "compilerOptions": {
            "baseUrl": ".", "paths": { "@/*": ["src/*"], "lib": ["src/lib/index.ts",], }, /* done */
          },
        }
        //- tsconfig.json
        { "extends": "./tsconfig.base.json", "compilerOptions": { "strict": true, } }
        //- src/lib/index.ts
        export function fromLib() {}
        //- src/util/text.ts
        export function trim() {}
        //- src/app/main.ts
        import { trim } from "@/util/text"
        import { fromLib } from "lib"
        import { trim as again } from "src/util/text"
        trim() // -> src/util/text.ts#trim
        fromLib() // -> src/lib/index.ts#fromLib
        again() // -> src/util/text.ts#trim
        """)


def test_the_nearest_config_maps_first() -> None:
    check("""
        //- tsconfig.json
        { "compilerOptions": { "paths": { "~/*": ["./outer/*"] } } }
        //- app/tsconfig.json
        { "references": [{ "path": "./tsconfig.app.json" }] }
        //- app/tsconfig.app.json
        { "compilerOptions": { "paths": { "~/*": ["./inner/*"] } } }
        //- outer/a.ts
        export function a() {}
        //- app/inner/a.ts
        export function a() {}
        //- app/main.ts
        import { a } from "~/a"
        a() // -> app/inner/a.ts#a
        """)


def test_a_sibling_package_means_its_source() -> None:
    # Graphify-Labs/graphify#3487
    check("""
        //- package.json
        { "name": "root", "private": true }
        //- pnpm-workspace.yaml
        packages:
          - "packages/*"
        //- packages/core/package.json
        { "name": "@x/core", "exports": {
            ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" },
            "./sub/*": { "types": "./dist/sub/*.d.ts", "default": "./dist/sub/*.js" } },
          "imports": { "#internal/*": "./dist/internal/*.js" } }
        //- packages/core/src/index.ts
        import { hidden } from "#internal/hidden"
        export function core() { hidden() } // -> packages/core/src/internal/hidden.ts#hidden
        //- packages/core/src/internal/hidden.ts
        export function hidden() {}
        //- packages/core/src/sub/part.ts
        export function part() {}
        //- packages/core/dist/index.js
        export function core() {}
        //- packages/app/package.json
        { "name": "@x/app", "dependencies": { "@x/core": "workspace:*" } }
        //- packages/app/src/main.ts
        import { core } from "@x/core"
        import { part } from "@x/core/sub/part"
        import { other } from "@y/other"
        core() // -> packages/core/src/index.ts#core
        part() // -> packages/core/src/sub/part.ts#part
        other() // -> external
        """)


def test_a_package_without_main_or_exports_is_its_index() -> None:
    check("""
        //- package.json
        { "workspaces": ["libs/*"] }
        //- libs/plain/package.json
        { "name": "plain" }
        //- libs/plain/index.js
        exports.go = function go() {}
        //- libs/user/package.json
        { "name": "user" }
        //- libs/user/main.js
        const { go } = require("plain")
        go() // -> libs/plain/index.js#go
        """)


def test_a_broken_config_takes_nothing_with_it() -> None:
    check("""
        //- tsconfig.json
        { "compilerOptions": { "paths":
        //- package.json
        [1, 2]
        //- a.ts
        export function a() {}
        //- b.ts
        import { a } from "./a"
        a() // -> a.ts#a
        """)


def test_a_component_is_its_file() -> None:
    check("""
        //- Button.vue
        <script setup lang="ts">
        import { press } from "./press"
        press() // -> press.ts#press
        </script>
        //- press.ts
        export function press() {}
        //- main.tsx
        import Button from "./Button.vue"
        const page = <Button />
        """)


def test_a_missing_file_is_unknown_and_a_package_external() -> None:
    check("""
        //- a.ts
        import { gone } from "./gone"
        import { far } from "far"
        gone() // -> unknown
        far() // -> external
        """)
