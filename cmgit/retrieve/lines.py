"""Lines that a prompt names, by `file:line` or by a stack frame, in the files that were found for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cmgit.core.facts import NONE, UnitKind
from cmgit.core.records import RankedUnit
from cmgit.retrieve.focus import Focus
from cmgit.retrieve.ports import View
from cmgit.retrieve.prompt import Prompt

MOST_LINES = 8  # of one file; the frames nearest to the fault come first
SMALL_OWNER = 2_400  # bytes of a function that is shown in place of a callback in it

NamedLines = Mapping[int, Sequence[int]]
"""Rows of the view's files to lines, in the order of the prompt."""

_FUNCTIONS = (UnitKind.FUNCTION, UnitKind.METHOD)


def named_lines(view: View, prompt: Prompt, focus: Focus) -> dict[int, list[int]]:
    """The lines of the prompt's places, by the file that each of them means."""
    found: dict[int, list[int]] = {}
    for place in prompt.places:
        alike = [(_common(view.files[file].path, place.path), -i, file) for i, file in enumerate(focus.files)]
        common, _, file = max(alike, default=(0, 0, NONE))
        lines = found.setdefault(file, []) if common and place.line else []
        if place.line and place.line not in lines and len(lines) < MOST_LINES:
            lines.append(place.line)
    return found


def _common(path: str, written: str) -> int:
    """Components that two paths end in."""
    common = 0
    for ours, theirs in zip(reversed(path.lower().split("/")), reversed(written.lower().split("/")), strict=False):
        if ours != theirs:
            break
        common += 1
    return common


def lines_in(view: View, unit: int, named: NamedLines) -> list[int]:
    """Of the named lines those of a unit, as the view knows it."""
    first, last = int(view.units.column("start_line")[unit]), int(view.units.column("end_line")[unit])
    return [line for line in named.get(int(view.units.file[unit]), ()) if first <= line <= last]


def around_callback(view: View, ranked: RankedUnit, named: NamedLines) -> tuple[RankedUnit, int | None]:
    """What to show for a root: for a callback that holds a named line the function around it, if that is small.

    Returns:
        the root, and the function around it where that is too large to take its place.
    """
    column = view.units.column
    if int(column("kind")[ranked.unit]) != UnitKind.CALLBACK or not lines_in(view, ranked.unit, named):
        return ranked, None
    owner = int(view.units.owner[ranked.unit])
    while owner != NONE and int(column("kind")[owner]) not in _FUNCTIONS:
        owner = int(view.units.owner[owner])
    if owner == NONE:
        return ranked, None
    if int(column("end")[owner] - column("start")[owner]) <= SMALL_OWNER:
        return RankedUnit(owner, ranked.score, ranked.why), None
    return ranked, owner
