"""Law 1 along long random walks, over the example shop and over a repository with years of history."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from examples.shop_repo import build_shop_repository
from tests.conftest import Cm
from tests.real.test_repositories import bare_clone
from tests.view.states import Walk, walk_and_check
from tests.view.test_random_states import PROMPTS

pytestmark = pytest.mark.real

SHOP_SEEDS, SHOP_STEPS = range(100, 112), 50
EXPRESS_SEEDS, EXPRESS_STEPS = range(200, 203), 40
EXPRESS_PROMPTS = (
    "In lib/utils.js, which charset does setCharset fall back to?",
    "where is the view engine looked up when a template is rendered",
    "rename `compileETag` and everything that calls it",
)


@pytest.mark.parametrize("seed", SHOP_SEEDS)
def test_the_view_of_the_shop_equals_a_cold_build(seed: int, cm: Cm, tmp_path: Path) -> None:
    build_shop_repository(tmp_path / "shop")
    walk_and_check(Walk(tmp_path / "shop", seed, cm, tmp_path), SHOP_STEPS, PROMPTS)


@pytest.mark.parametrize("seed", EXPRESS_SEEDS)
def test_the_view_of_express_equals_a_cold_build(seed: int, cm: Cm, tmp_path: Path) -> None:
    source = bare_clone("expressjs+express")
    subprocess.run(["git", "clone", "-q", str(source), str(tmp_path / "express")], check=True, timeout=600)
    walk_and_check(Walk(tmp_path / "express", seed, cm, tmp_path), EXPRESS_STEPS, EXPRESS_PROMPTS)
