"""Patterns that are compiled when they are first used.

A reader loads a hundred; compiling them all took it a tenth of its time, and a short question needs a few.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast, overload


class _Lazy:
    """Stands for a compiled pattern; its first use compiles it."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    @cached_property
    def _compiled(self) -> Any:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)


@overload
def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]: ...
@overload
def lazy(pattern: bytes, flags: int = 0) -> re.Pattern[bytes]: ...
def lazy(pattern: str | bytes, flags: int = 0) -> re.Pattern[str] | re.Pattern[bytes]:
    """A pattern with every method of a compiled one. A mistake in it shows at its first use."""
    return cast("re.Pattern[str] | re.Pattern[bytes]", _Lazy(pattern, flags))
