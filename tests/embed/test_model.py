from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from cmgit.core.errors import ModelUnavailable
from cmgit.embed import cache
from cmgit.embed.encoder import Encoder, open_session
from cmgit.embed.model import Model, load_model
from cmgit.embed.recipe import vectors_recipe
from cmgit.embed.wordpiece import WordPiece

TEXTS = [
    "function parse expression: reads a token stream and builds the syntax tree",
    "function render list: mounts children of a fragment into the container",
    "class Job Queue: limit drain retry backoff",
    "",
    "расчёт цены со скидкой",
    "计算 价格",
    "word " * 300,
    "method flush of Scheduler: runs pending jobs in order of their id",
]


def test_a_vector_has_unit_length_and_384_dimensions(model: Model) -> None:
    for text in TEXTS:
        vector = model.embed(text)
        assert vector.shape == (384,) == (model.dimensions,)
        assert vector.dtype == np.float32
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5


def test_near_texts_are_near(model: Model) -> None:
    query = model.embed_query("where is the syntax tree built from tokens?")
    near = [float(query @ model.embed(text)) for text in TEXTS[:3]]
    assert near[0] > max(near[1:]) + 0.1


def test_the_fused_model_stays_close_to_the_packaged_one(model: Model) -> None:
    plain = Encoder(open_session(cache.read_source()), WordPiece().encode)
    cosines = [float(model.embed(text) @ plain.run(plain.encode(text))) for text in TEXTS]
    assert min(cosines) > 0.975  # of the empty text
    assert float(np.median(cosines)) > 0.992


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_vector_is_the_same_bits_alone_and_among_others(model: Model, threads: int) -> None:
    alone = np.stack([model.embed(text) for text in TEXTS])
    counts: list[int] = []
    among = model.embed_many(TEXTS * 4, threads, counts.append)
    assert counts == list(range(1, len(TEXTS) * 4 + 1))
    assert among.tobytes() == np.concatenate([alone] * 4).tobytes()


CHILD = """
import sys
from cmgit.embed.model import load_model
model = load_model(sys.argv[1])
sys.stdout.buffer.write(model.embed_many(sys.stdin.read().split("\\n"), int(sys.argv[2])).tobytes())
"""


@pytest.mark.parametrize("prefix", [[], ["taskset", "-c", "0"]])
def test_a_vector_is_the_same_bits_in_another_process(model: Model, model_cache: str, prefix: list[str]) -> None:
    # With taskset: microsoft/onnxruntime#8313. Nothing but vectors on stdout, nothing on stderr.
    if prefix and sys.platform != "linux":
        pytest.skip("taskset is Linux's")
    command = [*prefix, sys.executable, "-c", CHILD, model_cache, "2"]
    done = subprocess.run(command, input="\n".join(TEXTS).encode(), capture_output=True, check=True)
    assert done.stderr == b""
    assert done.stdout == model.embed_many(TEXTS, 1).tobytes()


def test_what_a_callback_raises_stops_the_work_and_comes_out(model: Model) -> None:
    before = threading.active_count()

    def stop(done: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.embed_many(TEXTS * 20, 2, stop)
    assert threading.active_count() == before


def test_the_end_of_a_long_prompt_is_seen(model: Model) -> None:
    filler = "please keep the checks green and describe the change in the summary " * 60
    asked = model.embed_query(filler + "the scheduler must flush pending jobs in order of their id " * 12)
    plain = model.embed_query(filler)
    job = model.embed(TEXTS[7])
    assert float(asked @ job) > float(plain @ job) + 0.05
    assert abs(float(np.linalg.norm(asked)) - 1) < 1e-5


def test_recipes_need_no_onnxruntime_and_agree_with_the_model(model: Model) -> None:
    code = (
        "import sys; from cmgit.embed.recipe import vectors_recipe, texts_recipe; texts_recipe();"
        "print(vectors_recipe(), [m for m in ('onnxruntime', 'onnx', 'tokenizers', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{model.recipe} []\n"
    assert vectors_recipe() != vectors_recipe(fused=False)


def test_without_onnxruntime_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelUnavailable) as caught:
        load_model(str(tmp_path))
    assert "onnxruntime" in caught.value.hint


def test_without_onnx_the_packaged_model_answers_under_its_own_recipe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: Model
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    warnings: list[str] = []
    plain = load_model(str(tmp_path), warn=warnings.append)
    assert len(warnings) == 1
    assert plain.recipe == vectors_recipe(fused=False) != model.recipe
    assert float(plain.embed(TEXTS[0]) @ model.embed(TEXTS[0])) > 0.98


def test_a_model_opens_no_socket(model_cache: str) -> None:
    # qdrant/fastembed#218
    code = (
        "import sys; sys.addaudithook(lambda event, args: event.startswith('socket.') and sys.exit(event));"
        f"from cmgit.embed.model import load_model; load_model({model_cache!r}).embed('text')"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
