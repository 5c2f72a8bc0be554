"""Law 1: whatever state the working tree is in, the view is what an index built from scratch of those files gives."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cmgit.view.past import PastSupply
from tests.conftest import Cm, GitRepo

FILES = {
    "package.json": '{"name": "shop"}\n',
    "src/index.ts": "export * from './cart'\nexport { taxOf as tax } from './tax'\n",
    "src/cart.ts": (
        "import { taxOf } from './tax'\n\nexport class Cart {\n  lines: number[] = []\n"
        "  total() { return this.lines.reduce((a, b) => a + b + taxOf(b), 0) }\n}\n"
    ),
    "src/tax.ts": "export function taxOf(amount: number) {\n  return amount * 0.2\n}\n",
    "src/app.js": "const { Cart } = require('./index')\n\nfunction main() {\n  return new Cart().total()\n}\nmain()\n",
    "test/cart.test.ts": "import { Cart } from '../src/cart'\nit('sums', () => { new Cart().total() })\n",
}
PROMPT = "the total of the cart must not tax twice"


EDITED_TAX = """\
// moved down
export function taxOf(amount: number) {
  return round(amount * 0.2)
}
function round(n: number) { return Math.round(n) }
"""


def edit(repo: GitRepo) -> None:
    repo.write({"src/tax.ts": EDITED_TAX})


def delete(repo: GitRepo) -> None:
    (repo.path / "src/tax.ts").unlink()


def rename(repo: GitRepo) -> None:
    repo.git("mv", "src/tax.ts", "src/levy.ts")


def add_untracked(repo: GitRepo) -> None:
    repo.write({"src/extra.ts": "import { taxOf } from './tax'\nexport const twice = (n: number) => taxOf(taxOf(n))\n"})


def shadow_a_module(repo: GitRepo) -> None:
    repo.write({"src/tax/index.ts": "export function taxOf() { return 1 }\n"})
    (repo.path / "src/tax.ts").unlink()


def change_config(repo: GitRepo) -> None:
    repo.write({"tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}\n',
                "src/more.ts": "import { taxOf } from '@/tax'\ntaxOf(2)\n"})  # fmt: skip


def stage_then_edit_again(repo: GitRepo) -> None:
    edit(repo)
    repo.git("add", ".")
    repo.write({"src/tax.ts": "export function taxOf() { return 3 }\n"})


def generated_by_attributes(repo: GitRepo) -> None:
    repo.write({".gitattributes": "src/cart.ts linguist-generated\n"})


def written_by_other_attributes(repo: GitRepo) -> None:
    """git calls `src/tax.ts` clean, though no attribute converts it any more."""
    repo.commit({".gitattributes": "*.ts text eol=crlf\n"})
    (repo.path / "src/tax.ts").unlink()
    repo.git("checkout", "-q", "--", "src/tax.ts")
    repo.write({".gitattributes": "*.js linguist-generated\n"})


def conflict(repo: GitRepo) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"src/tax.ts": "export function taxOf(amount: number) {\n  return amount * 0.3\n}\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"src/tax.ts": "export function taxOf(amount: number) {\n  return amount * 0.1\n}\n"})
    repo.git("merge", "other", check=False)


def other_branch(repo: GitRepo) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"src/cart.ts": FILES["src/cart.ts"].replace("total()", "sum()")})


def nothing(_: GitRepo) -> None:
    pass


STATES = [
    nothing,
    edit,
    delete,
    rename,
    add_untracked,
    shadow_a_module,
    change_config,
    stage_then_edit_again,
    generated_by_attributes,
    written_by_other_attributes,
    conflict,
    other_branch,
]


@pytest.fixture(autouse=True)
def without_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """What earlier commits say is of a commit, not of a state of the files; the cold copies have no history."""
    monkeypatch.setattr(PastSupply, "complete", lambda self: None)


@pytest.mark.parametrize("change", STATES, ids=lambda change: change.__name__)
def test_the_view_equals_a_cold_build(change: Callable[[GitRepo], None], repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    repo.commit(FILES)
    cm(repo.path, "index", "--no-vectors").ok()
    change(repo)
    cold = GitRepo(tmp_path / "cold")
    for entry in repo.path.iterdir():
        if entry.name != ".git":
            (shutil.copytree if entry.is_dir() else shutil.copy)(entry, cold.path / entry.name)
    cold.commit()
    for args in (
        ("export", "--units"),
        ("export", "--edges"),
        ("search", "--no-vectors", PROMPT, "--json"),
        ("retrieve", "--no-vectors", PROMPT),
    ):
        warm_answer, cold_answer = cm(repo.path, *args), cm(cold.path, *args)
        if args[0] == "search":
            assert warm_answer.json["results"] == cold_answer.json["results"]
            assert warm_answer.json["results"]
        else:
            assert warm_answer.out == cold_answer.out
            assert warm_answer.out


def test_vectors_of_dirty_files_are_made_on_the_spot(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    repo.commit(FILES)
    cm(repo.path, "index").ok()
    edit(repo)
    warm = cm(repo.path, "search", "--json", PROMPT).json
    repo.commit()
    cm(repo.path, "index").ok()
    cold = cm(repo.path, "search", "--json", PROMPT).json
    assert warm["results"] == cold["results"]
    assert (warm["dirty"], cold["dirty"]) == (1, 0)
    assert warm["pending"] == {"files": 0, "vectors": 0}
