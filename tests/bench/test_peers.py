"""The bench's own arithmetic: what a run took, what an answer shows within its bytes, what the table says."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import peers  # noqa: E402
import peers_retrieval  # noqa: E402
import peers_run  # noqa: E402
import report  # noqa: E402
from peers_install import PINNED  # noqa: E402
from peers_tool import Found, Place, Question, Shown  # noqa: E402

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
PYTHON = sys.executable


def run_python(code: str, tmp_path: Path, limit: float = 20, **more: Any) -> peers_run.Run:
    return peers_run.run([PYTHON, "-c", code], tmp_path, os.environ, limit, **more)


def test_a_run_gives_output_and_the_cpu_of_children(tmp_path: Path) -> None:
    spin = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}]); print('done')"
    found = run_python(code, tmp_path)
    assert (found.out, found.error) == (b"done\n", "")
    assert found.cpu >= 0.3
    assert found.seconds >= 0.3


@linux
def test_memory_is_that_of_all_processes_at_one_moment(tmp_path: Path) -> None:
    child = "held = bytearray(60_000_000); held[::4096] = b'x' * len(held[::4096]); print(1, flush=True); input()"
    code = (
        "import subprocess, sys, time\n"
        f"both = [subprocess.Popen([sys.executable, '-c', {child!r}], stdin=-1, stdout=-1) for _ in range(2)]\n"
        "[one.stdout.readline() for one in both]\n"
        "time.sleep(1.5)\n"
        "[one.communicate(b'go\\n') for one in both]"
    )
    found = run_python(code, tmp_path)
    assert 120 <= found.peak_mb < 240


@linux
def test_a_daemon_that_was_left_behind_is_counted_and_ended(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "one = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n"
        "print(one.pid)"
    )
    found = run_python(code, tmp_path)
    assert found.left == 1
    assert not Path(f"/proc/{int(found.out)}").exists()


def test_what_fails_or_takes_too_long_says_so(tmp_path: Path) -> None:
    assert run_python("raise SystemExit('no such luck')", tmp_path).error == "exit 1: no such luck"
    assert run_python("import time; time.sleep(30)", tmp_path, limit=0.5).error == "ended after 0 s"
    missing = peers_run.run([str(tmp_path / "none")], tmp_path, os.environ, 5)
    assert missing.error.startswith("cannot start")


SERVER = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if "id" in told:
        result = {"content": [{"type": "text", "text": json.dumps(told.get("params"))}]}
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": result}), flush=True)
"""


def test_a_server_is_asked_over_its_pipes(tmp_path: Path) -> None:
    found = run_python(SERVER, tmp_path, talk=lambda process: peers_run.Server(process).call("look", {"text": "this"}))
    assert json.loads(found.out) == {"name": "look", "arguments": {"text": "this"}}
    assert found.error == ""


def test_an_explore_answer_is_read_as_ranges_in_its_order() -> None:
    text = (
        "**`lib/a.js`** — one(function)\n\n```javascript\n3\tx\n4\ty\n\n... (gap) ...\n\n9\tz\n```\n\n"
        "**`lib/b.js`** — two(function)\n\n```javascript\n1\tx\n```\n\n> 5\tis no line\n"
    )
    ranges = [("lib/a.js", 3, 4), ("lib/a.js", 9, 9), ("lib/b.js", 1, 1)]
    assert [(one.path, one.start, one.end) for one in peers.explored(text)] == ranges


def test_an_answer_is_cut_where_its_bytes_are_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers_retrieval, "BUDGET", 35)
    (tmp_path / "a.js").write_text("123456789\n" * 10)
    kept, spent = peers_retrieval.within(
        [Shown("a.js", 1, 2), Shown("a.js", 2, 2), Shown("a.js", 5, 8), Shown("a.js", 10, 10)], tmp_path
    )
    assert [(one.start, one.end) for one in kept] == [(1, 2), (2, 2), (5, 5)]
    assert spent == 30


