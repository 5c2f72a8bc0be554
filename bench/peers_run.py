"""Run one command and say what it took: wall time, CPU and memory of all its processes, its output.

Linux: this process becomes the reaper of orphans, so a daemon that a tool leaves behind is seen, counted and ended.
Elsewhere memory is that of the largest process, and the report says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

LINUX = sys.platform.startswith("linux")
SAMPLE = 0.05
GRACE = 2.0
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1


@dataclass(frozen=True)
class Run:
    """One finished command.

    seconds: until its answer was there. cpu: user and system seconds of every process. peak_mb: most memory of all
    processes at one moment (PSS, sampled). left: processes that it left running. error: why it counts as failed.
    """

    seconds: float
    cpu: float
    peak_mb: float
    out: bytes
    error: str = ""
    left: int = 0


def adopt_orphans() -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def leave_the_network() -> bool:
    """Move this process, and all that it starts, where there is no network but a loopback; needs root on Linux."""
    if not LINUX or ctypes.CDLL(None).unshare(CLONE_NEWNET) != 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, contextlib.suppress(OSError):
        fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
    return True


def run(
    command: Sequence[str], cwd: Path, env: Mapping[str, str], limit: float, talk: Callable[[Any], bytes] | None = None
) -> Run:
    """Run a command to its end, or with `talk` until that has its answer from the running process.

    Args:
        limit: seconds; what takes longer is ended and counts as failed.
        talk: is handed the process with open pipes and returns the answer.
    """
    adopt_orphans()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": out}
        if talk:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        started = time.perf_counter()
        try:
            process = subprocess.Popen(command, cwd=cwd, env=env, stderr=err, start_new_session=True, **pipes)
        except OSError as error:
            return Run(0, 0, 0, b"", f"cannot start: {error}")
        watch = Watch(process.pid)
        watch.start()
        timer = threading.Timer(limit, kill, [process.pid])
        timer.start()
        answer, error, status, usage, seconds = b"", "", 0, None, 0.0
        try:
            if talk:
                try:
                    answer = talk(process)
                except (OSError, ValueError) as trouble:
                    error = f"no answer: {trouble}"
                seconds = time.perf_counter() - started
                for pipe in (process.stdin, process.stdout):
                    pipe.close()
                if not gone(process.pid, GRACE):
                    kill(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = seconds or time.perf_counter() - started
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        left, cpu = end_orphans()
        watch.stop()
        if not talk:
            out.seek(0)
            answer = out.read()
            if process.returncode:
                err.seek(0)
                told = (err.read()[-4000:] or answer[-4000:]).decode("utf-8", "replace").strip().splitlines()
                telling = [line for line in told if "rror" in line] or told
                error = f"exit {process.returncode}: {telling[-1].strip()[:200] if telling else ''}"
        if seconds >= limit:
            error = f"ended after {limit:.0f} s"
        scale = 1_000_000 if sys.platform == "darwin" else 1_000
        peak = max(watch.peak, usage.ru_maxrss / scale if usage and not watch.peak else 0)
        return Run(seconds, usage.ru_utime + usage.ru_stime + cpu, peak, answer, error, left)


def kill(group: int) -> None:
    with_group = [group, *descendants(os.getpid())] if LINUX else [group]
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)
    for pid in with_group[1:]:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def gone(pid: int, seconds: float) -> bool:
    """Whether a child ends by itself within that time; it stays to be waited for."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return True
        time.sleep(0.005)
    return False


def end_orphans() -> tuple[int, float]:
    """End what the command left behind; gives how many, and their CPU seconds."""
    if not LINUX:
        return 0, 0.0
    count, cpu = 0, 0.0
    for pid in descendants(os.getpid()):
        try:
            os.kill(pid, signal.SIGTERM)
            count += 1
        except OSError:
            continue
    until = time.perf_counter() + GRACE
    while count:
        try:
            pid, _, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid:
            cpu += usage.ru_utime + usage.ru_stime
        elif time.perf_counter() > until:
            for one in descendants(os.getpid()):
                os.kill(one, signal.SIGKILL)
            until += GRACE
        else:
            time.sleep(0.01)
    return count, cpu


def parents(without: Collection[int] = ()) -> Iterator[tuple[int, int]]:
    """Process and parent of every living process."""
    for name in (path.name for path in Path("/proc").iterdir()):
        if name.isdigit() and int(name) not in without:
            try:
                stat = Path("/proc", name, "stat").read_bytes()
            except OSError:
                continue
            yield int(name), int(stat[stat.rindex(b")") + 4 :].split()[0])


def descendants(pid: int) -> list[int]:
    """Living processes below a process, zombies included, nearest first."""
    below: dict[int, list[int]] = {}
    for child, parent in parents():
        below.setdefault(parent, []).append(child)
    found, open_ = [], [pid]
    while open_:
        open_ = [child for one in open_ for child in below.get(one, [])]
        found += open_
    return found


class Watch(threading.Thread):
    """Samples the memory of a process and all below it; `peak` is in MB, 0 where the system does not tell."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0.0
        self._ours = {pid}
        self._seen: set[int] = set()
        self._done = threading.Event()

    def run(self) -> None:
        pause = SAMPLE
        while LINUX and not self._done.wait(pause):
            started = time.perf_counter()
            for child, parent in sorted(parents(self._seen)):  # a parent is older, and mostly has the lower number
                self._seen.add(child)
                if parent in self._ours:
                    self._ours.add(child)
            living = [pid for pid in self._ours if Path(f"/proc/{pid}").exists()]
            self.peak = max(self.peak, sum(memory(pid, alone=len(living) == 1) for pid in living))
            pause = max(SAMPLE, 20 * (time.perf_counter() - started))  # reading costs at most a twentieth of a core

    def stop(self) -> None:
        self._done.set()
        self.join()


def memory(pid: int, *, alone: bool) -> float:
    """MB of a process: its share of what is shared (PSS); of one process alone its RSS, which costs less to read."""
    try:
        if alone:
            return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        for line in Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024 / 1e6
    except (OSError, IndexError):
        pass
    return 0.0


class Server:
    """Talks to an MCP server on its pipes, one JSON object a line."""

    def __init__(self, process: Any) -> None:
        self._in: IO[bytes] = process.stdin
        self._out: IO[bytes] = process.stdout
        self._count = 0
        self.ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        self._in.write(json.dumps(message).encode() + b"\n")
        self._in.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        for line in self._out:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._count and "method" not in message:
                if "error" in message:
                    raise ValueError(str(message["error"])[:200])
                result: dict[str, Any] = message["result"]
                return result
        raise ValueError("the server closed its pipe")

    def call(self, tool: str, arguments: dict[str, Any]) -> bytes:
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise ValueError(text[:200])
        return text.encode()
