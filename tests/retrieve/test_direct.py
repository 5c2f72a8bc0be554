"""The direct route: one short file, no index."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from cmgit.core.config import Config
from cmgit.core.records import Context, ItemRole
from cmgit.retrieve.direct import FileReader, direct_context
from cmgit.retrieve.prompt import read_prompt

FILES = {
    "src/limits.js": b"export const LIMIT = 3\r\nexport const RETRY_DELAY = 50\r\n",
    "src/bom.js": b"\xef\xbb\xbfexport const LIMIT = 3",
    "src/user.js": b"import { LIMIT } from './limits'\nexport const half = LIMIT / 2\n",
    "src/barrel.ts": b"export * from './limits'\n",
    "src/common.cjs": b"const { LIMIT } = require('./limits')\n",
    "src/large.js": b"export const x = 1\n" * 400,
    "src/key.js": b"export const apiKey = 'a8F3kq9ZxW2plM77'\n",
    "notes.txt": b"plain text",
}


def ask(prompt: str, budget: int | None = None) -> Context | None:
    read: FileReader = lambda path: (FILES[path], "0" * 40) if path in FILES else None  # noqa: E731
    return direct_context(read_prompt(prompt), read, Config(), budget)


def test_one_short_file_is_shown_whole() -> None:
    context = ask("raise the limit in src/limits.js")
    assert context is not None
    assert context.route == "direct"
    (item,) = context.items
    assert (item.role, item.path, item.start_line, item.end_line) == (ItemRole.WHOLE_FILE, "src/limits.js", 1, 2)
    assert (item.start_byte, item.end_byte) == (0, len(FILES["src/limits.js"]))
    assert "export const LIMIT = 3\r\n" in context.text


def test_a_byte_order_mark_is_not_part_of_the_text() -> None:
    context = ask("raise the limit in src/bom.js")
    assert context is not None
    assert "\ufeff" not in context.text
    assert context.items[0].start_byte == 3
    assert not context.items[0].masked


@pytest.mark.parametrize(
    "prompt",
    [
        "raise the limit in src/user.js",
        "look at src/barrel.ts",
        "look at src/common.cjs",
        "look at src/large.js",
        "src/limits.js and src/user.js",
        "what calls `cartTotal` in src/limits.js",
        "raise the limit in src/absent.js",
        "look at notes.txt",
        "look at ../src/limits.js",
        "raise the limit",
    ],
)
def test_everything_else_needs_an_index(prompt: str) -> None:
    assert ask(prompt) is None


def test_a_file_larger_than_the_budget_needs_an_index() -> None:
    assert ask("raise the limit in src/limits.js", budget=10) is None


def test_a_masked_file_is_not_called_whole() -> None:
    context = ask("rotate the key in src/key.js")
    assert context is not None
    assert context.items[0].role is not ItemRole.WHOLE_FILE
    assert "a8F3kq9ZxW2plM77" not in context.text


def _loaded(code: str) -> set[str]:
    code += "\nimport sys; print(' '.join(sorted({name.split('.')[0] for name in sys.modules})))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("cmgit.retrieve.direct", {"numpy", "lance", "pyarrow", "pygit2", "onnxruntime", "tokenizers", "tree_sitter"}),
        ("cmgit.retrieve.retrieve", {"lance", "pyarrow", "pygit2", "onnxruntime", "tokenizers", "tree_sitter"}),
    ],
)
def test_a_route_loads_only_what_it_uses(module: str, absent: set[str]) -> None:
    assert not _loaded(f"import {module}") & absent


def test_the_real_view_is_what_retrieval_asks_for() -> None:
    from cmgit.retrieve import ports
    from cmgit.view.view import View

    check: Callable[[View], ports.View] = lambda view: view  # noqa: E731 - mypy proves it
    assert check is not None
