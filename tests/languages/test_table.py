"""Which language a file is in."""

from __future__ import annotations

import pytest

from cmgit.languages.table import is_config, language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/a.js", "javascript"),
        ("src/a.mjs", "javascript"),
        ("src/a.cjs", "javascript"),
        ("src/a.jsx", "javascript"),
        ("src/a.ts", "typescript"),
        ("src/a.mts", "typescript"),
        ("src/a.cts", "typescript"),
        ("src/a.tsx", "tsx"),
        ("types/a.d.ts", "typescript"),
        ("types/a.d.mts", "typescript"),
        ("types/a.d.cts", "typescript"),
        ("LEGACY/A.TS", "typescript"),
        ("b.JSX", "javascript"),
        ("App.vue", "vue"),
        ("App.svelte", "svelte"),
        ("store.svelte.ts", "typescript"),
        ("index.astro", "astro"),
        ("док/файл.ts", "typescript"),
        ("[id].tsx", "tsx"),
        (":(glob)x.js", "javascript"),
        ("-dash.js", "javascript"),
        ('a\tb\n"c.ts', "typescript"),
        ("bad\udcff.js", "javascript"),
    ],
)
def test_the_suffix_tells_the_language_in_any_case(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    "path", ["a.json", "a.css", "a.ts.snap", "README.md", "ts", "src/js", ".ts", "a.", "a.tsbuildinfo"]
)
def test_what_only_looks_like_a_suffix_is_none(path: str) -> None:
    assert language_of(path) is None


@pytest.mark.parametrize(
    ("head", "language"),
    [
        (b"#!/usr/bin/env node\nx()", "javascript"),
        (b"#!/usr/bin/node --harmony\n", "javascript"),
        (b"#! /usr/local/bin/node\r\n", "javascript"),
        (b"\xef\xbb\xbf#!/usr/bin/env node\n", "javascript"),
        (b"#!/usr/bin/env -S NODE_ENV=test node --flag\n", "javascript"),
        (b"#!/usr/bin/env node18\n", "javascript"),
        (b"#!/usr/bin/env tsx\n", "typescript"),
        (b"#!/usr/bin/env -S deno run\n", "typescript"),
        (b"#!/usr/bin/env ts-node\n", "typescript"),
        (b"#!/bin/sh\nexec node x\n", None),
        (b"#!/usr/bin/env python3\n", None),
        (b"#!\n", None),
        (b"#!/usr/bin/env\n", None),
        (b"", None),
        (b"node", None),
        (b"#!\xff\xfe\n", None),
    ],
)
def test_a_file_without_a_suffix_is_known_by_its_first_line(head: bytes, language: str | None) -> None:
    assert language_of("bin/tool", head) == language


def test_a_suffix_is_stronger_than_a_first_line() -> None:
    assert language_of("run.py", b"#!/usr/bin/env node\n") is None


@pytest.mark.parametrize(
    "path", ["package.json", "a/b/package.json", "tsconfig.json", "tsconfig.base.json", "jsconfig.json", "lerna.json"]
)
def test_files_that_linking_reads_are_config(path: str) -> None:
    assert is_config(path)


@pytest.mark.parametrize(
    "path", ["package-lock.json", "my-package.json", "tsconfig.ts", "package.json/a.ts", "Package.json5"]
)
def test_other_files_are_no_config(path: str) -> None:
    assert not is_config(path)
