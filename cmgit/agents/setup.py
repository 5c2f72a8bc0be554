"""What an installation for a client is: the machine, the scope, the pieces. `setups` has the clients."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cmgit.agents.wiring import OwnFile, Piece
from cmgit.core.errors import CmgitError

SKILL = "cmgit-notes"


@dataclass(frozen=True, slots=True)
class Places:
    """What is known of the machine. Nothing here is looked up again.

    home: the user's. env: the variables that move a client's settings. hook, tool: absolute paths of `cm-hook` and
    `git-cm`. plugins: the folder `hooks/` of this installation. found: the programs of the search path. mac: whether
    this is macOS.
    """

    home: Path
    env: Mapping[str, str]
    hook: str
    tool: str
    plugins: Path
    found: frozenset[str] = frozenset()
    mac: bool = False

    def folder(self, variable: str, *default: str) -> Path:
        """A client's folder: what its variable says, else this below the home folder."""
        value = self.env.get(variable, "")
        return Path(value) if value else self.home.joinpath(*default)

    def config(self, *names: str) -> Path:
        return self.folder("XDG_CONFIG_HOME", ".config").joinpath(*names)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an installation goes. top: of the repository for the project's settings, None for the user's."""

    places: Places
    top: Path | None

    @property
    def project(self) -> bool:
        return self.top is not None

    def command(self, client: str) -> str:
        """What a client's shell runs.

        It must stay the same over upgrades, because clients ask again for trust when it changes, and a colleague (or a
        removed installation) without cmgit must see nothing of it.
        """
        if self.project:
            return f"command -v cm-hook >/dev/null 2>&1 || exit 0; exec cm-hook {client}"
        program = shlex.quote(self.places.hook)
        return f"[ -x {program} ] || exit 0; exec {program} {client}"

    def server(self) -> tuple[str, list[str]]:
        """Program and arguments of the MCP server."""
        return ("git-cm" if self.project else self.places.tool), ["mcp"]


@dataclass(frozen=True, slots=True)
class Client:
    """name: as the user types it. title: as its makers write it. commands: programs that show that it is there."""

    name: str
    title: str
    commands: tuple[str, ...]
    folder: Callable[[Places], Path]
    pieces: Callable[[Scope], list[Piece]]
    server: Callable[[Scope], list[Piece]]
    needs_server: bool = False
    """Its hooks cannot bring context to a prompt: the MCP server is installed unless it is declined."""
    skills: Callable[[Scope], Path] | None = None
    project: bool = True
    after: tuple[str, ...] = field(default=())

    def is_there(self, places: Places) -> bool:
        return any(command in places.found for command in self.commands) or self.folder(places).is_dir()

    def all_pieces(self, scope: Scope, *, server: bool, skill: bool) -> list[Piece]:
        """What an installation consists of. Raises: CmgitError: it has no such scope."""
        if scope.project and not self.project:
            raise CmgitError(f"{self.title} has no settings for one repository", "use --scope user")
        pieces = self.pieces(scope)
        if server:
            pieces += self.server(scope)
        source = scope.places.plugins / "skills" / SKILL / "SKILL.md"
        if skill and self.skills is not None and source.is_file():
            text = source.read_text(encoding="utf-8")
            pieces.append(OwnFile(self.skills(scope) / SKILL / "SKILL.md", text, SKILL))
        return pieces
