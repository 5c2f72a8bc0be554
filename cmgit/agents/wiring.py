"""What stands in which settings file of a client: put there, recognised again, taken away; the rest stays to the byte.

A link to a settings file stays a link: the file that it names is edited. What cannot be read with certainty is refused
and left alone.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cmgit.agents import jsonc, toml_text, yaml_text
from cmgit.agents.changes import Change, RemoveFile, WriteFile, content
from cmgit.core.atomic import printable
from cmgit.core.errors import CmgitError

Group = dict[str, object]
NEW_MODE = 0o644


@dataclass(frozen=True, slots=True)
class JsonHooks:
    """Handlers below `hooks` of a JSON file. groups: what each event has at the end of its list.

    client: its name after `cm-hook`, by which a handler of ours is known, whoever wrote it. base: members that a new
    file needs beside.
    """

    path: Path
    client: str
    groups: Mapping[str, Group]
    base: tuple[tuple[str, object], ...] = ()

    def after_install(self, text: str) -> str:
        is_new = not text or jsonc.parse(text).value == {}
        for event, group in self.groups.items():
            way = ("hooks", event)
            text = self._without(text, [event], keep=group) or ""
            if not any(value == group for value in _list_at(text, way)):
                text = jsonc.add(text, way, group, item=True) if text else jsonc.new_text({"hooks": {event: [group]}})
        if is_new:
            for key, value in self.base:
                text = jsonc.add(text, (key,), value)
        return text

    def after_uninstall(self, text: str) -> str | None:
        base = dict(self.base)
        root = jsonc.parse(text)
        ours = list(_members(root)) == ["hooks", *base]
        after = self._without(text, list(_members_at(text, "hooks")), keep=None)
        if not (ours and base and after is not None and jsonc.parse(after).value == base):
            return after
        if root.start + 1 != root.children[0].first:
            return None
        bare: str | None = text  # an empty object was there before
        for key in base:
            bare = jsonc.remove(bare, (key,)) if bare else None
        return self._without(bare, list(_members_at(bare, "hooks")), keep=None) if bare else None

    def _without(self, text: str, events: list[str], keep: Group | None) -> str | None:
        """The text without handlers of ours, but for the group to keep; None where nothing else is in it."""
        for event in events:
            if not text:
                return None
            way = ("hooks", event)
            outcome = jsonc.remove(text, way, lambda value: value != keep and self._is_ours(value))
            if outcome is None:
                return None
            text = outcome
            for number, value in enumerate(_list_at(text, way)):
                if value != keep and _handlers(value):  # a group that others use too
                    outcome = jsonc.remove(text, (*way, number, "hooks"), self._is_our_handler)
                    text = text if outcome is None else outcome
        return text

    def _is_ours(self, value: object) -> bool:
        handlers = _handlers(value)
        return all(map(self._is_our_handler, handlers)) if handlers else self._is_our_handler(value)

    def _is_our_handler(self, value: object) -> bool:
        pattern = rf"(?:^|[\s/\\'\"])cm-hook(?:\.exe)?['\"]? {re.escape(self.client)}(?:$|[\s;'\"])"
        return isinstance(value, dict) and any(
            isinstance(value.get(key), str) and re.search(pattern, value[key]) for key in ("command", "bash")
        )


@dataclass(frozen=True, slots=True)
class JsonMember:
    """One member of a JSON file, such as an MCP server."""

    path: Path
    way: tuple[str, ...]
    value: object

    def after_install(self, text: str) -> str:
        if not text:
            value = self.value
            for key in reversed(self.way):
                value = {key: value}
            return jsonc.new_text(value)
        if _at(text, self.way) == self.value:
            return text
        bare = self.after_uninstall(text)
        return self.after_install("") if bare is None else jsonc.add(bare, self.way, self.value)

    def after_uninstall(self, text: str) -> str | None:
        return jsonc.remove(text, self.way)


@dataclass(frozen=True, slots=True)
class TomlTable:
    path: Path
    name: str
    members: Mapping[str, str | list[str]]

    def after_install(self, text: str) -> str:
        return toml_text.add(text, self.name, self.members)

    def after_uninstall(self, text: str) -> str | None:
        return toml_text.remove(text, self.name) or None


@dataclass(frozen=True, slots=True)
class YamlItems:
    path: Path
    lines: tuple[str, ...]

    def after_install(self, text: str) -> str:
        return yaml_text.add_items(text, list(self.lines))

    def after_uninstall(self, text: str) -> str | None:
        return yaml_text.remove(text) or None


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is ours as a whole. mark: what tells ours from a person's, whichever version wrote it."""

    path: Path
    text: str
    mark: str

    def after_install(self, text: str) -> str:
        if text and self.mark not in text:
            raise jsonc.Unfit("another file of that name stands there")
        return self.text

    def after_uninstall(self, text: str) -> str | None:
        return None if self.mark in text else text


