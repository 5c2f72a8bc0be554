"""Fixtures of retrieval: the real view over files given as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from memory_view import make_view

from cmgit.view.view import View


@pytest.fixture
def view_of() -> Callable[[Mapping[str, str | bytes]], View]:
    return lambda files: make_view(files).view
