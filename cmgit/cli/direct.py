"""The direct route's reading: one named file, from disk or from a revision, without any index."""

from __future__ import annotations

from cmgit.core.config import Config
from cmgit.core.records import Context
from cmgit.git.disk import blob_oid, read_file
from cmgit.git.listing import hidden_oid, is_listed
from cmgit.git.locate import Location, StartedProbe, probe
from cmgit.git.revisions import tree_of
from cmgit.languages.table import language_of
from cmgit.notes.standing import Standing
from cmgit.retrieve.direct import FileReader, direct_context, with_tree
from cmgit.retrieve.notes_part import with_notes
from cmgit.retrieve.prompt import Prompt
from cmgit.retrieve.prompt import read_prompt as parse_prompt
from cmgit.retrieve.seen import NOTHING_SEEN, Seen


def direct_answer(
    location: Location,
    config: Config,
    prompt: str | Prompt,
    rev: str | None,
    budget: int | None,
    seen: Seen = NOTHING_SEEN,
    started: StartedProbe | None = None,
) -> Context | None:
    """The answer of the direct route, None where the prompt needs an index. started: see `open_view`."""
    parsed = parse_prompt(prompt) if isinstance(prompt, str) else prompt
    if rev is None and location.top is not None:
        absent: set[str] = set()
        found = direct_context(parsed, lambda path: from_disk(location, path, absent), config, budget, seen, absent)
        if found is None:
            return None
        state = started.answer() if started is not None else probe(location.top, with_changes=True)
        shown = {item.path for item in (*found.items, *found.again)}
        dirty = sum(change.path in shown for change in state.changes or ())
        answer = with_tree(found, state.head_tree or "", dirty)
        standing = Standing(location, state.head_tree or "", tuple(state.changes or ()))
        return add_notes(answer, standing, lambda path: from_disk(location, path), config, budget)
    if rev is None:
        return None
    tree = tree_of(location, rev)
    found = direct_context(parsed, lambda path: from_tree(location, tree, path), config, budget)
    if found is None:
        return None
    standing = Standing(location, tree, None)
    return add_notes(with_tree(found, tree, 0), standing, lambda path: from_tree(location, tree, path), config, budget)


def add_notes(
    context: Context, standing: Standing, read: FileReader, config: Config, budget: int | None
) -> Context | None:
    """The notes of the file that a direct answer shows; None where both do not fit."""
    if not context.items:
        return context
    path = context.items[0].path
    found = read(path)
    limit = config.budget if budget is None else budget
    data = found[0] if found is not None else b""
    return with_notes(context, standing, data, language_of(path, data[:256]) or "", config, limit)


def from_disk(location: Location, path: str, absent: set[str] | None = None) -> tuple[bytes, str] | None:
    """A file that git lists and that is no link; ignored files are never shown.

    Args:
        absent: gets the path where it is read from git, because a sparse checkout keeps it off the disk.
    """
    assert location.top is not None
    data = read_file(location.top, path)
    if data is None:
        found = from_index(location, path)
        if found is not None and absent is not None:
            absent.add(path)
        return found
    if not is_listed(location, path):
        return None
    return data, blob_oid(data, location.object_format)


def from_index(location: Location, path: str) -> tuple[bytes, str] | None:
    """A file that a sparse checkout keeps off the disk."""
    from cmgit.git.objects import open_objects

    oid = hidden_oid(location, path)
    if oid is None:
        return None
    with open_objects(location) as objects:
        return objects.read_blob(oid), oid


def from_tree(location: Location, tree: str, path: str) -> tuple[bytes, str] | None:
    from cmgit.git.objects import open_objects

    with open_objects(location) as objects:
        entry = objects.find_entry(tree, path)
        if entry is None or entry.mode not in (0o100644, 0o100755):
            return None
        return objects.read_blob(entry.oid), entry.oid
