"""Abstract evaluation of value rows over the files of a tree.

Evaluation is lazy, memoised and bounded in depth. What takes part in a cycle is unknown there, and is not memoised,
so a row's value does not depend on which row was asked first. Beside each value stands what it was read from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cmgit.core.facts import BlobFacts, ValueOp
from cmgit.link.base import FAR
from cmgit.link.operations import Operations
from cmgit.link.reads import Reads
from cmgit.link.tree import File
from cmgit.link.values import UNIT, Env, Value

_LEAVES = frozenset({ValueOp.UNKNOWN, ValueOp.GLOBAL, ValueOp.LITERAL, ValueOp.EXPORTS})  # as fast as a look-up


class Files(dict[int, File]):
    """Files by index, opened when they are first looked into."""

    def __init__(self, paths: Sequence[str], facts: Callable[[int], BlobFacts]) -> None:
        self._paths, self._facts = paths, facts

    def __missing__(self, index: int) -> File:
        file = self[index] = File(index, self._paths[index], self._facts(index))
        return file


class Evaluator(Operations):
    """Evaluates rows of the files of one tree.

    Args:
        paths: of all files, in order.
        facts: of the file with an index; called once for each file that evaluation comes to.
        resolve: (specifier, index of the importing file) to the path that it means, as `Modules.resolve`.
        declared: names that declaration files of the tree declare globally: (file, row) pairs.
    """

    def __init__(
        self,
        paths: Sequence[str],
        facts: Callable[[int], BlobFacts],
        resolve: Callable[[str, int], str | None],
        declared: Mapping[str, Sequence[tuple[int, int]]],
    ) -> None:
        self.paths = paths
        self.files = Files(paths, facts)
        self.index = {path: index for index, path in enumerate(paths)}
        self.resolve = resolve
        self.globals = declared
        self.reads = Reads()
        self.env_memo: dict[Any, Any] = {}
        self.export_memo: dict[tuple[int, str, bool], Any] = {}
        self.base_memo: dict[tuple[int, int], Any] = {}
        self.busy = set()
        self._asked: set[int] = set()
        self.deps = 0
        self.begin()
        self.ops = self.handlers()

    def begin(self) -> None:
        """Forgets what is under way: the next question is one of its own."""
        self._asked.add(self.deps)
        self.depth = self.top = self.nest = self.deps = 0
        self.low, self.cycle = FAR, None
        self.busy.clear()

    def take_reads(self) -> set[int]:
        """What all questions since the last call were read from, as numbers of `reads`."""
        self.begin()
        asked, self._asked = self._asked, set()
        return asked

    def value(self, file: File, row: int, env: Env | None) -> Value | None:
        if row <= 0:
            return None
        op = file.op[row]
        if op == ValueOp.UNIT:
            return (UNIT, file.index, file.a[row], None)
        if op in _LEAVES:
            return self.ops[op](file, row, None)  # type: ignore[no-any-return]
        memo: Any
        key: Any
        if env is None or not file.needs_env(row):
            env = None
            memo, key = file.memo, row
            entry = memo[row]
        else:
            memo, key = self.env_memo, (file.index, row, env)
            entry = memo.get(key)
        if entry is not None:
            if entry.__class__ is int:
                self.low = min(self.low, entry)
                return None
            if self.recall(entry):
                return entry[0]  # type: ignore[no-any-return]
        mark = key if env is not None else (file.index, row)
        return self.step(memo, key, mark, entry, self._evaluate, file, row, env)  # type: ignore[no-any-return]

    def _evaluate(self, file: File, row: int, env: Env | None) -> Value | None:
        self.depth += 1
        return self.ops[file.op[row]](file, row, env)  # type: ignore[no-any-return]
