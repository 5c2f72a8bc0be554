"""Law 1 along random walks: after every step the view is what an index built from scratch of those files gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.shop_repo import build_shop_repository
from tests.conftest import Cm, GitRepo
from tests.view.states import Walk, check, walk_and_check

PROMPTS = (
    "In packages/core/src/money.ts, do the parts of a split amount always add up?",
    "why does the total of the cart apply a discount twice",
    "rename `placeOrder` and everything that calls it",
)
STEPS = 12


@pytest.mark.parametrize("seed", [9, 17])
def test_the_view_equals_a_cold_build_along_a_random_walk(seed: int, cm: Cm, tmp_path: Path) -> None:
    build_shop_repository(tmp_path / "shop")
    walk_and_check(Walk(tmp_path / "shop", seed, cm, tmp_path), STEPS, PROMPTS)


def test_files_staged_outside_of_a_sparse_checkout_are_those_of_the_index(cm: Cm, tmp_path: Path) -> None:
    build_shop_repository(tmp_path / "shop")
    walk = Walk(tmp_path / "shop", 0, cm, tmp_path)
    path = "packages/core/src/cart.ts"
    walk.write(path, walk.read(path) + "\nexport function far() {}\n", "far")
    walk.write("packages/core/src/farther.ts", "export function farther() {}\n", "new")
    walk.git("add", "--all")
    walk.git("commit", "-q", "-m", "far")
    walk.git("sparse-checkout", "set", "--cone", "packages/web/src")
    walk.git("reset", "-q", "--soft", "HEAD~1")
    assert not (walk.top / path).exists()
    check(walk, ("what do far and `farther` do",))
    assert '"name":"farther"' in cm(walk.top, "export", "--units").out


def test_a_named_file_that_is_kept_off_the_disk_is_answered_like_one_on_disk(cm: Cm, tmp_path: Path) -> None:
    build_shop_repository(tmp_path / "shop")
    walk = Walk(tmp_path / "shop", 0, cm, tmp_path)
    for prompt in (PROMPTS[0], "rename `roundHalfEven` and everything that calls it"):
        on_disk = cm(walk.top, "retrieve", "--no-vectors", prompt).ok().out
        walk.git("sparse-checkout", "set", "--cone", "packages/web/src")
        hidden = cm(walk.top, "retrieve", "--no-vectors", prompt).ok().out
        said = "not checked out here: git's copy"
        assert said in hidden
        assert hidden.replace(f"; {said}", "").replace(f" ({said})", "") == on_disk
        walk.git("sparse-checkout", "disable")


def test_the_first_implementation_of_an_interface_reaches_calls_beside_the_interface(cm: Cm, tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    orders = "export interface Deps { nextId(): string }\nexport function place(deps: Deps) { return deps.nextId() }\n"
    repo.commit({"src/orders.ts": orders})
    cm(repo.path, "index", "--no-vectors").ok()
    implementation = "import type { Deps } from './orders'\nexport const deps: Deps = { nextId() { return 'x' } }\n"
    repo.write({"src/deps.ts": implementation})
    check(Walk(repo.path, 0, cm, tmp_path), ())
