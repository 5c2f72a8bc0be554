"""The built-in model, loaded once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cmgit.embed.model import Model, load_model


@pytest.fixture(scope="session")
def model_cache() -> str:
    return str(Path(os.environ.get("CMGIT_TEST_CACHE", "/tmp/cmgit-test-cache")) / "cmgit")


@pytest.fixture(scope="session")
def model(model_cache: str) -> Model:
    return load_model(model_cache, warn=pytest.fail)
