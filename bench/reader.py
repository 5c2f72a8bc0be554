"""What the resident reader takes: `python bench/reader.py REPO --search "words of a task" --named "change a `name`"`.

REPO is a working tree with an index; one of its files is edited for the measurement and put back. A reader is started
for it and stopped at the end. Bare Python is timed in alternation with the questions: on a busy machine read the ratio
to it. CPU is the reader's own and that of the git processes that it starts, for each question.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cmgit.cli import runtime
from cmgit.git.locate import locate
from cmgit.view import resident

TICK = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repo", type=Path)
    parser.add_argument("--search", required=True)
    parser.add_argument("--named", required=True)
    parser.add_argument("--edit", help="a file of the repository, edited before each question of the last row")
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    location = locate(str(args.repo))
    path = resident.socket_path(location.git_dir, runtime.runtime_dir())
    subprocess.run(["git", "status"], cwd=args.repo, capture_output=True, check=True)  # refreshes git's index
    runtime.start_reader(location)

    def ask(**request: object) -> dict[str, object]:
        answer = resident.ask(path, {"version": runtime.version(), **request}, 60.0)
        if answer is None:
            raise SystemExit("the reader does not answer")
        return answer

    end = time.monotonic() + 60
    while not (told := resident.ask(path, {"op": "ping"}, 2.0) or {}).get("view") and time.monotonic() < end:
        time.sleep(0.1)
    pid = int(str(told["pid"]))
    ask(op="retrieve", prompt=args.search)
    print(
        "| question | ms, median | best | × bare Python | reader's CPU ms | git's CPU ms |\n|---|---|---|---|---|---|"
    )
    rows: list[tuple[str, Callable[[int], object]]] = [
        ("ping", lambda _: ask(op="ping")),
        ("retrieve, named", lambda _: ask(op="retrieve", prompt=args.named)),
        ("retrieve, search", lambda _: ask(op="retrieve", prompt=args.search, route="search")),
        ("search", lambda _: ask(op="search", query=args.search)),
    ]
    if args.edit:
        file = args.repo / args.edit
        before = file.read_bytes()

        def edited(round_: int) -> object:
            file.write_bytes(before + b"\nexport function measured%d() { return %d }\n" % (round_, round_))
            return ask(op="retrieve", prompt=args.search, route="search")

        rows.append(("retrieve, search, after an edit", edited))
    try:
        for name, question in rows:
            measure(name, question, args.rounds, pid)
    finally:
        if args.edit:
            file.write_bytes(before)
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    print(
        f"\nMemory {status['VmRSS'].strip()}, at most {status['VmHWM'].strip()}, "
        f"of it files {status['RssFile'].strip()}."
    )
    resident.ask(path, {"op": "stop"}, 2.0)


def measure(name: str, question: Callable[[int], object], rounds: int, pid: int) -> None:
    taken, bare = [], []
    before = cpu_of(pid)
    for round_ in range(rounds):
        taken.append(timed(lambda n=round_: question(n)))  # type: ignore[misc]
        bare.append(timed(lambda: subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)))
    own, git = ((now - then) * 1_000 / TICK / rounds for now, then in zip(cpu_of(pid), before, strict=True))
    median, python = statistics.median(taken), statistics.median(bare)
    print(f"| {name} | {median:.1f} | {min(taken):.1f} | {median / python:.1f} | {own:.1f} | {git:.1f} |", flush=True)


def timed(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return (time.perf_counter() - started) * 1_000


def cpu_of(pid: int) -> tuple[int, int]:
    """Ticks of a process, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])


if __name__ == "__main__":
    main()
