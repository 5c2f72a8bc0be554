"""Public reports about imports that were not followed: each with the value that is right."""

from __future__ import annotations

import pytest

from tests.conftest import Cm, GitRepo


def calls_of(repo: GitRepo, cm: Cm) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    return {
        (edge["path"], edge["name"]): (edge["target_path"], edge["target_name"])
        for edge in cm(repo.path, "export", "--edges").lines
        if edge["kind"] == "call"
    }


BARRELS = {
    "calc.ts": "/** Adds the invoice lines. */\nexport function sum(a: number[]) { return a.length }\n",
    "one.ts": 'export { sum as total } from "./calc"\n',
    "two.ts": 'export * from "./one"\nexport * from "./three"\n',
    "three.ts": 'export * from "./two"\n',
    "index.ts": (
        'export * from "./three"\nexport * as calc from "./calc"\nimport * as late from "./calc"\nexport { late }\n'
    ),
    "use.ts": (
        'import { total, calc, late } from "./index"\n'
        "export function invoice() { return total([]) + calc.sum([]) }\n"
        "export function second() { return late.sum([]) }\n"
    ),
    "ring-a.ts": 'export * from "./ring-b"\n',
    "ring-b.ts": 'export * from "./ring-a"\n',
    "ring-use.ts": 'import { nothing } from "./ring-a"\nnothing()\n',
}


def test_importers_through_barrels_are_credited_to_the_leaf(repo: GitRepo, cm: Cm) -> None:
    """optave/ops-codegraph-tool#1823: consumers of the outer name found nothing, or stood at the barrel."""
    repo.commit(BARRELS)
    calls = calls_of(repo, cm)
    assert calls["use.ts", "total"] == ("calc.ts", "sum")
    assert calls["use.ts", "sum"] == ("calc.ts", "sum")
    assert calls["ring-use.ts", "nothing"] == (None, None)
    callers = cm(repo.path, "callers", "--json", "sum").json["units"][0]["callers"]
    assert {row["caller"] for row in callers} >= {"invoice", "second"}
    shown = cm(repo.path, "retrieve", "--json", "--no-vectors", "fix the rounding of `sum`").json["items"]
    assert shown[0]["path"] == "calc.ts"
    found = cm(repo.path, "search", "--json", "--no-vectors", "sum of invoice lines").json["results"]
    assert found[0]["path"] == "calc.ts"


NODE_NEXT = {
    "src/cart.ts": "export default function cart() {}\nexport const alias = cart\n",
    "src/view.tsx": "export function view() {}\n",
    "src/esm.mts": "export function esm() {}\n",
    "src/old.cts": "export function old() {}\n",
    "src/d/index.ts": "export function folder() {}\n",
    "src/typed.d.ts": "export declare function typed(): void\n",
    "src/UPPER.ts": "export function upper() {}\n",
    "src/main.ts": (
        'import cart, { alias } from "./cart.js"\nimport { view } from "./view.js"\nimport { esm } from "./esm.mjs"\n'
        'import { old } from "./old.cjs"\nimport { folder } from "./d"\nimport { typed } from "./typed.js"\n'
        'import { upper } from "./upper.js"\n'
        "cart(); alias(); view(); esm(); old(); folder(); typed(); upper()\n"
    ),
}


