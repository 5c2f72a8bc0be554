"""Which units a prompt names: by path, by line, by stack frame, by name."""

from __future__ import annotations

import unicodedata

import numpy as np

from cmgit.core.facts import UnitKind
from cmgit.core.record import record
from cmgit.core.records import Role
from cmgit.retrieve.ports import View
from cmgit.retrieve.prompt import Name, Place, Prompt, is_distinctive
from cmgit.words.split import is_ideographic

MOST_NAMESAKES = 6
"""A name that more units share says too little to answer by alone."""

MOST_OUTRIGHT = 3
"""A name with more namesakes does not say outright which one is meant."""

MISSPELT = 0.5
"""Of a name's weight where the code knows only one like it: too little to answer for sure."""

QUIET_ROLES = (Role.TEST, Role.FIXTURE, Role.VENDORED, Role.MINIFIED, Role.BUILD)


@record
class Focus:
    """units: named units in order of mention, with a weight up to 1. files: named files in order of mention.
    outright: of the units those that the prompt names beyond doubt: in back-ticks, by a qualified name or by a line,
    with few namesakes. They stand above all that only resembles the prompt.
    unknown: paths that the prompt writes and that mean no file of the view, or several."""

    units: tuple[tuple[int, float], ...]
    files: tuple[int, ...]
    outright: frozenset[int] = frozenset()
    unknown: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        return bool(self.units or self.files)


def find_focus(view: View, prompt: Prompt) -> Focus:
    units: dict[int, float] = {}
    files: dict[int, None] = {}
    outright: set[int] = set()
    unknown: dict[str, None] = {}
    index = _PathIndex(view)
    for place in prompt.places:
        file = index.find(place)
        if file is None:
            if _is_of_a_repository(place):
                unknown.setdefault(place.path)
            continue
        files.setdefault(file)
        if place.line:
            unit = innermost(view, file, place.line)
            if unit is not None:
                if not units or not place.frame:
                    outright.add(unit)
                units.setdefault(unit, 1.0 if not units else 0.9)
    for name in (*prompt.names, *_ideographic_names(view, prompt)):
        found = _named(view, prompt, name, files)
        if not (found or name.code) and (name.ticked or is_distinctive(name.last)):
            from cmgit.retrieve.misspelt import near_names  # most prompts write no unknown name

            for near in near_names(view, name.last, ticked=name.ticked):
                for unit, weight in _named(view, prompt, Name(near, False, False), files):
                    units[unit] = max(units.get(unit, 0.0), MISSPELT * weight)
        for unit, weight in found:
            units[unit] = max(units.get(unit, 0.0), weight)
        if (name.ticked or name.text != name.last) and not name.code and len(found) <= MOST_OUTRIGHT:
            outright.update(unit for unit, _ in found)
    return Focus(tuple(units.items()), tuple(files), frozenset(outright), tuple(unknown))


def _is_of_a_repository(place: Place) -> bool:
    """Whether a written path can only mean a file of a repository: `src/a.ts`, not `Node.js`, a URL or a frame's."""
    first, slash, _ = place.path.partition("/")
    foreign = place.frame or "." in first.lstrip(".") or "node_modules" in place.path
    return bool(first and slash) and not foreign


class _PathIndex:
    """Paths of a view by their last component, so that an absolute path from another machine finds its file."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._by_base: dict[str, list[int]] | None = None

    def find(self, place: Place) -> int | None:
        """The file that a written path means: itself, or the only one with the longest common ending."""
        exact = self._view.file_index(place.path)
        if exact is None:
            exact = next(
                (i for i in map(self._view.file_index, _spellings(place.path)) if i is not None),
                None,
            )
        if exact is not None:
            return exact
        parts = [part for part in place.path.split("/") if part not in ("", ".")]
        if not parts or ".." in parts:
            return None
        foreign = "node_modules" in parts
        if self._by_base is None:
            self._by_base = {}
            for i, file in enumerate(self._view.files):
                self._by_base.setdefault(_folded(file.path.rsplit("/", 1)[-1]), []).append(i)
        ranked = sorted(
            ((self._common(parts, i), i) for i in self._by_base.get(_folded(parts[-1]), ())),
            key=lambda x: (-x[0], x[1]),
        )
        if not ranked or (foreign and ranked[0][0] < 2):
            return None
        best = [i for common, i in ranked if common == ranked[0][0]]
        spoken = [i for i in best if self._view.files[i].role not in QUIET_ROLES] or best
        # A bare name must be the only one; a longer ending that several files share is ambiguous too.
        return spoken[0] if len(spoken) == 1 else None

    def _common(self, parts: list[str], file: int) -> int:
        own = self._view.files[file].path.split("/")
        common = 0
        for ours, theirs in zip(reversed(own), reversed(parts), strict=False):
            if _folded(ours) != _folded(theirs):
                break
            common += 1
        return common


def _folded(part: str) -> str:
    """One form of a name, whatever its case and however its accents are composed (macOS decomposes them)."""
    return unicodedata.normalize("NFC", part).lower()


def _spellings(path: str) -> list[str]:
    return [unicodedata.normalize(form, path) for form in ("NFC", "NFD")]


def innermost(view: View, file: int, line: int) -> int | None:
    """The smallest unit that holds a line; the file itself where no other does; None beyond its end."""
    row = view.files[file]
    if not row.unit_count:
        return None
    span = slice(row.first_unit, row.first_unit + row.unit_count)
    starts, ends = view.units.column("start_line")[span], view.units.column("end_line")[span]
    holding = np.flatnonzero((starts <= line) & (ends >= line))
    if not len(holding):
        return None
    return int(row.first_unit + holding[np.argmin(ends[holding] - starts[holding])])


def _named(view: View, prompt: Prompt, name: Name, files: dict[int, None]) -> list[tuple[int, float]]:
    """Units that a name means, with weights; none where it is too common to mean one."""
    units = [int(unit) for unit in view.units_named(name.last)]
    units = [unit for unit in units if view.units.column("kind")[unit] not in (UnitKind.FILE, UnitKind.BLOCK)]
    if not prompt.tests_asked:
        spoken = [unit for unit in units if view.files[view.units.file[unit]].role not in QUIET_ROLES]
        units = spoken or units
    if not units:
        return []
    if name.text != name.last:
        written = name.text.replace("#", ".").replace("::", ".")
        whole = [unit for unit in units if _qualified(view, unit, written)]
        if whole:
            units = whole
        elif name.code or not name.ticked:
            return []  # a member of something else: `res.send` is not every `send`
    in_files = [unit for unit in units if int(view.units.file[unit]) in files]
    units = in_files or units
    if len(units) > MOST_NAMESAKES:
        return []
    strength = (1.0 if name.ticked else 0.85) * (0.5 if name.code else 1.0)
    return [(unit, strength / len(units) ** 0.5) for unit in units]


def _qualified(view: View, unit: int, written: str) -> bool:
    qualname = view.units.qualname(unit).replace(".prototype.", ".")
    return qualname == written or qualname.endswith("." + written)


def _ideographic_names(view: View, prompt: Prompt) -> list[Name]:
    """Han and Kana names stand in a sentence without borders: every run of it that is a unit's name."""
    found: dict[str, None] = {}
    run = ""
    for character in prompt.text[:4_000] + " ":
        if is_ideographic(character):
            run += character
            continue
        for length in range(min(len(run), 16), 1, -1):
            for start in range(len(run) - length + 1):
                part = run[start : start + length]
                if not any(part in longer for longer in found) and len(view.units_named(part)):
                    found[part] = None
        run = ""
    return [Name(part, True, False) for part in found]
