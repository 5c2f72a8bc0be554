"""Files that a build wrote beside their sources and that are committed: `deno_dist/context.ts` from `src/context.ts`.

The bytes differ (imports, file endings), so they are no copies of a blob; the role is that of sources, for the folder's
name alone says too little. Both together say enough: a folder with a build's name, and the units of a file elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter

from cmgit.core.records import Role
from cmgit.retrieve.ports import View

LEAST_UNITS = 3  # fewer may agree by chance
LEAST_PAIRS = 5  # so many files that agree say it of a whole folder
_WRITTEN = re.compile(
    r"(?:^|[/_-])(?:dist|build|built|out|output|generated|compiled|esm|cjs|umd|npm|deno|lib|bundles?|release|publish)"
    r"(?=[/_-])",
    re.IGNORECASE,
)


def mirrors(view: View) -> list[int]:
    """Files of a view that mirror another one, ascending."""
    originals: dict[str, list[int]] = {}
    written: list[int] = []
    for index, file in enumerate(view.files):
        if file.role in (Role.SOURCE, Role.DECLARATION) and file.unit_count:
            folder, _, name = file.path.rpartition("/")
            if _WRITTEN.search(folder + "/"):
                written.append(index)
            originals.setdefault(name, []).append(index)
    pairs: list[tuple[int, tuple[str, str], bool]] = []
    for index in written:
        path = view.files[index].path
        twins = [
            (len(prefixes[0]), len(prefixes[1]), other, prefixes)
            for other in originals[path.rpartition("/")[2]]
            for prefixes in [_apart(path, view.files[other].path)]
            if other != index and _WRITTEN.search(prefixes[0]) and not _WRITTEN.search(prefixes[1])
        ]
        if twins:
            _, _, other, prefixes = min(twins)
            pairs.append((index, prefixes, _alike(view, index, other)))
    confirmed = Counter(place for _, place, alike in pairs if alike)
    return [index for index, place, alike in pairs if alike or confirmed[place] >= LEAST_PAIRS]


def _apart(path: str, other: str) -> tuple[str, str]:
    """What stands before the longest common ending of two paths, with its last `/`."""
    ours, theirs = path.split("/"), other.split("/")
    same = 0
    while same < min(len(ours), len(theirs)) and ours[-1 - same] == theirs[-1 - same]:
        same += 1
    before = ours[: len(ours) - same], theirs[: len(theirs) - same]
    return "".join(part + "/" for part in before[0]), "".join(part + "/" for part in before[1])


def _alike(view: View, one: int, other: int) -> bool:
    first, second = view.files[one], view.files[other]
    if first.unit_count != second.unit_count or first.unit_count < LEAST_UNITS:
        return False
    names = [
        [view.units.name(unit) for unit in range(row.first_unit, row.first_unit + row.unit_count)]
        for row in (first, second)
    ]
    return names[0] == names[1] and len(set(names[0])) >= LEAST_UNITS
