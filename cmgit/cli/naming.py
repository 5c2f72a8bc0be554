"""Names as a user types them → units of a view."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError

if TYPE_CHECKING:
    from cmgit.view.view import View


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
    if not found:
        near = get_close_matches(last, view.names(), 4, 0.7)
        raise CmgitError(
            f"nothing here is named {typed}",
            f"did you mean {', '.join(near)}?" if near else "try `git cm search` with words instead",
        )
    return found
