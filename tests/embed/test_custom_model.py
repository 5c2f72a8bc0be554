from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from cmgit.core.errors import ModelUnavailable
from cmgit.embed.model import load_model
from cmgit.embed.recipe import vectors_recipe

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "green", "blue", "query", "##ish"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of 9 words: a token's vector is its row of a table."""
    table = numpy_helper.from_array(np.eye(len(WORDS), dtype=np.float32), "table")
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"])
    mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, [1, "n"])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, "n", len(WORDS)])
    node = helper.make_node("Gather", ["table", "input_ids"], ["out"])
    graph = helper.make_graph([node], "tiny", [ids, mask], [out], [table])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    place = tmp_path / "model"
    place.mkdir()
    onnx.save(model, str(place / "model.onnx"))
    (place / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    return place


def test_mean_pooling_over_all_tokens(folder: Path) -> None:
    model = load_model("", str(folder))
    assert model.dimensions == len(WORDS)
    expected = np.array([0, 0, 1, 1, 1, 1, 0, 0, 0], np.float32) / 2
    assert np.allclose(model.embed("Red green"), expected)


def test_cls_pooling_and_prefixes_come_from_the_settings(folder: Path) -> None:
    (folder / "cmgit.json").write_text(json.dumps({"pooling": "cls"}))
    assert load_model("", str(folder)).embed("red").argmax() == WORDS.index("[CLS]")
    (folder / "cmgit.json").write_text(json.dumps({"query_prefix": "query ", "text_prefix": "blue "}))
    model = load_model("", str(folder))
    assert model.embed_query("red")[WORDS.index("query")] > 0
    assert model.embed("red")[WORDS.index("query")] == 0
    assert model.embed("red")[WORDS.index("blue")] > 0


def test_the_limit_cuts_texts_and_spreads_queries(folder: Path) -> None:
    (folder / "cmgit.json").write_text(json.dumps({"max_tokens": 8}))
    model = load_model("", str(folder))
    text = "red " * 6 + "green " * 6
    assert model.embed(text)[WORDS.index("green")] == 0
    assert model.embed_query(text)[WORDS.index("green")] > 0


def test_a_tokenizer_json_is_used_without_its_own_padding_and_limit(folder: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=50)
    tokenizer.save(str(folder / "tokenizer.json"))
    vector = load_model("", str(folder)).embed("red green blue")
    assert [WORDS[at] for at in np.flatnonzero(vector)] == ["red", "green", "blue"]


def test_everything_in_the_folder_enters_the_recipe(folder: Path) -> None:
    recipes = [vectors_recipe(str(folder)), vectors_recipe()]
    assert load_model("", str(folder)).recipe == recipes[0]
    (folder / "cmgit.json").write_text('{"pooling": "cls"}')
    recipes.append(vectors_recipe(str(folder)))
    (folder / "vocab.txt").write_text("\n".join([*WORDS, "more"]))
    recipes.append(vectors_recipe(str(folder)))
    (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes() + b"\0")
    recipes.append(vectors_recipe(str(folder)))
    assert len(set(recipes)) == len(recipes)


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda folder: (folder / "model.onnx").unlink(), "no model.onnx"),
        (lambda folder: (folder / "vocab.txt").unlink(), "no tokenizer.json"),
        (lambda folder: (folder / "model.onnx").write_bytes(b""), "half downloaded"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"<html>not found</html>"), "cannot be run"),
        (lambda folder: (folder / "tokenizer.json").write_text("{"), "is no tokenizer"),
        (lambda folder: (folder / "vocab.txt").write_text("one\ntwo\n"), "is no tokenizer"),
        (lambda folder: (folder / "cmgit.json").write_text("{"), "cannot be read"),
        (lambda folder: (folder / "cmgit.json").write_text("[]"), "no object"),
        (lambda folder: (folder / "cmgit.json").write_text('{"pooling": "max"}'), "pooling"),
        (lambda folder: (folder / "cmgit.json").write_text('{"max_tokens": 1}'), "max_tokens"),
        (lambda folder: (folder / "cmgit.json").write_text('{"query_prefix": 1}'), "prefix"),
    ],
)
def test_a_broken_folder_is_said_with_a_hint(folder: Path, break_it: object, said: str) -> None:
    assert callable(break_it)
    break_it(folder)
    with pytest.raises(ModelUnavailable, match=said) as caught:
        load_model("", str(folder))
    assert caught.value.hint
