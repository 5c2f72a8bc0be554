"""What no prompt changes about a view, made once for each view that is kept in memory: roles, copies, who uses whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from cmgit.core.facts import NONE, RefKind
from cmgit.core.records import Role
from cmgit.retrieve.mirrors import mirrors
from cmgit.retrieve.ports import View
from cmgit.view.layout import distinct

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Standing:
    """roles: `Role` of each file; what mirrors a source counts as built. copies: files of the same blob, in path order,
    two or more. source, target: distinct pairs of units of which one uses the other, no imports. tests, tested:
    distinct pairs of files of which the first is a test and imports the other. users, uses: roots of how many units use
    a unit and of how many it uses, at least 1.
    from_test: whether `source` stands in a test. paths: term → files, made when a view is asked a second time.
    """

    roles: Ints
    copies: tuple[tuple[int, ...], ...]
    source: Ints
    target: Ints
    tests: Ints
    tested: Ints
    users: Floats
    uses: Floats
    from_test: NDArray[np.bool_]
    asked: int = 0
    paths: dict[str, list[int]] = field(default_factory=dict)


_KNOWN: WeakKeyDictionary[View, Standing] = WeakKeyDictionary()


def standing(view: View) -> Standing:
    """Of this view, which never changes once it is open."""
    known = _KNOWN.get(view)
    if known is None:
        known = _KNOWN[view] = _read(view)
    return known


def _read(view: View) -> Standing:
    roles = np.array([int(file.role) for file in view.files], np.int64)
    roles[mirrors(view)] = int(Role.BUILD)
    groups: dict[tuple[str, str], list[int]] = {}
    for index, file in enumerate(view.files):
        if file.unit_count:
            groups.setdefault((file.oid, file.language), []).append(index)
    copies = tuple(tuple(group) for group in groups.values() if len(group) > 1)
    edges, units, files = view.edges, max(len(view.units), 1), max(len(view.files), 1)
    # Weights are fitted on calls and types: a function that is only passed on says less of its neighbour.
    used = (edges.is_import == 0) & (edges.kind != int(RefKind.VALUE))
    bound = np.flatnonzero((edges.target != NONE) & used)
    pairs = distinct(edges.source[bound] * np.int64(units) + edges.target[bound])
    source, target = pairs // units, pairs % units
    apart = source != target
    source, target = source[apart], target[apart]
    users, uses = (np.sqrt(np.maximum(np.bincount(ends, minlength=units), 1.0)) for ends in (target, source))
    imports = np.flatnonzero((edges.is_import == 1) & (edges.target_file != NONE))
    is_test = np.isin(roles, (int(Role.TEST), int(Role.FIXTURE)))
    imports = imports[is_test[edges.file[imports]]] if len(roles) else imports
    links = distinct(edges.file[imports] * np.int64(files) + edges.target_file[imports])
    from_test = is_test[view.units.file[source]] if len(roles) else np.zeros(0, np.bool_)
    return Standing(roles, copies, source, target, links // files, links % files, users, uses, from_test)
