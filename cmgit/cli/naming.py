"""Names as a user types them → units of a view."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError, UsageError
from cmgit.core.records import Role

if TYPE_CHECKING:
    from cmgit.git.locate import Location
    from cmgit.view.view import View

ORDER = (
    Role.SOURCE,
    Role.CONFIG,
    Role.DECLARATION,
    Role.EXAMPLE,
    Role.TEST,
    Role.FIXTURE,
    Role.GENERATED,
    Role.VENDORED,
    Role.BUILD,
    Role.MINIFIED,
)


def typed_name(location: Location, typed: str) -> str:
    """A name as a user typed it, with a path that starts with `./`, `../` or `/` written as one in the repository.

    Raises:
        UsageError: there is no name in it, or the path points outside.
    """
    from cmgit.cli.paths import repository_path

    path, mark, name = typed.replace("::", ":").rpartition(":")
    if not name.strip():
        raise UsageError("the name is empty", "give a name, Owner.member, or path:name: git cm callers Cart.total")
    if not path.startswith(("./", "../", "/")):
        return typed
    return repository_path(location, path) + mark + name


def units_for(view: View, typed: str) -> list[int]:
    """Units that a name means: `name`, `Owner.name`, or `path:name` / `path::name`.

    Raises:
        CmgitError: nothing has that name; the hint offers near ones.
    """
    path, _, wanted = typed.replace("::", ":").rpartition(":")
    last = wanted.rsplit(".", 1)[-1]
    found = [
        unit
        for unit in view.units_named(last)
        if (wanted == last or view.unit(unit).qualname == wanted or view.unit(unit).qualname.endswith("." + wanted))
        and (not path or view.unit(unit).path == path or view.unit(unit).path.endswith("/" + path))
    ]
    if not found and view.file_index(typed) is not None:
        raise CmgitError(
            f"{typed} is a file", f"name something in it: {typed}:NAME; `git cm symbols {typed}` lists what there is"
        )
    if not found:
        raise CmgitError(f"nothing here is named {typed}", hint_for(view, path, last))
    return sorted(found, key=lambda unit: (standing(view, view.unit(unit).path), unit))


def hint_for(view: View, path: str, last: str) -> str:
    """What to try instead of a name that nothing has."""
    near = get_close_matches(last, view.names(), 4, 0.7)
    if path and view.file_index(path) is not None:
        listed = f"`git cm symbols {path}` lists what that file has"
        elsewhere = view.units_named(last)
        if elsewhere:
            return f"{listed}; one is in {view.unit(elsewhere[0]).path}"
        return listed + (f"; did you mean {', '.join(near)}?" if near else "")
    return f"did you mean {', '.join(near)}?" if near else "try `git cm search` with words instead"


def standing(view: View, path: str) -> int:
    """Sources first, then types and examples, tests, and what was built or copied last."""
    index = view.file_index(path)
    role = view.files[index].role if index is not None else Role.SOURCE
    return ORDER.index(role) if role in ORDER else 0
