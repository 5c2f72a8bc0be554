"""The resident reader as a process: a keeper of one worktree's view behind a socket, and when it has to leave."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cmgit.cli.answers import Document, callers_answer, retrieve_answer, search_answer, symbols_answer
from cmgit.cli.runtime import runtime_dir, version
from cmgit.cli.session import config_from
from cmgit.core.config import Config
from cmgit.core.errors import CmgitError, UsageError
from cmgit.core.facts import CONFIG_LANGUAGE
from cmgit.core.records import ProgressCallback
from cmgit.git.locate import Location
from cmgit.serve.installation import Installation, identity
from cmgit.serve.keeper import Keeper
from cmgit.serve.place import take_place
from cmgit.serve.server import Rules, Server
from cmgit.view.resident import socket_path

if TYPE_CHECKING:
    from cmgit.cli.answers import Embed
    from cmgit.view.view import View

IDLE_SECONDS = 900.0
MOST_MEMORY = 1_500_000_000
"""Bytes: a reader that grew beyond is replaced by a new one at the next slow prompt."""
WARM_UP = "where does the program start, and how is its configuration read"


def answer_with(keeper: Keeper, request: Document, deadline: float | None, foreseen: object = None) -> Document:
    """The document that `request["op"]` asks for, as the command's `--json` gives it. foreseen: see `Keeper.ask`.

    Raises:
        CmgitError: as the command.
    """
    bare = bool(request.get("no_vectors"))

    def ask(view: View, config: Config, keeper: Keeper) -> Document:
        def embed_query(text: str) -> object:
            return keeper.model(config).embed_query(text)

        embed: Embed | None = embed_query if config.vectors and not bare else None  # type: ignore[assignment]
        match request.get("op"):
            case "retrieve":
                document = retrieve_answer(view, keeper.location, config, embed, request)
            case "search":
                document = search_answer(view, embed, request)
            case "callers":
                document = callers_answer(view, request)
            case "symbols":
                document = symbols_answer(view, keeper.exact_view, request)
            case other:
                raise UsageError(f"nothing is called {other!r} here", "retrieve, search, callers, symbols, ping, stop")
        pending = document["pending"]
        if isinstance(pending, dict) and (embed is None or request.get("op") in ("callers", "symbols")):
            pending["vectors"] = 0  # as where they are switched off
        return document

    return keeper.ask(ask, deadline, foreseen)


def deadline_of(request: Document, arrived: float) -> float | None:
    """When the answer must be there, by time.monotonic(); None where the asker has time."""
    seconds = request.get("deadline")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return None
    return arrived + float(seconds)


def run_reader(
    location: Location, idle_seconds: float = IDLE_SECONDS, ready: Callable[[str], None] = lambda _: None
) -> str | None:
    """Serve a worktree until there is a reason to leave, and give it; None where another reader serves it already.

    Args:
        ready: called with the socket's path once clients can connect.

    Raises:
        CmgitError: a bare repository; no place to listen.
    """
    if location.top is None:
        raise CmgitError("a bare repository has no working tree", "the reader serves worktrees")
    path = Path(socket_path(location.git_dir, runtime_dir()))
    ours, started = version(), time.time()
    about = {"pid": os.getpid(), "top": location.top, "git_dir": location.git_dir, "started": int(started)}
    place = take_place(path, about)
    if place is None:
        return None
    # Git is started by one thread while another answers: it must not wait the usual 5 ms for its turn.
    sys.setswitchinterval(0.0005)
    keeper = Keeper(location, config_from, build_apart)
    installation = Installation()
    here = [(folder, identity(folder)) for folder in (location.top, location.git_dir)]

    def gone() -> str | None:
        if any(not same_folder(folder, seen) for folder, seen in here):
            return "the repository is gone"
        if resident_bytes() > MOST_MEMORY:
            return "it had grown too large"
        return stale()

    def stale() -> str | None:
        return "its own files were replaced" if installation.changed() else None

    def describe() -> Document:
        held = keeper.held
        shown: Document = {"view": None}
        if held is not None:
            view = held.view
            files = sum(1 for place in view.places if place.language not in ("", CONFIG_LANGUAGE))
            shown = {"view": {"tree": view.tree, "dirty": view.dirty, "files": files, "units": len(view.units)}}
        return {**about, "version": ours, "memory_bytes": resident_bytes(), **shown}

    rules = Rules(
        ours, idle_seconds,
        lambda request, arrived, seen: answer_with(keeper, request, deadline_of(request, arrived), seen),
        describe, gone, stale, keeper.foresee,
    )  # fmt: skip
    server = Server(place, rules)
    warm: Document = {"op": "retrieve", "prompt": WARM_UP}
    threading.Thread(target=lambda: warm_up(keeper, warm), name="warm up", daemon=True).start()
    ready(str(path))
    try:
        return server.run()
    finally:
        keeper.close()
        place.close()


def warm_up(keeper: Keeper, request: Document) -> None:
    keeper.prepare(lambda: answer_with(keeper, request, None))


def same_folder(folder: str, seen: tuple[int, int, int] | None) -> bool:
    now = identity(folder)
    return now is not None and seen is not None and now[0] == seen[0]


def build_apart(
    location: Location,
    tree: str,  # noqa: ARG001 - what HEAD is by then is what is wanted
    config: Config,
    progress: ProgressCallback,  # noqa: ARG001 - nobody watches
    warn: Callable[[str], None],  # noqa: ARG001
    *,
    on_demand: bool = False,  # noqa: ARG001
) -> object:
    """Make HEAD's snapshot in a process of its own: a build takes memory that this process would keep.

    Raises:
        CmgitError: it failed; `git cm index` says why.
    """
    import subprocess

    from cmgit.agents.program import interpreter

    python, flag = interpreter()
    argv = [python, flag, "-c", "from cmgit.cli.start import entry; entry()", "index", "--json"]
    if not config.vectors:
        argv.append("--no-vectors")
    done = subprocess.run(argv, cwd=location.top, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CmgitError(said[0] if said else "the index could not be built", "run `git cm index`")
    return None


def resident_bytes() -> int:
    """Memory of this process; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
