"""What names from elsewhere mean: imports, exports and globals."""

from __future__ import annotations

from typing import Any

from cmgit.core.facts import UnitKind, ValueOp
from cmgit.link.base import MISSING, Base
from cmgit.link.modules import EXTERNAL as OUTSIDE
from cmgit.link.reads import SHAPE, TREE
from cmgit.link.tree import File
from cmgit.link.values import (
    EXT,
    INSTANCE,
    MODULE,
    UNIT,
    Value,
)

_COMPONENTS = (".vue", ".svelte", ".astro")
_SAYS_NOTHING = frozenset({ValueOp.UNKNOWN, ValueOp.LITERAL})
_TYPE_ONLY = frozenset({UnitKind.INTERFACE, UnitKind.TYPE})
_BOTH = frozenset({UnitKind.CLASS, UnitKind.ENUM, UnitKind.NAMESPACE})


class Names(Base):
    """Part of the evaluator."""

    def window_member(self, name: str) -> Value | None:
        if "Window" in self.globals:
            self.read(TREE, "Window")
        for index, row in self.globals.get("Window", ()):
            value = self.instance_member((INSTANCE, index, self.files[index].a[row], ()), name)
            if value is not None and value != EXT:
                return value
        return self.declared_global(name, False)

    def declared_global(self, name: str, types: bool) -> Value | None:
        """A global that declaration files of the tree declare, if just one thing bears the name."""
        places = self.globals.get(name)
        if places is None:
            return None
        self.read(TREE, name)
        found: list[Value] = []
        for index, row in places:
            file = self.files[index]
            unit = file.a[row]
            if (file.kinds[unit] == UnitKind.VARIABLE) != types:
                found.append((UNIT, index, unit, None))
        return found[0] if len(found) == 1 else None

    def imported(self, file: File, row: int, types: bool) -> Value | None:
        """What an import row brings in; EXT for another package."""
        return self.keep(  # type: ignore[no-any-return]
            file.import_memo, (row, types), ("i", file.index, row, types), None, self._imported, file, row, types
        )

    def target_file(self, file: File, row: int) -> int | None:
        """Index of the file that an import row requests; -1 for another package, None where it is missing."""
        imports = file.facts.imports
        path = self.resolve(file.strings[imports.specifier[row]], file.index)
        if path is None:
            return None
        return -1 if path == OUTSIDE else self.index.get(path)

    def _imported(self, file: File, row: int, types: bool) -> Value | None:
        target = self.target_file(file, row)
        if target is None:
            return None
        if target < 0:
            return EXT
        imports = file.facts.imports
        name = imports.imported[row]
        text = file.strings[name] if name >= 0 else "*"
        if text == "*":
            return (MODULE, target)
        found = self.exported(target, text, types)
        if found is MISSING:
            if text == "default":
                self.read(target, SHAPE)
                if self.paths[target].endswith(_COMPONENTS):
                    return (UNIT, target, 0, None)
                if self.files[target].exports and "default" not in self.files[target].exports:
                    return (MODULE, target)
            return None
        if text == "default" and self.paths[target].endswith(_COMPONENTS):
            return (UNIT, target, 0, None)
        return found  # type: ignore[no-any-return]

    def exported(self, index: int, name: str, types: bool) -> Any:
        """The value of an export, MISSING where there is none of that name."""
        key = (index, name, types)
        return self.keep(self.export_memo, key, ("e", *key), None, self._export_search, index, name, types)

    def _export_search(self, index: int, name: str, types: bool) -> Any:
        """The file's own exports first, then its `export *`, breadth first, each file once."""
        self.read(index, name)
        seen = {index}
        queue = [index]
        external = False
        position = 0
        while position < len(queue):
            file = self.files[queue[position]]
            own = self._own_export(file, name, types)
            if own is not MISSING:
                return own
            position += 1
            if name == "default" and position == 1:
                return MISSING
            for row in file.stars:
                target = self.target_file(file, row)
                if target is not None and target < 0:
                    external = True
                elif target is not None and target not in seen:
                    seen.add(target)
                    queue.append(target)
        return EXT if external else MISSING

    def _own_export(self, file: File, name: str, types: bool) -> Any:
        rows = file.exports.get(name)
        if rows:
            chosen = self._choose(file, rows, types)
            if types:
                return self.entity(file, chosen)
            return self.value(file, chosen, None)
        for row, _ in file.exports.get("=", ()):
            if name in ("=", "default"):
                break
            member = self.type_member(self.entity(file, row), name) if types else None
            if member is None:
                member = self.member(self.value(file, row, None), name)
            if member is not None:
                return member
        for row, _ in file.exports.get("...", ()):
            member = self.member(self.value(file, row, None), name)
            if member is not None and member != EXT:
                return member
        return MISSING

    def _choose(self, file: File, rows: list[tuple[int, int]], types: bool) -> int:
        """Of an interface and a value of one name, the one that is asked for; else the first that says something."""
        if len(rows) == 1:
            return rows[0][0]
        best = rows[0][0]
        for value, _ in rows:
            if value > 0 and file.op[value] == ValueOp.UNIT:
                kind = file.kinds[file.a[value]]
                if kind in _BOTH or (kind in _TYPE_ONLY) == types:
                    return value
            elif value > 0 and not types and file.op[best] in _SAYS_NOTHING:
                best = value
        return best
