"""A record is a frozen, slotted dataclass in all that this program asks of one."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Sequence

import pytest

from cmgit.core.record import record


@record
class Quick:
    """A point with a name."""

    x: int
    y: Sequence[int]
    name: str = "none"
    more: tuple[int, ...] = ()

    @property
    def twice(self) -> int:
        return 2 * self.x

    @classmethod
    def at(cls, x: int) -> Quick:
        return cls(x, (x,))


@dataclasses.dataclass(frozen=True, slots=True)
class Slow:
    """A point with a name."""

    x: int
    y: Sequence[int]
    name: str = "none"
    more: tuple[int, ...] = ()


@record
class Nothing:
    """No field at all."""


def test_it_is_made_compared_hashed_and_shown_as_a_dataclass_is() -> None:
    quick, slow = Quick(1, (2,), more=(3,)), Slow(1, (2,), more=(3,))
    assert repr(quick) == repr(slow).replace("Slow", "Quick")
    assert hash(quick) == hash(slow)
    assert quick == Quick(1, (2,), "none", (3,)) != Quick(2, (2,), "none", (3,))
    assert quick != slow
    assert (quick == 1) is False
    assert quick.twice == 2
    assert Quick.at(4) == Quick(4, (4,))
    assert Quick.__doc__ == Slow.__doc__
    assert Quick.__match_args__ == Slow.__match_args__
    assert (Quick.__qualname__, Quick.__module__) == ("Quick", __name__)
    assert Nothing() == Nothing()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        Quick(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unhashable"):
        hash(Quick(1, [2]))


def test_nothing_can_be_set_or_deleted() -> None:
    quick = Quick(1, (2,))
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        quick.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        quick.z = 2  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del quick.x
    assert not hasattr(quick, "__dict__")


def test_the_functions_of_dataclasses_take_it() -> None:
    quick = Quick(1, (2,), "a")
    assert dataclasses.is_dataclass(quick)
    assert dataclasses.replace(quick, x=5) == Quick(5, (2,), "a")
    assert dataclasses.asdict(quick) == {"x": 1, "y": (2,), "name": "a", "more": ()}
    assert dataclasses.astuple(quick) == (1, (2,), "a", ())
    ours, theirs = dataclasses.fields(Quick), dataclasses.fields(Slow)
    assert [(f.name, f.type, f.default) for f in ours] == [(f.name, f.type, f.default) for f in theirs]


def test_it_is_pickled_copied_and_matched() -> None:
    quick = Quick(1, [2, 3], "a")
    assert pickle.loads(pickle.dumps(quick)) == copy.deepcopy(quick) == copy.copy(quick) == quick
    match quick:
        case Quick(x, y, name=name):
            assert (x, y, name) == (1, [2, 3], "a")
        case _:
            pytest.fail("not matched")


def test_what_it_cannot_be_is_refused() -> None:
    with pytest.raises(TypeError, match="has bases"):

        @record
        class Derived(Quick):
            z: int

    with pytest.raises(TypeError, match="has no default"):

        @record
        class Unordered:
            a: int = 1
            b: int  # type: ignore[misc]
