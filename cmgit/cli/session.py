"""What every command starts with: where it stands, and its settings. Reads the environment so that nobody else does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError, UsageError
from cmgit.core.record import record
from cmgit.git.locate import Located, Location, located_answer, located_call
from cmgit.git.plumbing import run_calls
from cmgit.git.settings import settings_answer, settings_call


@record
class Session:
    """located: what git said when it was found."""

    location: Location
    config: Config
    located: Located | None = None


def open_session() -> Session:
    """Find the repository of the current folder and read `git config cm.*`."""
    cwd = current_folder()
    answered, settings = run_calls([located_call(cwd), settings_call(cwd)])
    located = located_answer(cwd, answered)
    return Session(located.location, config_from(settings_answer(settings)), located)


def current_folder() -> str:
    """The folder that the command was called in, as a str, as git gives it.

    Raises:
        CmgitError: it was removed.
    """
    try:
        return os.getcwd()  # noqa: PTH109
    except FileNotFoundError as error:
        raise CmgitError("the current folder was removed", "cd to a folder that exists") from error


def config_from(settings: dict[str, str]) -> Config:
    """A Config from `cm.*` keys (git folds them to lower case). Unknown keys are ignored, bad values are refused."""
    default = Config()
    return Config(
        max_blob_bytes=number(settings, "cm.maxblobbytes", default.max_blob_bytes),
        keep_trees=number(settings, "cm.keeptrees", default.keep_trees),
        budget=number(settings, "cm.budget", default.budget),
        detail=choice(settings, "cm.detail", ("normal", "expanded")),
        vectors=boolean(settings, "cm.vectors", default.vectors),
        model_dir=os.path.expanduser(settings.get("cm.modeldir", "")),  # noqa: PTH111
        cache_dir=os.path.expanduser(settings.get("cm.cachedir", "")) or str(default_cache_dir()),  # noqa: PTH111
        hooks=boolean(settings, "cm.hooks", default.hooks),
        notes=choice(settings, "cm.notes", ("auto", "on", "off")),
        context=boolean(settings, "cm.context", default.context),
        log_prompts=boolean(settings, "cm.logprompts", default.log_prompts),
        workers=number(settings, "cm.workers", default.workers),
    )


def number(settings: dict[str, str], key: str, default: int) -> int:
    text = settings.get(key)
    if text is None:
        return default
    factor = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}.get(text[-1:].lower(), 1)
    digits = text[:-1] if factor > 1 else text
    if not digits.isdecimal():
        raise UsageError(f"git config {key} is {text!r}, which is no number", f"git config {key} {default}")
    return int(digits) * factor


def boolean(settings: dict[str, str], key: str, default: bool) -> bool:
    text = settings.get(key)
    if text is None:
        return default
    if text.lower() in ("true", "yes", "on", "1"):
        return True
    if text.lower() in ("false", "no", "off", "0", ""):
        return False
    raise UsageError(f"git config {key} is {text!r}, which is neither true nor false", f"git config {key} true")


def choice(settings: dict[str, str], key: str, allowed: tuple[str, ...]) -> str:
    text = settings.get(key, allowed[0])
    if text not in allowed:
        raise UsageError(f"git config {key} is {text!r}", f"it may be {' or '.join(allowed)}")
    return text


def default_cache_dir() -> Path:
    """The user's cache folder of cmgit: XDG on Linux, Library/Caches on macOS, LOCALAPPDATA on Windows."""
    explicit = os.environ.get("XDG_CACHE_HOME")
    if explicit:
        return Path(explicit) / "cmgit"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "cmgit" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "cmgit"
    return Path.home() / ".cache" / "cmgit"
