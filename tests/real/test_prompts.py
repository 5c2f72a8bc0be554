"""The share of prompts that are answered with nothing, over three real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cmgit.cli.session import default_cache_dir
from cmgit.core.config import Config
from cmgit.core.records import no_progress
from cmgit.embed.model import load_model
from cmgit.git.locate import locate
from cmgit.view.open import open_view
from tests.agents.conftest import index
from tests.agents.prompt_lists import prompts, silence_of
from tests.real.test_repositories import bare_clone

pytestmark = pytest.mark.real

REPOSITORIES = {"express": "expressjs+express", "vue": "vuejs+core", "hono": "honojs+hono"}
LEAST_SILENT_ON_TALK = 0.95
MOST_SILENT_ON_CODE = 0.10


@pytest.mark.parametrize("with_vectors", [True, False], ids=["with vectors", "by words alone"])
def test_talk_is_answered_with_nothing_and_code_is_not(tmp_path: Path, with_vectors: bool) -> None:
    config = Config(cache_dir=str(default_cache_dir()), vectors=with_vectors)
    embed = load_model(config.cache_dir, config.model_dir).embed_query if with_vectors else None
    silent: dict[str, list[bool]] = {"talk": [], "long talk": [], "code": [], "two words about code": []}
    short = [line.split("\t") for line in prompts("code_short_held_out")]
    for name, clone in REPOSITORIES.items():
        folder = tmp_path / name
        subprocess.run(["git", "clone", "-q", str(bare_clone(clone)), str(folder)], check=True, timeout=600)
        index(folder, *([] if with_vectors else ["--no-vectors"]))
        view = open_view(locate(str(folder)), config, None, no_progress, lambda _: None)
        asked = {
            "talk": prompts("not_code_held_out"),
            "long talk": prompts("not_code_hard_held_out"),
            "code": prompts(f"code_{name}_held_out"),
            "two words about code": [prompt for repository, prompt in short if repository == name],
        }
        for kind, texts in asked.items():
            silent[kind] += [bool(silence_of(view, text, config, embed)) for text in texts]
    shares = {kind: sum(each) / len(each) for kind, each in silent.items()}
    print({kind: f"{share:.3f} of {len(silent[kind])}" for kind, share in shares.items()})
    assert len(silent["talk"]) == 300
    assert len(silent["code"]) == 100
    assert shares["talk"] >= LEAST_SILENT_ON_TALK, shares
    assert shares["code"] <= MOST_SILENT_ON_CODE, shares
    assert shares["long talk"] >= 0.8, shares
    assert shares["two words about code"] <= 0.2, shares