Piece = JsonHooks | JsonMember | TomlTable | YamlItems | OwnFile
Edit = Callable[[Piece, str], str | None]


def install_changes(pieces: list[Piece]) -> list[Change]:
    """What has to be written so that the pieces stand. Raises: CmgitError: a file is not edited, with what to do."""
    return _changes(pieces, lambda piece, text: piece.after_install(text))


def uninstall_changes(pieces: list[Piece], kept: tuple[Path, ...]) -> list[Change]:
    """What has to be written so that nothing of ours stands there. Raises: CmgitError: a file is not edited.

    Args:
        kept: folders that stay even where nothing is left in them.
    """
    return _changes(pieces, lambda piece, text: piece.after_uninstall(text) if text else None, kept)


def check_inside(pieces: list[Piece], top: Path) -> None:
    """Raises: CmgitError: a link in the repository, which may be anybody's, leads a settings file out of it."""
    for piece in pieces:
        if not _real(piece.path).is_relative_to(_real(top)):
            raise CmgitError(
                f"{printable(piece.path)} is not edited: a link leads out of the repository", "use --scope user"
            )


def _changes(pieces: list[Piece], edit: Edit, kept: tuple[Path, ...] = ()) -> list[Change]:
    files: dict[Path, list[Piece]] = {}
    for piece in pieces:
        files.setdefault(_real(piece.path), []).append(piece)
    changes = [_change(path, group, edit, tuple(map(_real, kept))) for path, group in files.items()]
    return [change for change in changes if change is not None]


def _change(path: Path, pieces: list[Piece], edit: Edit, kept: tuple[Path, ...]) -> Change | None:
    before = content(path)
    if before is None and os.path.lexists(path):
        raise CmgitError(f"{printable(path)} is no file", "look at it, and move it away")
    try:
        text = _text(before)
        for piece in pieces:
            text = edit(piece, text) or ""
    except (jsonc.Broken, jsonc.Unfit, toml_text.Broken, yaml_text.Doubtful) as error:
        what = "it is broken: " if isinstance(error, jsonc.Broken) else ""
        raise CmgitError(
            f"{printable(path)} is not edited: {what}{error}", "it is as it was; mend it, then run this again"
        ) from error
    after = text.encode()
    if not text:
        return RemoveFile(path, before, prune=True, kept=kept) if before else None
    mode = NEW_MODE if before is None else stat.S_IMODE(path.stat().st_mode)
    return WriteFile(path, before, after, mode) if after != (before or b"") else None


def _text(data: bytes | None) -> str:
    if data is None:
        return ""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise jsonc.Unfit("it is not UTF-8") from error
    if not text.strip("\ufeff \t\r\n"):
        raise jsonc.Unfit("it is empty, so that what stood before could not be told apart; remove it")
    return text


def _real(path: Path) -> Path:
    """The file that is edited: what a link names, also where it does not exist yet."""
    return Path(os.path.realpath(path))


def _handlers(value: object) -> list[object]:
    found = value.get("hooks") if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _members(node: jsonc.Node) -> list[str]:
    return [child.key for child in node.children if child.key_start >= 0]


def _members_at(text: str, key: str) -> list[str]:
    value = _at(text, (key,))
    return list(value) if isinstance(value, dict) else []


def _list_at(text: str, way: tuple[str, ...]) -> list[object]:
    value = _at(text, way) if text else None
    return value if isinstance(value, list) else []


def _at(text: str, way: tuple[str, ...]) -> object:
    value = jsonc.parse(text).value
    for key in way:
        value = value.get(key) if isinstance(value, dict) else None
    return value
