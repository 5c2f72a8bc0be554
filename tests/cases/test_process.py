"""Public reports about killed, crowded and cramped processes: each with the value that is right."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo

ASK = ("retrieve", "--no-vectors", "change `unit7`")


def command(*args: str) -> list[str]:
    return [sys.executable, "-c", "from cmgit.cli.start import entry; entry()", *args]


def many(count: int) -> dict[str, str | bytes]:
    return {f"src/f{i}.ts": f"export function unit{i}() {{\n  return unit{i} + {i}\n}}\n" for i in range(count)}


def cold_answer(repo: GitRepo, cm: Cm, *args: str) -> str:
    """What an index built from nothing answers."""
    shutil.rmtree(repo.path / ".git/cm", ignore_errors=True)
    return cm(repo.path, *args).ok().out


@pytest.mark.parametrize("keep", [0.0, 0.5], ids=["zero bytes", "half"])
@pytest.mark.parametrize("part", ["trees", "segments", "heads"])
def test_a_file_cut_short_by_a_power_cut_is_made_anew(part: str, keep: float, repo: GitRepo, cm: Cm) -> None:
    """tenequm/pond#110: the newest manifest had zero bytes, and every later open failed."""
    repo.commit(many(10))
    expected = cold_answer(repo, cm, *ASK)
    cm(repo.path, "index", "--no-vectors").ok()
    for file in (repo.path / ".git/cm" / part).iterdir():
        file.write_bytes(file.read_bytes()[: int(file.stat().st_size * keep)])
    answer = cm(repo.path, *ASK).ok()
    assert answer.out == expected
    assert part == "heads" or "damaged" in answer.err  # no answer hangs on heads
    cm(repo.path, "index", "--no-vectors").ok()
    assert cm(repo.path, "verify", "--json").json["faults"] == []
    assert cm(repo.path, *ASK).ok().out == expected


def test_an_older_snapshot_answers_while_the_newest_is_damaged(repo: GitRepo, cm: Cm) -> None:
    """DeusData/codebase-memory-mcp#334: half of the rows must never be "ready"."""
    repo.commit(many(10))
    cm(repo.path, "index", "--no-vectors").ok()
    old = set((repo.path / ".git/cm/trees").iterdir())
    repo.commit({"src/f7.ts": "export function unit7() { return 'new' }\n"})
    cm(repo.path, "index", "--no-vectors").ok()
    (newest,) = set((repo.path / ".git/cm/trees").iterdir()) - old
    data = newest.read_bytes()
    newest.write_bytes(data[: len(data) // 2])
    assert cm(repo.path, "status", "--json").json["indexed"] is False
    answer = cm(repo.path, *ASK).ok()
    assert "return 'new'" in answer.out
    assert f"trees/{newest.name} is damaged" in answer.err
    assert f"trees/{newest.name} is damaged" in cm(repo.path, "index", "--no-vectors").ok().err
    assert cm(repo.path, "status", "--json").json["indexed"] is True


def test_a_build_killed_at_any_moment_is_finished_by_the_next(repo: GitRepo, cm: Cm) -> None:
    """zilliztech/claude-context#295: "0 files, complete" after a kill, then good data was wiped."""
    repo.commit(many(150))
    expected = cold_answer(repo, cm, "export", "--units")
    for delay in (0.2, 0.3, 0.45):
        shutil.rmtree(repo.path / ".git/cm", ignore_errors=True)
        with subprocess.Popen(command("index", "--no-vectors"), cwd=repo.path, stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, start_new_session=True) as build:  # fmt: skip
            time.sleep(delay)
            if build.poll() is None:
                os.killpg(build.pid, signal.SIGKILL)
        status = cm(repo.path, "status", "--json").json
        assert not status["indexed"] or status["files"] == 150
        assert cm(repo.path, "export", "--units").ok().out == expected
    report = cm(repo.path, "index", "--no-vectors", "--json").json
    assert (report["files"], cm(repo.path, "verify").code) == (150, 0)


@pytest.mark.parametrize("kind", ["trees", "segments"])
def test_a_file_that_a_cleaner_took_is_made_anew_and_nothing_else_is_lost(kind: str, repo: GitRepo, cm: Cm) -> None:
    """Kilo-Org/kilocode#12914: a reader held a snapshot whose files were gone, and failed for ever."""
    repo.commit(many(10))
    expected = cold_answer(repo, cm, *ASK)
    cm(repo.path, "index", "--no-vectors").ok()
    folder = repo.path / ".git/cm" / kind
    names = sorted(path.name for path in folder.iterdir())
    for name in names:
        kept = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != name}
        (folder / name).unlink()
        assert cm(repo.path, *ASK).ok().out == expected
        assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name in kept} == kept
        cm(repo.path, "index", "--no-vectors").ok()
        cm(repo.path, "gc").ok()
        assert cm(repo.path, "verify", "--json").json["faults"] == []


