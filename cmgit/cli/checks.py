"""What `git cm doctor` looks at: one function for each thing, cheap, writing nothing."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError, FormatMismatch, ManifestDamaged
from cmgit.git.locate import Location

if TYPE_CHECKING:
    from cmgit.git.hooks import HookSettings

OLDEST_GIT = (2, 31)
NOT_SETTINGS = {"max_characters"}
"""Fields of Config that no setting changes."""

STUCK_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor. state: "ok", "note" (works, but know it), "wrong" (mend it). hint: what to run."""

    check: str
    state: str
    message: str
    hint: str = ""


def check_git() -> Finding:
    from cmgit.git.hooks import CONFIG_HOOKS, git_version

    version = git_version()
    text = ".".join(map(str, version))
    if version < OLDEST_GIT:
        return Finding("git", "wrong", f"git {text} is too old", "install git 2.31 or newer")
    how = "runs hooks from its settings" if version >= CONFIG_HOOKS else "runs hooks from scripts"
    return Finding("git", "ok", f"git {text}, {how}")


def check_settings(settings: dict[str, str], config_from: Callable[[dict[str, str]], Config]) -> Iterator[Finding]:
    """Misspelt names, and values that make no sense."""
    names = [camel(field.name) for field in dataclasses.fields(Config) if field.name not in NOT_SETTINGS]
    known = {name.lower(): name for name in names}
    for key in settings:
        name = key.removeprefix("cm.")
        if name in known:
            continue
        near = difflib.get_close_matches(name, known, 1)
        hint = f"perhaps cm.{known[near[0]]} was meant; `git config --show-origin --get {key}` shows where it stands"
        yield Finding("settings", "note", f"there is no setting {key}", hint if near else "docs/settings.md lists them")
    try:
        config_from(settings)
    except CmgitError as error:
        yield Finding("settings", "wrong", error.message, error.hint)


def camel(field: str) -> str:
    """`max_blob_bytes` is written `cm.maxBlobBytes`."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), field)


def check_folder(location: Location) -> Finding:
    """Where the index lies, and whether it can be kept there."""
    folder = location.cm_dir if Path(location.cm_dir).is_dir() else location.common_dir
    if os.access(folder, os.W_OK | os.X_OK):
        return Finding("folder", "ok", f"everything is kept in {location.cm_dir}")
    return Finding(
        "folder",
        "note",
        f"{folder} cannot be written: answers are right, but nothing that is worked out is kept",
        "check the owner and the mode, or run `git cm index` outside the sandbox",
    )


def check_store(location: Location, tree: str | None, recipe: str) -> Iterator[Finding]:
    """Format, HEAD's snapshot, segments that are gone or of another size. `git cm verify` reads every byte."""
    from cmgit.snapshot.publish import check_format, load_entry, published, recipe8
    from cmgit.store.segments import SegmentStore

    try:
        there = check_format(location.cm_dir)
    except FormatMismatch as error:
        yield Finding("index", "wrong", error.message, error.hint)
        return
    except CmgitError as error:
        yield Finding("index", "wrong", error.message, error.hint)
        return
    if not there:
        yield Finding("index", "note", "no index yet", "run `git cm init`")
        return
    store = SegmentStore(location.cm_dir)
    damaged: list[str] = []
    ready = False
    for entry in published(location.cm_dir):
        try:
            manifest = load_entry(location.cm_dir, entry)
        except ManifestDamaged as error:
            damaged.append(f"trees/{entry.file_name} ({error.message})")
            continue
        if manifest is None:
            continue
        damaged += [f"segments/{ref.name}" for ref in manifest.segments if not store.has(ref)]
        ready = ready or (entry.tree == tree and entry.recipe8 == recipe8(recipe))
    if damaged:
        listed = ", ".join(dict.fromkeys(damaged))
        yield Finding("index", "wrong", f"damaged or missing: {listed}", "run `git cm gc`, then `git cm index`")
    elif tree is None:
        yield Finding("index", "ok", "no commit yet: questions are answered from the files on disk")
    elif ready:
        yield Finding("index", "ok", f"HEAD's tree {tree} is indexed; `git cm verify` reads every byte")
    else:
        yield Finding("index", "note", f"HEAD's tree {tree} has no snapshot; the next question makes one",
                      "run `git cm index` to make it now")  # fmt: skip


def check_lock(location: Location) -> Iterator[Finding]:
    """Who builds now. The lock vanishes with its process, so it is never stale."""
    from cmgit.snapshot.lock import LOCK_FILE, claim, lock_owner

    try:
        fd = os.open(Path(location.cm_dir) / LOCK_FILE, os.O_RDONLY)
    except OSError:
        return
    try:
        free = claim(fd)
    finally:
        os.close(fd)
    if free is None:
        yield Finding("lock", "note", "this file system has no locks", "keep the repository on a local disk")
    elif not free:
        owner = lock_owner(location.cm_dir)
        who = f"process {owner.pid} on {owner.host}, {owner.purpose}" if owner else "a process that did not sign"
        yield Finding("lock", "note", f"the index is being written by {who}")


