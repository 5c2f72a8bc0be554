"""What an installer is about to do, as data: shown first, then done, each piece checked against what was shown."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cmgit.core.atomic import make_folder, printable, storage_errors, sync_folder, temp_name
from cmgit.core.errors import CmgitError
from cmgit.git.plumbing import run_git


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Give a file these bytes and this mode. before: what it holds now, None where it does not exist."""

    path: Path
    before: bytes | None
    after: bytes
    mode: int

    def describe(self) -> str:
        head = f"{'write' if self.before is None else 'edit'} {printable(self.path)}"
        old, new = (text(data).splitlines() for data in (self.before or b"", self.after))
        lines = list(difflib.unified_diff(old, new, n=2, lineterm=""))[2:]
        return "\n".join([head, *(f"    {line}" for line in lines if not line.startswith("@@"))])

    def apply(self) -> None:
        check(self.path, self.before)
        with storage_errors(self.path):
            make_folder(self.path.parent)
            temp = self.path.parent / temp_name()
            try:
                fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(fd, "wb", buffering=0) as stream:
                    stream.write(self.after)
                    os.fsync(fd)
                temp.chmod(self.mode)
                temp.replace(self.path)
            except BaseException:
                temp.unlink(missing_ok=True)
                raise
            sync_folder(self.path.parent)


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """Remove a file, and its folder where nothing else is left in it and `prune` says so.

    kept: folders at which that ends; with them the folders above are removed too where nothing else is left.
    """

    path: Path
    before: bytes
    prune: bool = False
    kept: tuple[Path, ...] = ()

    def describe(self) -> str:
        return f"remove {printable(self.path)}"

    def apply(self) -> None:
        check(self.path, self.before)
        with storage_errors(self.path):
            self.path.unlink()
            folder = self.path.parent
            while self.prune and folder not in self.kept and not any(folder.iterdir()):
                try:
                    folder.rmdir()
                except OSError:
                    break  # a mount, a folder that we may not change, a file that came this moment: it stays
                if not self.kept:
                    break
                folder = folder.parent


@dataclass(frozen=True, slots=True)
class MoveFile:
    """Give a file, or a link, another name. Nothing is overwritten."""

    source: Path
    target: Path

    def describe(self) -> str:
        return f"move {printable(self.source)} to {self.target.name}"

    def apply(self) -> None:
        if os.path.lexists(self.target):
            raise CmgitError(f"{printable(self.target)} is in the way", "look at it, and remove it or rename it")
        with storage_errors(self.source):
            self.source.rename(self.target)


@dataclass(frozen=True, slots=True)
class MakeLink:
    """A symbolic link where nothing is."""

    path: Path
    target: str

    def describe(self) -> str:
        return f"link {printable(self.path)} to {self.target}"

    def apply(self) -> None:
        check(self.path, None)
        with storage_errors(self.path):
            make_folder(self.path.parent)
            self.path.symlink_to(self.target)


@dataclass(frozen=True, slots=True)
class RemoveLink:
    """Remove a symbolic link that still points there."""

    path: Path
    target: str

    def describe(self) -> str:
        return f"remove {printable(self.path)}, a link to {self.target}"

    def apply(self) -> None:
        if not self.path.is_symlink() or str(self.path.readlink()) != self.target:
            raise CmgitError(f"{printable(self.path)} was changed meanwhile", "run the command again")
        with storage_errors(self.path):
            self.path.unlink()


@dataclass(frozen=True, slots=True)
class SetConfig:
    """`git config`. where: a folder of the repository. scope: "--local" or "--global"."""

    where: str
    scope: str
    key: str
    value: str

    def describe(self) -> str:
        return f"git config {self.scope} {self.key} '{self.value}'"

    def apply(self) -> None:
        run_git(self.where, ["config", self.scope, "--replace-all", self.key, self.value])


@dataclass(frozen=True, slots=True)
class RemoveSection:
    """Take a section out of git's settings."""

    where: str
    scope: str
    section: str

    def describe(self) -> str:
        return f"git config {self.scope} --remove-section {self.section}"

    def apply(self) -> None:
        run_git(self.where, ["config", self.scope, "--remove-section", self.section])


@dataclass(frozen=True, slots=True)
class CutNewline:
    """Take away the newline that git put after the last line of a settings file, when nothing else was added to it.
    size: of the file before, in bytes."""

    path: Path
    size: int

    def describe(self) -> str:
        return f"restore the end of {printable(self.path)}, which had no newline"

    def apply(self) -> None:
        data = content(self.path) or b""
        if len(data) != self.size + 1 or not data.endswith(b"\n"):
            return
        lock = self.path.with_name(self.path.name + ".lock")  # as git does it
        with storage_errors(self.path):
            try:
                fd = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IMODE(self.path.stat().st_mode))
            except FileExistsError:
                return  # git is writing it: one newline more does no harm
            with os.fdopen(fd, "wb") as stream:
                stream.write(data[:-1])
            lock.replace(self.path)


Change = WriteFile | RemoveFile | MoveFile | MakeLink | RemoveLink | SetConfig | RemoveSection | CutNewline


def apply_all(changes: Iterable[Change]) -> None:
    for change in changes:
        change.apply()


def content(path: Path) -> bytes | None:
    """The bytes of a regular file, None where there is no file or something else."""
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None
    except OSError as error:
        raise CmgitError(f"{printable(path)} cannot be read: {error.strerror}") from error


def check(path: Path, before: bytes | None) -> None:
    """Refuse to write over what was not shown."""
    if content(path) != before or (before is None and os.path.lexists(path)):
        raise CmgitError(f"{printable(path)} was changed meanwhile", "run the command again")


def text(data: bytes) -> str:
    """Bytes for a message; what is no text is shown as escapes."""
    return data.decode("utf-8", "backslashreplace")