def test_a_full_disk_fails_with_a_hint_and_the_last_snapshot_still_answers(repo: GitRepo, cm: Cm) -> None:
    """sourcegraph/sourcegraph-public-snapshot#19541: half-written shards piled up, and nothing answered."""
    repo.commit(many(10))
    cm(repo.path, "index", "--no-vectors").ok()
    store = repo.path / ".git/cm"
    before = {path for path in store.rglob("*") if path.is_file()}
    repo.commit({"src/f7.ts": "export function unit7() { return 'new' }\n"})

    def full(*args: str) -> subprocess.CompletedProcess[bytes]:
        limited = f"ulimit -f 0; trap '' XFSZ; exec {shlex.join(command(*args))} | cat"
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", limited], cwd=repo.path, capture_output=True, check=False
        )

    refused = full("index", "--no-vectors")
    assert refused.returncode == 1
    assert b"no space left" in refused.stderr
    assert b"hint: " in refused.stderr
    assert b"Traceback" not in refused.stderr
    answered = full(*ASK)
    assert (answered.returncode, b"return 'new'" in answered.stdout) == (0, True), answered.stderr
    assert not list(store.rglob(".tmp*"))
    assert before <= {path for path in store.rglob("*") if path.is_file()}
    assert cm(repo.path, "index", "--no-vectors", "--json").json["blobs"]["parsed"] == 1


NO_FORK = """
import sys
sys.addaudithook(lambda event, args: event in ("os.fork", "os.forkpty") and sys.exit(event))
from cmgit.cli.start import entry
import cmgit.index.pool as pool
pool.INLINE_BYTES = 0
if __name__ == "__main__":
    entry()
"""


