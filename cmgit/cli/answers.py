"""Questions as documents: `retrieve`, `search`, `symbols` and `callers` as JSON asks for them, over any view.

The commands, the resident reader and the MCP server answer through these, so that all of them say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from cmgit.core.config import Config
from cmgit.core.errors import UsageError
from cmgit.git.locate import Location

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cmgit.view.view import View

Arguments = Mapping[str, object]
Document = dict[str, object]
Embed = Callable[[str], "NDArray[np.float32]"]

MOST_RESULTS = 1_000


def text_of(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} is empty", f"give {name} as a text")
    return value


def choice_of(arguments: Arguments, name: str, allowed: tuple[str, ...], default: str) -> str:
    value = arguments.get(name, default)
    if not isinstance(value, str) or value not in allowed:
        raise UsageError(f"{name} is {value!r}", f"it may be {' or '.join(allowed)}")
    return value


def number_of(arguments: Arguments, name: str, least: int, most: int) -> int | None:
    """A whole number of the range; None where it is not given."""
    value = arguments.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} is {value!r}", f"a whole number from {least} to {most}")
    return value


def retrieve_answer(
    view: View, location: Location, config: Config, embed: Embed | None, arguments: Arguments
) -> Document:
    """As `git cm retrieve --json`.

    Args:
        embed: None where no vectors are wanted.
        arguments: `prompt`; `route`, `detail`, `budget`, `explain` as the command's options; `near`: the folder that is
            worked in; `seen`: rows of what was shown before; `characters`: of the whole context, at most; `most`: so
            many, counted as the text stands in JSON.

    Raises:
        UsageError: an argument is of another shape.
    """
    from cmgit.cli.direct import direct_answer
    from cmgit.cli.retrieving import context_json, no_direct_answer
    from cmgit.retrieve.quote import json_length
    from cmgit.retrieve.retrieve import ROUTES, retrieve
    from cmgit.retrieve.seen import Seen

    prompt, route = text_of(arguments, "prompt"), choice_of(arguments, "route", ROUTES, "auto")
    detail = choice_of(arguments, "detail", ("normal", "expanded"), config.detail)
    budget, explain = number_of(arguments, "budget", 0, 10_000_000), bool(arguments.get("explain"))
    characters = number_of(arguments, "characters", 0, 10_000_000)
    config = replace(config, max_characters=characters) if characters is not None else config
    seen, near, most = (
        Seen.of(arguments.get("seen")),
        arguments.get("near"),
        number_of(arguments, "most", 0, 10_000_000),
    )
    if route in ("auto", "direct"):
        context = direct_answer(location, config, prompt, None, budget, seen)
        if context is not None and (most is None or json_length(context.text) <= most):
            return context_json(context, explain=explain)
        if route == "direct":
            raise no_direct_answer()
    folder = near if isinstance(near, str) else ""
    context = retrieve(view, prompt, config, route, detail, budget, embed, explain, seen, folder, most)
    return context_json(context, explain=explain)


def search_answer(view: View, embed: Embed | None, arguments: Arguments) -> Document:
    """As `git cm search --json`: `query`, `count`."""
    from cmgit.cli.searching import search_json
    from cmgit.retrieve.retrieve import search

    count = number_of(arguments, "count", 1, MOST_RESULTS)
    return search_json(view, search(view, text_of(arguments, "query"), count or 10, embed))


def callers_answer(view: View, arguments: Arguments) -> Document:
    """As `git cm callers --json`: `name`."""
    from cmgit.cli.callers import document, find_callers

    name = text_of(arguments, "name")
    answers, undecided = find_callers(view, name)
    return document(view, name, answers, undecided)


def symbols_answer(view: View, exact: Callable[[str], View], arguments: Arguments) -> Document:
    """As `git cm symbols --json`: `path`, from the top of the repository; `typed`, as the user gave it.

    Args:
        exact: gives a view that is true to the bytes on disk of one path, where git's filters stand between.
    """
    from cmgit.cli.symbols import file_of, symbols_json

    path = text_of(arguments, "path")
    typed = text_of(arguments, "typed") if "typed" in arguments else path
    index = file_of(view, path, typed)
    source = view.source(index)
    if source is not None and not source.fresh:
        view = exact(view.files[index].path)
        index = file_of(view, path, typed)
    return symbols_json(view, index)
