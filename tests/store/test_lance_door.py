"""Readers load the file reader of Lance, and nothing of its package."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(code: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_the_door_loads_the_file_reader_without_the_package_body() -> None:
    loaded = run(
        "import sys; from cmgit.store.lance_door import lance_file; lance_file().LanceFileReader;"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] == 'lance'))"
    )
    assert loaded == ["lance", "lance.file", "lance.lance"]


def test_a_package_that_somebody_loaded_before_is_left_alone() -> None:
    assert run(
        "import lance, sys; before = sys.modules['lance']; from cmgit.store.lance_door import lance_file;"
        "print(sys.modules['lance'] is before, lance_file() is lance.file, hasattr(lance, 'dataset'))"
    ) == ["True", "True", "True"]


def test_where_the_bare_package_fails_the_plain_import_is_used() -> None:
    code = (
        "import importlib, sys\n"
        "real, calls = importlib.import_module, []\n"
        "def first_fails(name, package=None):\n"
        "    calls.append(name)\n"
        "    if len(calls) == 1: raise ImportError(name)\n"
        "    return real(name, package)\n"
        "importlib.import_module = first_fails\n"
        "from cmgit.store.lance_door import lance_file\n"
        "print(lance_file().__name__, 'lance.dataset' in sys.modules)"
    )
    assert run(code) == ["lance.file", "True"]


@pytest.mark.parametrize("module", ["cmgit.store.segments", "cmgit.snapshot.publish", "cmgit.snapshot.manifest"])
def test_importing_the_store_loads_neither_lance_nor_arrow(module: str) -> None:
    loaded = run(f"import sys, {module}; print(*[m for m in sys.modules if m.split('.')[0] in ('lance', 'pyarrow')])")
    assert loaded == []