def test_workers_beside_heavy_libraries_are_spawned_and_say_nothing(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    """lancedb/lancedb#1393: Lance is not fork-safe, so a forked worker that wrote a table hung."""
    repo.commit(many(12))
    script = tmp_path / "spawned.py"
    script.write_text(NO_FORK)
    run = [sys.executable, "-W", "always", str(script), "index", "--json", "--no-vectors"]
    done = subprocess.run(run, cwd=repo.path, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["blobs"]["parsed"] == 12
    units = cm(repo.path, "export", "--units").ok().out
    assert cold_answer(repo, cm, "export", "--units") == units


def test_builders_started_together_leave_one_whole_index(repo: GitRepo, cm: Cm) -> None:
    """BeaconBay/ck#150: of two writers one lost its entries."""
    repo.commit(many(40))
    started = [
        subprocess.Popen(command(*args), cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for args in (("index", "--no-vectors"), ("index", "--no-vectors"), ASK, ("gc",))
    ]
    for process in started:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0 or b"hint: " in err, err
        assert b"Traceback" not in err
    report = cm(repo.path, "index", "--no-vectors", "--json").json
    assert (report["files"], report["blobs"]["parsed"]) == (40, 0)
    assert cm(repo.path, "verify", "--json").json["faults"] == []


def test_a_lock_whose_owner_is_gone_stops_nobody(repo: GitRepo, cm: Cm) -> None:
    """BeaconBay/ck#150: a stale lock with a process id that may be someone else's by now."""
    repo.commit(many(3))
    (repo.path / ".git/cm").mkdir()
    (repo.path / ".git/cm/lock").write_text(f"{os.getpid()}\n")
    assert cm(repo.path, "index", "--no-vectors", "--json").json["files"] == 3


def test_a_large_bundle_costs_little_memory(repo: GitRepo, cm: Cm) -> None:
    """DeusData/codebase-memory-mcp#1864: 5 to 7 GB, killed each day, and each time all was lost."""
    repo.commit(many(20) | {"bundle.js": "var a=function(b,c){return b+c};" * 250_000})
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2);"
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    run = [sys.executable, "-c", code, *command("index", "--no-vectors")]
    peak = int(subprocess.run(run, cwd=repo.path, check=True, capture_output=True).stdout)
    assert peak < 400_000 * (1024 if sys.platform == "darwin" else 1), "kB"


OUT_OF_MEMORY = """
import os, signal
from cmgit.index import gather
gather.FLUSH_BYTES = 1_000
written, write = [], gather.write_products
def killed_at_the_third(*args):
    write(*args)
    written.append(args)
    if len(written) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
gather.write_products = killed_at_the_third
from cmgit.cli.start import entry
entry()
"""


def test_what_a_killed_first_build_finished_is_not_done_again(repo: GitRepo, cm: Cm) -> None:
    """DeusData/codebase-memory-mcp#1864: each kill forced a full rebuild."""
    repo.commit(many(150))
    run = [sys.executable, "-c", OUT_OF_MEMORY, "index", "--no-vectors"]
    assert subprocess.run(run, cwd=repo.path, capture_output=True, check=False).returncode == -signal.SIGKILL
    assert cm(repo.path, "status", "--json").json["indexed"] is False
    blobs = cm(repo.path, "index", "--no-vectors", "--json").json["blobs"]
    assert blobs["reused"] >= 30
    assert blobs["parsed"] + blobs["reused"] == 150


def test_one_allowed_cpu_gives_the_same_vectors_and_a_clean_stdout(repo: GitRepo, cm: Cm) -> None:
    """microsoft/onnxruntime#8313 (a CPU set) and lancedb/lancedb#1393 (warnings of a fork)."""
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("no CPU sets on this system")
    repo.commit(many(12))
    cpu = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, {{{cpu}}}); from cmgit.cli.start import entry; entry()"
    query = ("search", "--json", "the number of a unit")
    run = subprocess.run([sys.executable, "-c", code, *query], cwd=repo.path, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert json.loads(run.stdout)["results"] == cm(repo.path, *query).json["results"]


def test_output_is_whole_in_any_encoding_and_a_closed_pipe_is_no_error(repo: GitRepo) -> None:
    """anthropics/claude-code#21992: text before the JSON broke its reader."""
    repo.commit({"файл.ts": "export function расчёт() { return 'ж' }\n"} | many(60))
    noisy = {**os.environ, "PYTHONIOENCODING": "ascii", "LANG": "C", "PYTHONWARNINGS": "always", "LANCE_LOG": "debug"}

    def run(*args: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command(*args), cwd=repo.path, capture_output=True, env=noisy, check=False)

    answer = run("retrieve", "--json", "change `расчёт`")
    assert json.loads(answer.stdout)["items"][0]["path"] == "файл.ts"
    assert answer.returncode == 0
    for args in (("export", "--units"), ("retrieve", "--json", "change `расчёт`")):  # by click, and without it
        with subprocess.Popen(
            command(*args), cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=noisy
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            said = process.stderr.read()
        assert process.returncode == 0
        assert b"Traceback" not in said
        assert b"BrokenPipe" not in said


READ_ONLY = """
import ctypes, os, sys
if os.geteuid() == 0:  # root without the capability to write where the mode forbids it
    libc = ctypes.CDLL(None)
    dropped = [libc.prctl(24, capability, 0, 0, 0) for capability in (1, 2)]
    if any(dropped):
        sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="drops capabilities")
@pytest.mark.parametrize("indexed", [True, False])
def test_a_read_only_repository_is_answered(indexed: bool, repo: GitRepo, cm: Cm) -> None:
    """openai/codex#27418: a sandbox mounts the git folder read-only."""
    repo.commit(many(10))
    expected = cold_answer(repo, cm, *ASK)
    if not indexed:
        shutil.rmtree(repo.path / ".git/cm")
    before = sorted(repo.path.rglob("*"))
    places = [repo.path, *(path for path in repo.path.rglob("*") if path.is_dir())]
    for place in places:
        place.chmod(0o555)
    try:
        argv = [sys.executable, "-c", READ_ONLY, *command(*ASK)]
        run = subprocess.run(argv, cwd=repo.path, capture_output=True, check=False)
    finally:
        for place in places:
            place.chmod(0o755)
    if run.returncode == 77:
        pytest.skip("this sandbox may not drop capabilities")
    assert (run.returncode, run.stdout.decode()) == (0, expected), run.stderr
    assert run.stderr.count(b"\n") <= 2
    assert sorted(repo.path.rglob("*")) == before
