"""What the parts of the evaluator know of each other: values, members, calls and built-ins are mutually recursive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from cmgit.link.tree import File
from cmgit.link.values import Env, Value

DEEPEST = 80
FAR = 1 << 30
MISSING: Any = object()


class Base(ABC):
    """State of an evaluation.

    depth: steps from the row that was asked for. low: the smallest depth of a row under way that the present result
    depends on, FAR for none, -1 where evaluation was cut off; such a result is not kept.
    """

    files: list[File]
    depth: int
    low: int
    base_memo: dict[tuple[int, int], Any]

    def enter(self) -> bool:
        """One step deeper outside of rows; False where that is too deep. After a True, `depth` is to be taken back."""
        if self.depth > DEEPEST:
            self.low = -1
            return False
        self.depth += 1
        return True

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