def test_js_specifiers_mean_the_typescript_source(repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#1482: no relative import of a NodeNext project resolved."""
    repo.commit(NODE_NEXT)
    targets = {name: path for (_, name), (path, _) in calls_of(repo, cm).items()}
    assert targets.pop("upper") in (None, "src/UPPER.ts")
    assert targets == {
        "cart": "src/cart.ts",
        "alias": "src/cart.ts",
        "view": "src/view.tsx",
        "esm": "src/esm.mts",
        "old": "src/old.cts",
        "folder": "src/d/index.ts",
        "typed": "src/typed.d.ts",
    }


WORKSPACE = {
    "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n",
    "package.json": '{"name": "root", "private": true}',
    "packages/a/package.json": (
        '{"name": "@w/a", "main": "./dist/missing.js", "imports": {"#internal/*": "./src/internal/*.ts"},'
        ' "exports": {".": {"types": "./dist/index.d.ts", "default": "./dist/index.js"},'
        ' "./util": {"types": "./dist/util.d.ts", "import": "./dist/util.mjs"}, "./feat/*": "./dist/feat/*.js"}}'
    ),
    "packages/a/src/index.ts": "import { deep } from '#internal/deep'\nexport function fromRoot() { return deep() }\n",
    "packages/a/src/util.ts": "export function fromUtil() {}\n",
    "packages/a/src/feat/x.ts": "export function fromFeat() {}\n",
    "packages/a/src/internal/deep.ts": "export function deep() {}\n",
    "packages/n/package.json": '{"name": "@w/n", "main": "./lib/gone.js"}',
    "packages/n/src/index.ts": "export function noMain() {}\n",
    "packages/b/package.json": '{"name": "@w/b", "dependencies": {"@w/a": "workspace:*"}}',
    "packages/b/src/index.ts": (
        "import { fromRoot } from '@w/a'\nimport { fromUtil } from '@w/a/util'\n"
        "import { fromFeat } from '@w/a/feat/x'\n"
        "import { noMain } from '@w/n'\nimport { viaPath } from '~/lib/path'\n"
        "export function run() { fromRoot(); fromUtil(); fromFeat(); noMain(); viaPath() }\n"
    ),
    "packages/b/src/lib/path.ts": "export function viaPath() {}\n",
    "packages/b/other/lib/path.ts": "export function viaPath() {}\n",
    "packages/b/tsconfig.json": (
        '{"extends": "../../tsconfig.base.json", // a comment\n "compilerOptions": {"baseUrl": ".",},}'
    ),
    "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", /* here */ "paths": {"~/*": ["./packages/b/src/*"]}}}',
}


def test_sub_paths_of_a_sibling_package_lead_to_its_source(repo: GitRepo, cm: Cm) -> None:
    """Graphify-Labs/graphify#3487: 323 of 1,233 workspace edges were lost."""
    repo.commit(WORKSPACE)
    calls = calls_of(repo, cm)
    use = "packages/b/src/index.ts"
    assert calls[use, "fromRoot"] == ("packages/a/src/index.ts", "fromRoot")
    assert calls[use, "fromUtil"] == ("packages/a/src/util.ts", "fromUtil")
    assert calls[use, "fromFeat"] == ("packages/a/src/feat/x.ts", "fromFeat")
    assert calls[use, "noMain"] == ("packages/n/src/index.ts", "noMain")
    assert calls[use, "viaPath"] == ("packages/b/src/lib/path.ts", "viaPath")
    assert calls["packages/a/src/index.ts", "deep"] == ("packages/a/src/internal/deep.ts", "deep")


def test_a_changed_config_links_anew_and_parses_nothing(repo: GitRepo, cm: Cm) -> None:
    """Graphify-Labs/graphify#3487: the config is part of what the edges depend on, not of what is embedded."""
    repo.commit(WORKSPACE)
    cm(repo.path, "index").ok()
    base = '{"compilerOptions": {"paths": {"~/*": ["./packages/b/other/*"]}}}'
    before = {path for (_, name), (path, _) in calls_of(repo, cm).items() if name == "viaPath"}
    repo.commit({"tsconfig.base.json": base, "packages/b/tsconfig.json": '{"extends": "../../tsconfig.base.json"}'})
    report = cm(repo.path, "index", "--json").json
    assert (report["blobs"]["parsed"], report["embedded"]) in ((0, 0), (2, 0))
    assert calls_of(repo, cm)["packages/b/src/index.ts", "viaPath"][0] == "packages/b/other/lib/path.ts"
    assert before == {"packages/b/src/lib/path.ts"}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b'{"exports": 1, "compilerOptions": []}', b"\xff\xfe\0"]
)
def test_a_broken_config_breaks_no_answer(content: bytes, repo: GitRepo, cm: Cm) -> None:
    """Graphify-Labs/graphify#3487: what cannot be read says nothing."""
    repo.write({"a.ts": "import { b } from './b'\nb()\n", "b.ts": "export function b() {}\n"})
    repo.write(dict.fromkeys(("tsconfig.json", "package.json", "pnpm-workspace.yaml", "lerna.json"), content))
    assert calls_of(repo, cm)["a.ts", "b"] == ("b.ts", "b")
