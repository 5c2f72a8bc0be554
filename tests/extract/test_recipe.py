"""The facts recipe: derived by construction, cheap to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cmgit.core import recipe as core_recipe
from cmgit.extract.recipe import facts_recipe


def test_the_recipe_loads_no_parser() -> None:
    program = (
        "import sys; from cmgit.extract.recipe import facts_recipe; facts_recipe();"
        "print([m for m in sys.modules if 'tree_sitter' in m or m == 'importlib.metadata' or m == 'numpy'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_recipe_is_a_hash_and_stays_the_same() -> None:
    assert facts_recipe() == facts_recipe()
    assert int(facts_recipe(), 16)


@pytest.mark.parametrize("changed", ["extract/unit_walk.py", "languages/table.py", "core/facts.py"])
def test_a_changed_line_in_any_module_that_makes_facts_changes_the_recipe(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("extract", "languages", "core"):
        (tmp_path / folder).mkdir()
        for module in (core_recipe.PACKAGE / folder).glob("*.py"):
            (tmp_path / folder / module.name).write_bytes(module.read_bytes())
    before = facts_recipe()
    monkeypatch.setattr(core_recipe, "PACKAGE", tmp_path)
    assert facts_recipe() == before
    with (tmp_path / changed).open("a") as module_file:
        module_file.write("# changed\n")
    assert facts_recipe() != before


def test_the_versions_of_parser_and_grammars_are_found() -> None:
    for name in ("tree-sitter", "tree-sitter-javascript", "tree-sitter-typescript"):
        assert core_recipe.distribution_version(name, name.replace("-", "_"))[0].isdigit()