def test_a_task_is_scored_by_what_is_shown_and_by_rank(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("line\n" * 30)
    golds = [
        {"file": "a.js", "name": "first", "start": 3, "end": 6},
        {"file": "a.js", "name": "b", "start": 20, "end": 25},
    ]
    ranked = [Shown("b.js", 1, 9, "first"), Shown("a.js", 1, 30), Shown("a.js", 3, 8)]
    context = [Shown("a.js", 1, 10), Shown("a.js", 24, 24)]
    place = Place(tmp_path, tmp_path)
    told = peers_retrieval.score(Found(ranked, context), {"gold_functions": golds}, place)
    assert (told["ctx"], told["touch"]) == (0.5, 1.0)
    assert (told["file"], told["unit"]) == (2, 3)
    part = peers_retrieval.score(Found([], [Shown("a.js", 1, 10, whole=False)]), {"gold_functions": golds[:1]}, place)
    assert (part["ctx"], part["touch"], part["file"]) == (0.0, 1.0, None)


def test_tasks_are_taken_evenly_and_in_turn(tmp_path: Path) -> None:
    for name in ("a", "b"):
        rows = [{"repo": name, "n": n, "gold_functions": [{"file": "x"}] if n else []} for n in range(9)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    tasks = peers_retrieval.read_tasks([tmp_path], 4)
    assert [(task["repo"], task["n"]) for task in tasks] == [("a", 1), ("b", 1), ("a", 5), ("b", 5)]


def test_every_tool_is_named_and_has_a_pinned_version() -> None:
    for key, kind in peers.TOOLS.items():
        assert key in report.NAMES
        assert kind.key == "cmgit" or PINNED[kind.key].version


def test_a_tool_that_is_not_there_has_a_reason(tmp_path: Path) -> None:
    assert "make bench-peers" in peers.missing(tmp_path, "semble")
    (tmp_path / "failed.json").write_text(json.dumps({"probe": "npm is not on the PATH"}))
    assert peers.missing(tmp_path, "probe") == "npm is not on the PATH"


def test_no_tool_gets_the_users_home_or_may_send_telemetry(tmp_path: Path) -> None:
    place = Place(tmp_path / "clone", tmp_path / "home")
    for kind in peers.TOOLS.values():
        env = kind(tmp_path).env(place)
        assert env["HOME"] == str(place.home)
        assert env["DO_NOT_TRACK"] == "1"
        assert env["HTTPS_PROXY"] == "http://127.0.0.1:9"


def test_words_of_a_prompt_become_a_pattern_for_ripgrep(tmp_path: Path) -> None:
    tool = peers.Ripgrep(tmp_path)
    assert tool.pattern(Question("fix: make the app.handle of a Router throw")) == [
        "-i", "-e", "handle", "-e", "Router", "-e", "throw",
    ]  # fmt: skip
    assert tool.pattern(Question("change lookup", "lookup")) == ["-w", "-e", "lookup"]


def one_result(theirs: float) -> dict[str, Any]:
    ours = {"index": {"runs": [[2.0, 3.0, 100.0]] * 5}, "search": {"runs": [[0.5, 0.4, 50.0]] * 5}, "disk": 400}
    other = {"index": {"runs": [[theirs, 3.0, 100.0]] * 3}, "search": {"error": "exit 1: a | b"}, "disk": 4000}
    repo = {
        "repo": "a/b", "files": 1, "units": 2, "source": 1000, "commit": "c" * 40, "question": ["named", "search"],
        "figures": {"cmgit-words": ours, "codegraph": other},
    }  # fmt: skip
    machine = {
        "system": "Linux", "cpu": "", "cores": 2, "memory_gb": 1, "python": "3", "git": "2", "node": "", "load": 0.1,
    }  # fmt: skip
    tools = {key: {"version": "1", "about": ""} for key in ("cmgit-words", "codegraph")}
    return {
        "date": "2026-11-30", "network": True, "machine": machine, "minutes": 1, "repos": [repo], "tools": tools,
        "absent": {"semble": "no wheel"},
    }  # fmt: skip


def test_the_table_says_where_another_tool_wins_fails_or_is_absent() -> None:
    slower, faster = report.render(one_result(4.0)), report.render(one_result(1.0))
    assert "| 4.00 / 3.00 <sub>n=3</sub> (×2.0) |" in slower
    assert "No other tool wins a column here." in slower
    assert "(**×0.50**)" in faster
    assert "Others win at *first index*: codegraph." in faster
    assert "| semble | **not measured** | no wheel |" in slower
    assert "codegraph, search of a/b: exit 1: a \\| b" in slower
    assert "4.00 (×10.0)" in slower
    assert "| failed |" in slower
    late = one_result(4.0)
    late["repos"][0]["figures"]["codegraph"]["index"] = {"runs": [], "error": "left out: the time was up"}
    assert "| codegraph | left out |" in report.render(late)


def test_runs_that_complete_each_other_become_one_short_table() -> None:
    hit = {"file": 1, "unit": 9, "units": True, "ctx": 0.0, "touch": 1.0, "bytes": 100}
    tasks = {"tasks": [{"repo": "a/b", "tools": {"cmgit-words": hit}}], "keys": ["cmgit-words", "codegraph"]}
    times, found = one_result(1.0), one_result(1.0) | {"repos": [], "retrieval": tasks}
    text = report.short(report.merged([times, found]), "a/b")
    assert "| cmgit, no vectors | 2.00 | — | — | **0.50** | — | **0.40** | **100** | **1.000** | **0.000** |" in text
    assert "| codegraph | **1.00** | — | — | — | — | 4.00 | **100** | 0.000 | **0.000** |" in text


def test_a_retrieval_table_counts_a_failed_task_as_nothing_found() -> None:
    hit = {"file": 1, "unit": 1, "units": True, "ctx": 1.0, "touch": 1.0, "bytes": 100}
    tasks = [{"repo": "a/b", "tools": {"cmgit": hit, "semble": hit}}, {"repo": "a/b", "tools": {"cmgit": hit}}]
    told = {"tasks": tasks, "keys": ["cmgit", "semble"], "budget": 6000, "errors": {"semble": ["exit 1"], "cmgit": []}}
    told |= {"late": 3, "no_clone": ["c/d"]}
    text = report.retrieval(told)
    assert "| cmgit | **1.000** | **1.000** | **1.000** | **1.000** | 100 |  |" in text
    assert "3 more did not fit in the time. No clone of c/d." in text
    assert "| semble | 0.500 | 0.500 | 0.500 | 0.500 | 50 | 1 |" in text
