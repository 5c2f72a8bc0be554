"""`git cm mcp`: tools for agents over the Model Context Protocol."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from cmgit.core.errors import CmgitError, NotARepository, UsageError
from cmgit.git.locate import Location, locate

if TYPE_CHECKING:
    from cmgit.serve.keeper import Keeper
    from cmgit.serve.tools import Arguments, Document, Tool
    from cmgit.view.view import View

Answer = TypeVar("Answer")

TOKEN = "CMGIT_MCP_TOKEN"
READER_SECONDS = 60.0
START_SECONDS = 4.0
PAUSE_SECONDS = 20.0
"""A reader that did not start in time is looked for again after so long: the machine may only have been busy."""


@click.command(name="mcp")
@click.option(
    "--http", "port", type=click.IntRange(0, 65535), help="Serve HTTP on 127.0.0.1 at this port, 0 for any; not stdio."
)
def command(port: int | None) -> None:
    """Serve this repository's tools to agents, on stdio, or with --http on this machine's own address.

    With the environment's CMGIT_MCP_TOKEN set, HTTP clients must send it: `Authorization: Bearer TOKEN`.
    """
    from importlib.metadata import PackageNotFoundError, version

    from cmgit.cli.output import note
    from cmgit.cli.session import current_folder
    from cmgit.serve.mcp_server import make_server, run_on_http, run_on_stdio

    try:
        release = version("cmgit")
    except PackageNotFoundError:
        release = "0"
    repositories = Repositories(current_folder())
    server = make_server(repositories.tools, release)
    if port is None:
        run_on_stdio(server)
    else:
        run_on_http(server, port, os.environ.get(TOKEN, ""), lambda address: note(f"serving at {address}"))


class Repositories:
    """Which repository a call means, and who answers for it: the resident reader, which is started where it is not
    running, else a view in this process.

    start: the folder that the server was started in.
    """

    def __init__(self, start: str) -> None:
        self._start = start
        self._keepers: dict[str, Keeper] = {}
        self._no_reader: dict[str, float] = {}
        self._lock = threading.Lock()

    def tools(self, roots: Sequence[str] = ()) -> list[Tool]:
        """The tools; those for notes only where there are any."""
        from cmgit.serve.code_tools import code_tools

        def ask(op: str, arguments: Arguments) -> Document:
            location = self.meant(arguments.get("cwd"), roots)
            return self.answer(location, op, {name: value for name, value in arguments.items() if name != "cwd"})

        return [*code_tools(ask), *self._note_tools(roots)]

    def _note_tools(self, roots: Sequence[str]) -> list[Tool]:
        from cmgit.cli.session import config_from
        from cmgit.git.settings import read_settings

        try:
            location = self.meant(None, roots)
            config = config_from(read_settings(location))
        except CmgitError:
            return []
        from cmgit.serve.note_tools import note_tools, notes_wanted

        if not notes_wanted(location, config):
            return []

        def ask(question: Callable[[View], Answer]) -> Answer:
            return self._keeper(location).ask(lambda view, _config, _keeper: question(view))

        return note_tools(ask, lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))

    def meant(self, cwd: object, roots: Sequence[str]) -> Location:
        """The repository of a call: of the folder that it names, of the server's folder, of the client's roots.

        A call cannot name any folder of this machine: it must be of the same repository, or below one of those.

        Raises:
            CmgitError: there is none, or it is out of bounds.
        """
        if cwd is None:
            return self._own(roots)
        if not isinstance(cwd, str) or "\0" in cwd:
            raise UsageError("cwd is no folder", "give the path of a folder")
        place = os.path.realpath(os.path.join(self._start, cwd))  # noqa: PTH118
        found = locate(place)
        bounds = [os.path.realpath(folder) for folder in (self._start, *roots)]
        if any(os.path.commonpath([place, bound]) == bound for bound in bounds):
            return found
        try:
            own = self._own(roots)
        except CmgitError:
            own = None
        if own is None or own.common_dir != found.common_dir:
            raise CmgitError(
                "that folder belongs to another repository than this server's", "start `git cm mcp` there instead"
            )
        return found

    def _own(self, roots: Sequence[str]) -> Location:
        for folder in (self._start, *roots):
            try:
                return locate(folder)
            except NotARepository:
                continue
        raise NotARepository(
            f"the server was started in {self._start}, which is in no repository",
            "give cwd, a folder of the repository, or start the server inside it",
        )

    def answer(self, location: Location, op: str, arguments: Arguments) -> Document:
        """The document of a question.

        Raises:
            CmgitError: as the command.
        """
        from cmgit.cli.reader import answer_with

        reply = self._ask_reader(location, {"op": op, **arguments})
        if reply is not None:
            return reply
        return answer_with(self._keeper(location), {"op": op, **arguments}, None)

    def _ask_reader(self, location: Location, request: Document) -> Document | None:
        from cmgit.cli.runtime import reap_readers, runtime_dir, serve_wanted, start_reader, version
        from cmgit.view.resident import ask, exchange, socket_path

        if location.top is None or not serve_wanted() or time.monotonic() < self._no_reader.get(location.git_dir, 0.0):
            return None
        reap_readers()
        path = socket_path(location.git_dir, runtime_dir())
        whole = {**request, "version": version()}
        reply = exchange(path, whole, READER_SECONDS) if os.path.lexists(path) else None
        if reply is None or "refused" in reply:
            start_reader(location)
            end = time.monotonic() + START_SECONDS
            while ask(path, {"op": "ping"}, 1.0) is None and time.monotonic() < end:
                time.sleep(0.05)
            reply = exchange(path, whole, READER_SECONDS)
        if reply is None or "refused" in reply:
            self._no_reader[location.git_dir] = time.monotonic() + PAUSE_SECONDS  # or another installation's
            return None
        if isinstance(error := reply.get("error"), dict):
            raise CmgitError(str(error.get("message")), str(error.get("hint") or ""))
        answer = reply.get("answer")
        return answer if isinstance(answer, dict) else None

    def _keeper(self, location: Location) -> Keeper:
        from cmgit.cli.reader import build_apart
        from cmgit.cli.session import config_from
        from cmgit.serve.keeper import Keeper

        if location.top is None:
            raise CmgitError("a bare repository has no working tree", "give cwd, a worktree of it")
        with self._lock:
            if location.git_dir not in self._keepers:
                for other in self._keepers.values():  # one view at a time is memory enough
                    other.close()
                self._keepers = {location.git_dir: Keeper(location, config_from, build_apart)}
            return self._keepers[location.git_dir]