def check_hooks(location: Location) -> Iterator[Finding]:
    """Which hooks stand, whether what they call is still there, and what keeps them from running."""
    from cmgit.agents.git_hooks import EVENTS, installed_events, refuse_foreign_folder, this_program
    from cmgit.agents.linked_hook import real_path
    from cmgit.git.hooks import read_hook_settings

    settings = read_hook_settings(location)
    where = installed_events(settings)
    missing = [event for event in EVENTS if event not in where]
    if len(missing) == len(EVENTS):
        if own := own_lines(settings, EVENTS):
            yield Finding("hooks", "ok", f"your own scripts in {settings.folder} call cmgit at {', '.join(own)}")
            return
        yield from other_hooks(location)
        try:
            if not settings.runs_configured:
                refuse_foreign_folder(location, settings)
        except CmgitError as error:
            yield Finding("hooks", "note", error.message, f"{error.hint} {error.lines}".strip())
        return
    if missing:
        yield Finding("hooks", "wrong", f"no longer in place: {', '.join(missing)} (husky and lefthook write their "
                      "scripts anew)", "run `git cm install git`")  # fmt: skip
    program = this_program()
    wanted = (program.script, program.python)
    for event, text in installed_texts(settings, where).items():
        if not all(part in text for part in wanted):
            yield Finding("hooks", "wrong", f"{event} calls another installation", "run `git cm install git`")
    for event in where:
        script = real_path(settings.folder / event)
        if where[event] != "settings" and not script.exists():
            yield Finding("hooks", "note", f"{event} went with the index", "the next commit has it made anew")
        elif where[event] != "settings" and not os.access(script, os.X_OK):
            yield Finding("hooks", "wrong", f"{script} may not be executed, so git ignores it", f"chmod +x {script}")
        if (script.with_name(event + ".git-cm-chained")).exists():
            yield Finding("hooks", "ok", f"{event} calls the script that was there before")
    if not missing:
        places = sorted(
            {"git's settings" if place == "settings" else str(Path(place).parent) for place in where.values()}
        )
        yield Finding("hooks", "ok", f"all {len(EVENTS)} stand in {' and '.join(places)}")


def installed_texts(settings: HookSettings, where: dict[str, str]) -> dict[str, str]:
    """The text of each installed hook."""
    from cmgit.agents.linked_hook import real_path

    texts: dict[str, str] = {}
    for event, place in where.items():
        if place == "settings":
            texts[event] = "".join(
                hook.values.get("command", "") for hook in settings.configured if hook.name == f"cm-{event}"
            )
        else:
            with suppress(OSError):  # our link to nothing: the next event mends it
                texts[event] = os.fsdecode(real_path(settings.folder / event).read_bytes())
    return texts


def own_lines(settings: HookSettings, events: Sequence[str]) -> list[str]:
    """The events whose scripts call cmgit by a line that the user put there."""
    found = []
    for event in events:
        with suppress(OSError):
            if b"git-cm-hook" in (settings.folder / event).read_bytes():
                found.append(event)
    return found


def other_hooks(location: Location) -> Iterator[Finding]:
    """No hook of ours: is there one by a framework, or none at all?"""
    config = Path(location.top or location.git_dir) / ".pre-commit-config.yaml"
    try:
        named = re.search(r"\bcm-(index|stage)\b", config.read_text("utf-8", "replace"))
    except OSError:
        named = None
    if named:
        yield Finding("hooks", "ok", "pre-commit calls cmgit, where its scripts for post-commit and the others stand")
        return
    yield Finding("hooks", "note", "no hook indexes after a commit; the first question after one does",
                  "run `git cm install git` to have it done in the background")  # fmt: skip


def check_jobs(location: Location) -> Iterator[Finding]:
    """What the last background builds said, and what they left."""
    from cmgit.index.build_log import last_lines
    from cmgit.index.requests import staged_indexes, waiting_requests

    lines = last_lines(location.cm_dir, 20)
    if lines and ": failed: " in lines[-1]:
        yield Finding(
            "builds", "wrong", f"the last background build failed: {lines[-1]}", "run `git cm index` to see more"
        )
    elif lines:
        yield Finding("builds", "ok", f"last in the background: {lines[-1]}")
    old = [request.path for request in waiting_requests(location.cm_dir) if aged(request.path)]
    old += [staged.copy for staged in staged_indexes(location.cm_dir) if aged(staged.copy)]
    if old:
        yield Finding("builds", "note", f"{len(old)} requests of hooks wait since long: their builder was ended",
                      "the next commit serves them, or run `git cm index`")  # fmt: skip


def aged(path: Path) -> bool:
    try:
        return abs(time.time() - path.stat().st_mtime) > STUCK_SECONDS
    except OSError:
        return False


def check_model(config: Config) -> Finding:
    """Whether vectors can be made, without loading anything."""
    from cmgit.embed import cache

    if not config.vectors:
        return Finding("model", "note", "cm.vectors is false: words and the call graph answer alone")
    if config.model_dir:
        found = (Path(config.model_dir) / "model.onnx").is_file()
        message = f"the model of cm.modelDir, {config.model_dir}"
        return Finding("model", "ok" if found else "wrong", message if found else f"{message}, has no model.onnx",
                       "" if found else "git config --unset cm.modelDir")  # fmt: skip
    try:
        cache.source_path()
    except CmgitError as error:
        return Finding("model", "wrong", error.message, error.hint)
    prepared = any((Path(config.cache_dir) / "models").glob(f"{cache.MODEL_NAME}*.onnx"))
    return Finding("model", "ok", "the model is there" + ("" if prepared else "; it is prepared for this machine once"))
