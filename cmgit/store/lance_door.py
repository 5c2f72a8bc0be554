"""The only way to Lance and to pyarrow.

`import lance` runs a package body that loads datasets, indices, PyTorch shims and more: 95 ms where the file reader
and writer alone take 11 (pylance 14.0.2). So a bare module stands in for the package while `lance.file` is loaded; it
has the package's own path and spec, and only the modules lance, lance.lance and lance.file are loaded. Where another
release does not allow that, the plain import is used. A package body that somebody loaded before is left alone.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
import types
from typing import Any

FILE_VERSION = "2.1"
"""Lance's file format version that segments are written in."""


def lance_file() -> Any:
    """The module `lance.file`.

    It publishes no types, hence Any; nothing outside this folder sees it.
    """
    loaded = sys.modules.get("lance.file")
    if loaded is not None:
        return loaded
    if "lance" in sys.modules:
        return importlib.import_module("lance.file")
    spec = importlib.machinery.PathFinder.find_spec("lance")
    if spec is None or spec.submodule_search_locations is None:
        return importlib.import_module("lance.file")
    bare = types.ModuleType("lance")
    bare.__path__ = list(spec.submodule_search_locations)
    bare.__spec__ = spec
    sys.modules["lance"] = bare
    try:
        return importlib.import_module("lance.file")
    except ImportError:
        for name in [n for n in sys.modules if n == "lance" or n.startswith("lance.")]:
            del sys.modules[name]
        return importlib.import_module("lance.file")


def arrow() -> Any:
    """The module `pyarrow`."""
    return importlib.import_module("pyarrow")
