"""Linking a tree that differs in some files from one that was linked before.

What can change by a file is found in two steps: which of the things that others can ask of it differ
(`cmgit.link.compare`), and whose edges were read from those. Everybody else keeps the edges that they have, with units
renumbered where a file that they point into has new numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from cmgit.core.facts import NONE
from cmgit.core.tables import DependKind, FileEdges
from cmgit.link.compare import STARS, Comparison, compare
from cmgit.link.configs import read_configs
from cmgit.link.earlier import Asked, Earlier, Tree
from cmgit.link.heirs import Heir
from cmgit.link.linker import Linker
from cmgit.link.modules import EXTERNAL, Modules
from cmgit.link.reads import ANCESTOR
from cmgit.link.tree import File

_HEIRS = (DependKind.HEIR, DependKind.LITERAL)


@dataclass(frozen=True, slots=True)
class Relinked:
    """edges: of the files that were linked anew, and of those in which only the numbers of units differ; all others
    keep theirs. linked: the files that were linked anew, in path order."""

    edges: dict[str, FileEdges]
    linked: tuple[str, ...]


@dataclass(slots=True)
class _Changes:
    """What differs between two trees.

    comparisons: of the files that are in both and whose facts, or the files that their imports mean, differ. asked:
    what others may have read and that says something else now. everything: all files have to be linked.
    """

    added: set[str]
    removed: set[str]
    edited: set[str]
    moved: dict[str, set[str]] = field(default_factory=dict)
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    asked: set[Asked] = field(default_factory=set)
    everything: bool = False

    @property
    def own(self) -> set[str]:
        """Files whose own facts or imports differ."""
        return self.added | self.edited | self.moved.keys()


class _Names:
    """Specifiers to paths: as noted before where nothing can have changed, else by the configs of the tree."""

    def __init__(self, earlier: Earlier, tree: Tree, kept: bool) -> None:
        self._earlier, self._tree, self._kept = earlier, tree, kept
        self._noted: dict[str, dict[str, str | None]] = {}
        self._modules: Modules | None = None
        self._known = frozenset(earlier.paths)

    def resolve(self, name: str, importer: str) -> str | None:
        if self._kept and importer in self._known:
            noted = self._noted.get(importer)
            if noted is None:
                rows = self._earlier.edges(importer).depends.rows()
                noted = self._noted[importer] = {
                    name: EXTERNAL if a else path for kind, path, name, a, _ in rows if kind == DependKind.REQUEST
                }
            if name in noted:
                return noted[name]
        if self._modules is None:
            self._modules = Modules(self._tree.paths, read_configs(self._tree.configs()))
        return self._modules.resolve(name, importer)


def relink(earlier: Earlier, tree: Tree, edited: Collection[str], configs_changed: bool) -> Relinked:
    """Edges of a tree, given those of an earlier one: exactly what `link` would give.

    Args:
        earlier: linked by this very recipe.
        edited: the paths in both trees whose facts may differ.
        configs_changed: whether the config files differ.
    """
    before, after = set(earlier.paths), set(tree.paths)
    changes = _Changes(after - before, before - after, set(edited) & before & after)
    names = _Names(earlier, tree, kept=not (changes.added or changes.removed or configs_changed))
    if changes.added or changes.removed or configs_changed:
        _find_moved(changes, earlier, names)
    _compare_files(changes, earlier, tree)
    declared = _declared(changes, earlier, tree)
    linking = _Linking(changes, earlier, tree, names, declared)
    return linking.run()


def _find_moved(changes: _Changes, earlier: Earlier, names: _Names) -> None:
    """Imports that mean another file than before."""
    for file, _, path, name, outside, _ in earlier.noted((DependKind.REQUEST,)):
        if file in changes.removed:
            continue
        if names.resolve(name, file) != (EXTERNAL if outside else path):
            changes.moved.setdefault(file, set()).add(name)


def _compare_files(changes: _Changes, earlier: Earlier, tree: Tree) -> None:
    """What others can have read of the files that differ, and through barrels of these."""
    differing: dict[str, frozenset[str] | None] = dict.fromkeys(changes.removed)
    for path in changes.edited | changes.moved.keys():
        facts = tree.facts(path)
        old = earlier.facts(path) if path in changes.edited else facts
        found = changes.comparisons[path] = compare(path, old, facts, changes.moved.get(path, ()))
        whole = found.changed is None or "=" in found.changed or "..." in found.changed
        differing[path] = None if whole else found.changed
    barrels = _barrels(earlier) if any(c is None or c for c in differing.values()) else {}
    for path, changed in differing.items():
        behind = _behind(path, barrels)
        if changed is None or STARS in changed:
            changes.asked.update((barrel, None) for barrel in behind)
        else:
            changes.asked.update((path, name) for name in changed)
            changes.asked.update((barrel, name) for barrel in behind for name in changed)
        changes.asked.update((None, name[7:]) for name in changed or () if name.startswith(("global ", "script ")))


def _barrels(earlier: Earlier) -> dict[str, set[str]]:
    """File -> files that re-exported all of it. One that does so only now has changed itself."""
    found: dict[str, set[str]] = {}
    targets: dict[tuple[str, str], str | None] = {}
    stars: list[tuple[str, str]] = []
    for file, _, _, name, _, _ in earlier.noted((DependKind.STAR,)):
        stars.append((file, name))
    if not stars:
        return found
    starred = {file for file, _ in stars}
    for file, _, path, name, _, _ in earlier.noted((DependKind.REQUEST,), starred):
        targets[file, name] = path
    for file, name in stars:
        target = targets.get((file, name))
        if target is not None:
            found.setdefault(target, set()).add(file)
    return found


def _behind(path: str, barrels: dict[str, set[str]]) -> set[str]:
    """A file and all that re-export it, at any distance."""
    found, work = {path}, [path]
    while work:
        for barrel in barrels.get(work.pop(), ()):
            if barrel not in found:
                found.add(barrel)
                work.append(barrel)
    return found


def _declared(changes: _Changes, earlier: Earlier, tree: Tree) -> dict[str, list[tuple[str, int]]]:
    """Globals that the tree declares: (path, row) pairs in path order. Notes which of them are others than before."""
    found: dict[str, list[tuple[str, int]]] = {}
    before: dict[str, set[str]] = {}
    for file, _, _, name, row, _ in earlier.noted((DependKind.GLOBAL,)):
        before.setdefault(name, set()).add(file)
        if file not in changes.removed and file not in changes.edited:
            found.setdefault(name, []).append((file, row))
    for path in changes.edited | changes.added:
        for name, rows in File(0, path, tree.facts(path)).globals.items():
            found.setdefault(name, []).extend((path, row) for row in rows)
    for name in before.keys() | found.keys():
        found.setdefault(name, []).sort()
        if {path for path, _ in found[name]} != before.get(name, set()):
            changes.asked.add((None, name))
            changes.everything = changes.everything or name not in before
        if not found[name]:
            del found[name]
    return found


class _Linking:
    """The files that have to be linked, and the linking."""

    def __init__(
        self, changes: _Changes, earlier: Earlier, tree: Tree, names: _Names,
        declared: dict[str, list[tuple[str, int]]],
    ) -> None:  # fmt: skip
        self.changes, self.earlier, self.tree = changes, earlier, tree
        self.paths = paths = sorted(tree.paths)
        self.index = {path: index for index, path in enumerate(paths)}
        places = {name: [(self.index[path], row) for path, row in found] for name, found in declared.items()}
        self.linker = Linker(
            paths,
            lambda index: tree.facts(paths[index]),
            lambda name, importer: names.resolve(name, paths[importer]),
            places,
        )
        self.affected: set[str] = set()

    def run(self) -> Relinked:
        changes, index = self.changes, self.index
        if changes.everything:
            self.affected = set(index)
        else:
            self.affected = changes.own | (
                self.earlier.readers(changes.asked) & index.keys() if changes.asked else set()
            )
        renumbered = self._renumbered()
        self._link_heirs()
        linked = sorted(self.affected)
        edges = {path: self.linker.edges(index[path]) for path in linked}
        edges |= {path: found for path, found in renumbered.items() if path not in self.affected}
        return Relinked(edges, tuple(linked))

    # -- numbers ------------------------------------------------------------------------------------

    def _number(self, path: str | None, number: int) -> int | None:
        """The present number of what had a number in a file: a unit, or -2 - row."""
        found = self.changes.comparisons.get(path or "")
        if path in self.changes.removed:
            return None
        if found is None or number == NONE or path not in self.changes.edited:
            return number
        if number >= 0:
            return found.units.get(number)
        row = found.rows.get(-2 - number)
        return None if row is None else -2 - row

    def _renumbered(self) -> dict[str, FileEdges]:
        """Files that stay as they are but for the numbers of units in files that were edited."""
        shifted = [
            path
            for path, found in self.changes.comparisons.items()
            if path in self.changes.edited
            and any(old != new for numbers in (found.units, found.rows) for old, new in numbers.items())
        ]
        result: dict[str, FileEdges] = {}
        for path in sorted(self.earlier.targeting(shifted) - self.affected if shifted else ()):
            if path not in self.index:
                continue
            found = self._with_numbers(self.earlier.edges(path))
            if found is None:
                self.affected.add(path)
            else:
                result[path] = found
        return result

    def _with_numbers(self, edges: FileEdges) -> FileEdges | None:
        """The edges with present numbers; None where something that they point to has none."""
        paths, numbers = edges.paths, array("i", edges.target_unit)
        for row, (path, unit) in enumerate(zip(edges.target_path, edges.target_unit, strict=True)):
            if path >= 0 and unit >= 0:
                number = self._number(paths[path], unit)
                if number is None:
                    return None
                numbers[row] = number
        depends = edges.depends
        places = list(depends.a)
        for row, (kind, path) in enumerate(zip(depends.kind, depends.path, strict=True)):
            if kind in _HEIRS:
                number = self._number(depends.names[path], places[row])
                if number is None:
                    return None
                places[row] = number
        return replace(edges, target_unit=numbers, depends=replace(depends, a=places))

    # -- heirs --------------------------------------------------------------------------------------

    def _link_heirs(self) -> None:
        """Makes the table of heirs whole, and finds who asked for what differs in it."""
        linker, index = self.linker, self.index
        before: dict[str, list[tuple[int, str, str, int, int]]] = {}
        for file, kind, path, name, number, place in self.earlier.noted(_HEIRS):
            before.setdefault(file, []).append((kind, path or "", name, number, place))
        asked: set[Asked] = set()
        for path in self.affected | self.changes.removed:
            asked |= self._heirs_differ(path, before.get(path, ()))
        if asked:
            for path in self.earlier.readers(asked) & index.keys() - self.affected:
                self.affected.add(path)
                linker.find_heirs(index[path])
        for file, rows in before.items():
            if file in self.affected or file not in index:
                continue
            for kind, path, _, number, place in rows:
                present = self._number(path, number)
                if present is not None:
                    linker.add_heir(index[file], Heir(kind, index[path], present, place))

    def _heirs_differ(self, path: str, rows: Iterable[tuple[int, str, str, int, int]]) -> set[Asked]:
        """Of which classes and interfaces a file has other heirs than before."""
        old: set[tuple[int, str, str, int | None, int | None]] = set()
        for kind, owner, name, number, place in rows:
            present = self._number(path, place if kind == DependKind.HEIR else -2 - place)
            old.add((kind, owner, name, self._number(owner, number), present))
        new: set[tuple[int, str, str, int | None, int | None]] = set()
        for heir in self.linker.find_heirs(self.index[path]) if path in self.index else ():
            place = heir.place if heir.kind == DependKind.HEIR else -2 - heir.place
            new.add((heir.kind, self.paths[heir.file], self.linker.owner_name(heir), heir.number, place))
        return {(key[1], ANCESTOR + key[2]) for key in old ^ new}
