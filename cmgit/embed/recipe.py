"""What changes a vector, as one hash. Computed without onnxruntime: readers compare recipes and load no model.

The built file is an artefact of the machine and does not count; what it is made from does.
"""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

from cmgit.core.recipe import hash_modules
from cmgit.embed.cache import SOURCE_SHA256

VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
"""As in `wordpiece`, which compiles patterns that a reader without a model does not need; a test holds them equal."""

_NUMERIC = ("embed/encoder.py", "embed/fuse.py", "embed/wordpiece.py")


@cache
def texts_recipe() -> str:
    """Everything that changes which texts are embedded."""
    return hash_modules(("embed/texts.py",))


def vectors_recipe(model_dir: str = "", *, fused: bool = True) -> str:
    """What vectors of a model are kept under; needs neither onnxruntime nor the built-in model's file.

    Args:
        model_dir: a user's model folder, "" for the built-in model.
        fused: False for the built-in model as packaged, which `load_model` falls back to with a warning.

    Raises:
        ModelUnavailable: the user's folder is missing something.
    """
    if not model_dir:
        return builtin_recipe(fused)
    from cmgit.embed.custom import read_folder

    return read_folder(model_dir).recipe


@cache
def builder_version() -> str:
    """A hash of the module that builds the fused model."""
    return hash_modules(("embed/fuse.py",))


@cache
def builtin_recipe(fused: bool) -> str:
    """The recipe of the built-in model, fused or as it is packaged."""
    return hash_modules(_NUMERIC, "fused" if fused else "plain", SOURCE_SHA256, VOCABULARY_SHA256, _runtime_version())


def custom_recipe(files: list[tuple[str, bytes]]) -> str:
    """The recipe of a user's model. files: (name, SHA-256) of everything that is read from its folder."""
    parts = [f"{name}={digest.hex()}" for name, digest in sorted(files)]
    return hash_modules((*_NUMERIC, "embed/custom.py"), "custom", *parts, _runtime_version())


def _runtime_version() -> str:
    """onnxruntime's version, read and not imported: its kernels sum in another order from one version to the next."""
    spec = importlib.util.find_spec("onnxruntime")
    if spec is None or spec.origin is None:
        return "none"
    found = re.search(rb'^__version__ = "([^"]+)"', Path(spec.origin).read_bytes(), re.MULTILINE)
    return found[1].decode() if found else "unknown"
