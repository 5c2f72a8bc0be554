"""Prompts that have nothing to do with the code are answered with nothing, those that have get an answer.

Here over the example application, in seconds; `tests/real/test_prompts.py` asks three real repositories.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cmgit.cli.session import default_cache_dir
from cmgit.core.config import Config
from cmgit.core.records import no_progress
from cmgit.embed.model import load_model
from cmgit.git.locate import locate
from cmgit.view.open import open_view
from cmgit.view.view import View
from tests.agents.conftest import index
from tests.agents.prompt_lists import prompts, silence_of
from tests.conftest import GitRepo

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "shop"

CODE = [
    "why is the price shown with the wrong currency",
    "orders are created twice when the client retries",
    "the cart forgets its items after a reload",
    "how is the discount of a voucher computed?",
    "where are request errors turned into a response",
    "add the tax to the total of an order",
    "shipping is free although the order is too small",
    "log the duration of every request",
    "TypeError: Cannot read properties of undefined (reading 'items')\n    at useCart (packages/web/src/main.ts:4:1)",
    "packages/server/src/store.js: can two orders get the same number?",
    "почему `useCart` не сохраняет корзину?",
    "为什么 useCart 丢失商品",
    "idempotency keys should expire",
    "the api client swallows errors of the server",
]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    repo = GitRepo(tmp_path_factory.mktemp("example") / "shop")
    files = {
        str(path.relative_to(EXAMPLE)): path.read_bytes()
        for path in EXAMPLE.rglob("*")
        if path.is_file() and "node_modules" not in path.parts
    }
    for key, value in (("user.name", "A"), ("user.email", "a@b.c")):
        repo.git("config", key, value)
    repo.commit(files)
    return repo


def shares(view: View, config: Config, with_vectors: bool) -> tuple[list[str], list[str]]:
    """(prompts about other things that were answered, prompts about the code that were not)."""
    model = load_model(config.cache_dir, config.model_dir) if with_vectors else None
    embed = model.embed_query if model is not None else None
    talk = prompts("not_code_held_out") + prompts("not_code_hard_held_out")
    answered = [prompt for prompt in talk if not silence_of(view, prompt, config, embed)]
    return answered, [prompt for prompt in CODE if silence_of(view, prompt, config, embed)]


def test_lists_are_as_long_as_promised_and_hold_nothing_twice() -> None:
    talk = prompts("not_code_held_out")
    code = [prompt for name in ("express", "vue", "hono") for prompt in prompts(f"code_{name}_held_out")]
    assert len(talk) == len(set(talk)) == 100
    assert len(code) == len(set(code)) == 100
    fitted = {p for path in ("not_code_fit", "not_code_hard_fit") for p in prompts(path)}
    assert not fitted & set(talk)


def test_with_vectors_the_example_is_silent_on_talk_and_answers_about_itself(example: GitRepo) -> None:
    index(example.path)
    config = Config(cache_dir=str(default_cache_dir()))
    view = open_view(locate(str(example.path)), config, None, no_progress, lambda _: None)
    answered, silent = shares(view, config, with_vectors=True)
    assert len(answered) <= 6, answered
    assert len(silent) <= 1, silent


def test_by_words_alone_it_does_nearly_as_well(example: GitRepo) -> None:
    index(example.path, "--no-vectors")
    config = Config(cache_dir=str(default_cache_dir()), vectors=False)
    view = open_view(locate(str(example.path)), config, None, no_progress, lambda _: None)
    answered, silent = shares(view, config, with_vectors=False)
    assert len(answered) <= 8, answered
    assert len(silent) <= 3, silent
