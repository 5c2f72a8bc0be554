"""Where the roots are used: calls first, then where they are passed on, sources before tests and copies."""

from __future__ import annotations

import re

from cmgit.core.facts import NONE, RefKind, UnitKind
from cmgit.core.records import CallSite, Role
from cmgit.retrieve.ports import Edge, View
from cmgit.retrieve.shown import MODULE, Found, Uses, UsesOf

MOST_CALL_SITES = 12
MOST_VALUES = 6
PASSED_ON = RefKind.VALUE.label

_LAST = 3
_ORDER = {
    Role.SOURCE: 0,
    Role.DECLARATION: 1,
    Role.CONFIG: 1,
    Role.EXAMPLE: 1,
    Role.TEST: 2,
    Role.FIXTURE: 2,
}
"""What stands first in a list that is cut; built, generated, minified and vendored files come last."""

_EXPRESSION = re.compile(rb"(?:async\b\s*)?(?:function\b|class\b|\(|[\w$]+\s*=>)")
_TAKEN = re.compile(rb"(?:\breturn|\byield|\bawait|[(,\[?]|=>|\|\||&&|\?\?)\s*\Z")
_REACH = 200  # bytes before a unit that are looked at


def find_uses(view: View, roots: list[Found]) -> Uses:
    """Uses of each root that has a name of its own, in the order of the roots."""
    found: list[UsesOf] = []
    for root in roots:
        name = root.view.name
        if not name or root.view.kind in ("file", "block", "callback"):
            continue
        sites, inside, within = _sites(view, root.unit), "", False
        if all(root.unit <= edge.source_unit and _holds(view, root.unit, edge.source_unit) for edge in sites):
            outer = _outer(view, root.unit)
            if stands_in_place(root):
                inside = view.unit(outer).qualname if outer is not None else MODULE
                within = outer is not None and view.unit(outer).name == name
                sites = sites if not within or outer is None else _sites(view, outer)
        found.append(_cut(view, name, sites, inside, within))
    return Uses(tuple(found))


def _cut(view: View, name: str, edges: list[Edge], inside: str, within: bool) -> UsesOf:
    calls = [edge for edge in edges if edge.kind != PASSED_ON]
    values = [edge for edge in edges if edge.kind == PASSED_ON]
    unbound = len(view.undecided(name)) if not calls else 0
    return UsesOf(
        name=name,
        calls=tuple(_site(view, name, edge) for edge in calls[:MOST_CALL_SITES]),
        values=tuple(_site(view, name, edge) for edge in values[:MOST_VALUES]),
        more_calls=max(len(calls) - MOST_CALL_SITES, 0),
        more_values=max(len(values) - MOST_VALUES, 0),
        unbound=unbound,
        inside=inside,
        of_outer=within,
    )


def _site(view: View, name: str, edge: Edge) -> CallSite:
    caller = view.units.qualname(edge.source_unit) if edge.source_unit != NONE else ""
    return CallSite(name, edge.path, edge.line, caller, str(edge.confidence), edge.kind)


def _sites(view: View, unit: int) -> list[Edge]:
    """Edges into a unit, one for each line and user, in the order in which they are shown."""
    distinct = {
        (edge.path, edge.line, edge.source_unit, str(edge.confidence), edge.kind): edge for edge in view.callers(unit)
    }
    return [distinct[key] for key in sorted(distinct, key=lambda key: (_rank(view, key[0]), key))]


def _rank(view: View, path: str) -> int:
    file = view.file_index(path)
    return _LAST if file is None else _ORDER.get(view.files[file].role, _LAST)


def _holds(view: View, outer: int, unit: int) -> bool:
    end, file = view.units.column("end"), view.units.file
    return bool(file[outer] == file[unit] and end[unit] <= end[outer])


def _outer(view: View, unit: int) -> int | None:
    """The nearest unit around it that has a name: one of its own name, if there is one."""
    owners: list[int] = []
    owner, kinds = int(view.units.owner[unit]), view.units.column("kind")
    while owner != NONE and kinds[owner] != UnitKind.FILE and owner not in owners:
        owners.append(owner)
        owner = int(view.units.owner[owner])
    named = [u for u in owners if kinds[u] not in (UnitKind.CALLBACK, UnitKind.BLOCK) and view.unit(u).name]
    alike = [u for u in named if view.unit(u).name == view.unit(unit).name]
    return next(iter([*alike, *named]), None)


def stands_in_place(root: Found) -> bool:
    """Whether a function is an expression that is returned or passed on where it is written."""
    data, start = root.source.data, root.view.start_byte
    return bool(_EXPRESSION.match(data, start) and _TAKEN.search(data, max(0, start - _REACH), start))
