"""What the parts of the evaluator know of each other: values, members, calls and built-ins are mutually recursive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cmgit.link.reads import Reads
from cmgit.link.tree import File
from cmgit.link.values import Env, Value

DEEPEST = 80
MOST_CYCLES = 20_000
FAR = 1 << 30
MISSING: Any = object()

Cycle = tuple[frozenset[Any], int]
"""Keys of the steps that take part in cycles, and how many of them were evaluated without being kept."""


class TooFar(Exception):
    """Evaluation goes deeper, or through more cycles, than is worth it: what was asked for is unknown."""


class Base(ABC):
    """State of an evaluation.

    A result is kept together with all that decides whether evaluating it again would give the same: so an answer never
    depends on what was asked before it, and linking a part of a tree gives what linking all of it gives.

    depth: steps from what was asked for. top: the greatest depth of the present step. nest: steps under way. low: the
    outermost step under way that the present result depends on, FAR for none; such a result is not kept. deps: what the
    present result was read from, a number of `reads`. cycle: the cycles inside the present result.
    """

    paths: Sequence[str]
    files: Mapping[int, File]
    index: Mapping[str, int]
    resolve: Callable[[str, int], str | None]
    globals: Mapping[str, Sequence[tuple[int, int]]]
    reads: Reads
    depth: int
    top: int
    nest: int
    low: int
    deps: int
    cycle: Cycle | None
    busy: set[Any]
    base_memo: dict[tuple[int, int], Any]
    export_memo: dict[tuple[int, str, bool], Any]

    def enter(self) -> bool:
        """One step deeper outside of rows; afterwards `depth` is to be taken back."""
        if self.depth > DEEPEST:
            raise TooFar
        self.depth += 1
        if self.depth > self.top:
            self.top = self.depth
        return True

    def read(self, index: int, name: str) -> None:
        """Notes that the present result depends on something of a file."""
        self.deps = self.reads.join(self.deps, self.reads.token(index, name))

    def recall(self, entry: tuple[Any, int, int, Cycle | None]) -> bool:
        """Takes over what stands beside a kept result; False where it does not hold here, inside of its own cycle."""
        _, height, deps, cycle = entry
        if cycle is not None and not cycle[0].isdisjoint(self.busy):
            return False
        if deps:
            self.deps = self.reads.join(self.deps, deps)
        if cycle is not None:
            self.cycle = _joined(self.cycle, cycle)
        top = self.depth + height
        if top > self.top:
            if top > DEEPEST:
                raise TooFar
            self.top = top
        return True

    def keep(self, memo: Any, key: Any, mark: Any, circular: Any, compute: Callable[..., Any], *args: Any) -> Any:
        """`compute(*args)`, kept in `memo` under `key`; `circular` where that asks for itself. mark: a unique key."""
        entry = memo.get(key)
        if entry is not None:
            if entry.__class__ is int:
                self.low = min(self.low, entry)
                return circular
            if self.recall(entry):
                return entry[0]
        return self.step(memo, key, mark, entry, compute, *args)

    def step(self, memo: Any, key: Any, mark: Any, old: Any, compute: Callable[..., Any], *args: Any) -> Any:
        """Evaluates, and keeps the result where it depends on nothing that is under way."""
        nest, depth = self.nest, self.depth
        if depth > DEEPEST:
            raise TooFar
        outer_low, outer_top, outer_deps, outer_cycle = self.low, self.top, self.deps, self.cycle
        self.nest, self.low, self.top, self.deps, self.cycle = nest + 1, FAR, depth, 0, None
        memo[key] = nest
        self.busy.add(mark)
        try:
            result = compute(*args)
        except TooFar:
            memo[key] = old
            self.deps = self.reads.join(outer_deps, self.deps)
            raise
        self.busy.discard(mark)
        self.nest, self.depth = nest, depth
        low, top, deps, cycle = self.low, self.top, self.deps, self.cycle
        memo[key] = old
        self.low = outer_low if low >= nest or outer_low < low else low
        self.top = outer_top if outer_top > top else top
        self.deps = self.reads.join(outer_deps, deps) if outer_deps else deps
        self.cycle = outer_cycle
        if low <= nest:
            cycle = _joined(cycle, (frozenset((mark,)), int(low < nest)))
        if cycle is not None:
            self.cycle = _joined(outer_cycle, cycle)
        if old is None and low >= nest:
            memo[key] = (result, top - depth, deps, cycle)
        return result

    @abstractmethod
    def value(self, file: File, row: int, env: Env | None) -> Value | None:
        """The value of a row."""

    @abstractmethod
    def entity(self, file: File, row: int) -> Value | None:
        """What a name in a type position denotes."""

    @abstractmethod
    def exported(self, index: int, name: str, types: bool) -> Any:
        """The value of an export, MISSING where there is none of that name."""

    @abstractmethod
    def imported(self, file: File, row: int, types: bool) -> Value | None:
        """What an import row brings in; EXT for another package."""

    @abstractmethod
    def declared_global(self, name: str, types: bool) -> Value | None:
        """A global that declaration files of the tree declare."""

    @abstractmethod
    def type_member(self, base: Value | None, name: str) -> Value | None:
        """`B` of `A.B` in a type position."""

    @abstractmethod
    def instance_member(self, base: Value, name: str) -> Value | None:
        """A member of an instance of a class or interface."""

    @abstractmethod
    def member(self, base: Value | None, name: str) -> Value | None:
        """The value of `base.name`."""

    @abstractmethod
    def find(
        self, file: File, unit: int, name: str, static: bool, binds: Any = ()
    ) -> tuple[File | None, int, Any] | None:
        """Where a member of a class or interface is declared."""

    @abstractmethod
    def bases(self, file: File, unit: int, binds: Any = ()) -> list[Value | None]:
        """What a class or interface extends."""

    @abstractmethod
    def variable_value(self, file: File, unit: int) -> Value | None:
        """What a variable holds."""

    @abstractmethod
    def module_value(self, index: int) -> Value | None:
        """What a module is when it is used as a value."""

    @abstractmethod
    def callable(self, value: Value | None) -> Value | None:
        """A module as the value that it exports; everything else as it is."""

    @abstractmethod
    def call(self, callee: Value | None, arguments: Sequence[int], file: File | None, env: Env | None) -> Value | None:
        """The result of a call; arguments are rows of `file`, evaluated in `env`."""

    @abstractmethod
    def construct(
        self, callee: Value | None, arguments: Sequence[int], file: File | None = None, env: Env | None = None
    ) -> Value | None:
        """An instance of a class value."""

    @abstractmethod
    def parameter(
        self, callee: Value | None, position: int, arguments: Sequence[int], file: File | None, env: Env | None
    ) -> Value | None:
        """What a function declares for a parameter."""

    @abstractmethod
    def unify(self, file: File, row: int, value: Value, bound: dict[tuple[int, int], Any], depth: int) -> None:
        """Binds the type parameters in a written type, given a value of that type."""

    @abstractmethod
    def element(self, value: Value | None) -> Value | None:
        """One item of an iterable."""

    @abstractmethod
    def keyed(self, value: Value | None) -> Value | None:
        """`value[key]` for a key that is not known."""

    @abstractmethod
    def lib_type(self, name: str, arguments: Sequence[Value | None]) -> Value | None:
        """A value of a built-in type."""

    @abstractmethod
    def lib_member(self, base: Value, name: str) -> Value | None:
        """A member of an instance of a built-in generic."""

    @abstractmethod
    def global_member(self, base: str, name: str) -> Value | None:
        """A member of an undeclared global."""

    @abstractmethod
    def window_member(self, name: str) -> Value | None:
        """A member that the tree declares for the global object."""

    @abstractmethod
    def call_global(self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None) -> Value | None:
        """The result of calling an undeclared global."""

    @abstractmethod
    def construct_global(
        self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None
    ) -> Value | None:
        """An instance of an undeclared global class."""

    @abstractmethod
    def call_lib(self, callee: Value, arguments: Sequence[int], file: File | None, env: Env | None) -> Value | None:
        """The result of a built-in method."""

    @abstractmethod
    def lib_parameter(
        self, callee: Value, position: int, arguments: Sequence[int], file: File | None, env: Env | None
    ) -> Value | None:
        """What a built-in method expects."""

    @abstractmethod
    def global_parameter(self, callee: Value, position: int) -> Value | None:
        """What an undeclared global expects."""


def _joined(first: Cycle | None, second: Cycle) -> Cycle:
    if first is None:
        return second
    count = first[1] + second[1]
    if count > MOST_CYCLES:
        raise TooFar
    return (first[0] | second[0], count)
