"""Russian and Chinese prompts over real repositories, beside their English twins: identifiers lead the way."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from cmgit.core.config import Config
from cmgit.core.records import no_progress
from cmgit.git.locate import locate
from cmgit.retrieve.retrieve import search
from cmgit.view.open import open_view

pytestmark = pytest.mark.real
ROWS = [json.loads(row) for row in (Path(__file__).parent / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]


def bare(name: str) -> Path:
    folder = os.environ.get("CMGIT_REAL_REPOS")
    if not folder:
        pytest.skip("CMGIT_REAL_REPOS does not name a folder with bare clones")
    for candidate in (Path(folder) / name / "repo", Path(folder) / name):
        if (candidate / "HEAD").exists():
            return candidate
    pytest.skip(f"{name} is not in {folder}")


def test_seven_of_ten_targets_stand_among_the_first_five_in_each_language(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    missed = []
    for repo in dict.fromkeys(row["repo"] for row in ROWS):
        clone = tmp_path / repo
        subprocess.run(["git", "clone", "-q", "--bare", str(bare(repo)), str(clone)], check=True, timeout=600)
        view = open_view(locate(str(clone)), Config(vectors=False), "HEAD", no_progress, print)
        for row in (row for row in ROWS if row["repo"] == repo):
            for language in ("en", "ru", "zh"):
                units = [view.unit(ranked.unit) for ranked in search(view, row[language], 5)]
                if any((unit.path, unit.name) == (row["path"], row["name"]) for unit in units):
                    found[language] += 1
                else:
                    missed.append((language, row["name"], [(unit.path, unit.name) for unit in units]))
    assert min(found["en"], found["ru"], found["zh"]) >= 7, (found, missed)
