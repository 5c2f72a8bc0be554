"""A user's own ONNX model folder, named in the user's git config (never by a repository).

model.onnx                     BERT-like: inputs input_ids (attention_mask, token_type_ids), output [1, n, d] or [1, d]
tokenizer.json or vocab.txt    vocab.txt is taken for BERT uncased WordPiece
cmgit.json                     optional: {"pooling": "mean"|"cls", "max_tokens": 128,
                                          "query_prefix": "", "text_prefix": ""}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cmgit.core.errors import ModelUnavailable
from cmgit.embed.recipe import custom_recipe
from cmgit.embed.wordpiece import MAX_TOKENS, WordPiece, parse_vocabulary

_NEEDED = "a model folder holds model.onnx, tokenizer.json or vocab.txt, and optionally cmgit.json"


@dataclass(frozen=True, slots=True)
class CustomModel:
    """A checked model folder. tokenizer: path of tokenizer.json or vocab.txt."""

    model: Path
    tokenizer: Path
    recipe: str
    pooling: str = "mean"
    max_tokens: int = MAX_TOKENS
    query_prefix: str = ""
    text_prefix: str = ""


def read_folder(model_dir: str) -> CustomModel:
    """Check a model folder and hash what is in it; onnxruntime is not loaded.

    Raises:
        ModelUnavailable: a file is missing, empty or cannot be read, or the settings are wrong.
    """
    folder = Path(model_dir)
    model = folder / "model.onnx"
    if not model.is_file():
        raise ModelUnavailable(f"no model.onnx in {model_dir}", _NEEDED)
    if model.stat().st_size == 0 or list(folder.glob("*.incomplete")):
        raise ModelUnavailable(f"the model in {model_dir} was only half downloaded", "download it again")
    tokenizer = next((path for name in ("tokenizer.json", "vocab.txt") if (path := folder / name).is_file()), None)
    if tokenizer is None:
        raise ModelUnavailable(f"no tokenizer.json and no vocab.txt in {model_dir}", _NEEDED)
    settings = folder / "cmgit.json"
    beside = sorted(folder.glob("model.onnx?data")) + sorted(folder.glob("*.onnx_data"))
    files = [model, *beside, tokenizer] + ([settings] if settings.is_file() else [])
    try:
        recipe = custom_recipe([(path.name, _sha256(path)) for path in dict.fromkeys(files)])
        options = json.loads(settings.read_bytes()) if settings.is_file() else {}
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"the model folder {model_dir} cannot be read: {error}", _NEEDED) from error
    return _checked(model, tokenizer, recipe, options)


def open_tokenizer(custom: CustomModel, max_tokens: int | None) -> Callable[[str], list[int]]:
    """Text to ids with marks, cut to `max_tokens` (None: whole), never padded, whatever tokenizer.json says of it."""
    try:
        if custom.tokenizer.name == "vocab.txt":
            words = parse_vocabulary(custom.tokenizer.read_text(encoding="utf-8"))
            return WordPiece(words, max_tokens or 1_000_000).encode
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(custom.tokenizer))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        if max_tokens:
            tokenizer.enable_truncation(max_tokens)
    except Exception as error:  # tokenizers raises bare Exception
        raise ModelUnavailable(f"{custom.tokenizer} is no tokenizer: {error}", _NEEDED) from error
    return lambda text: list(tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8")).ids)


def _checked(model: Path, tokenizer: Path, recipe: str, options: object) -> CustomModel:
    if not isinstance(options, dict):
        raise ModelUnavailable("cmgit.json holds no object", _NEEDED)
    pooling, max_tokens = options.get("pooling", "mean"), options.get("max_tokens", MAX_TOKENS)
    prefixes = options.get("query_prefix", ""), options.get("text_prefix", "")
    if pooling not in ("mean", "cls"):
        raise ModelUnavailable(f"cmgit.json: pooling is {pooling!r}", "say mean or cls")
    if not isinstance(max_tokens, int) or not 8 <= max_tokens <= 8192:
        raise ModelUnavailable(f"cmgit.json: max_tokens is {max_tokens!r}", "say a number from 8 to 8192")
    if not all(isinstance(prefix, str) for prefix in prefixes):
        raise ModelUnavailable("cmgit.json: a prefix is no text", _NEEDED)
    return CustomModel(model, tokenizer, recipe, pooling, max_tokens, *prefixes)


def _sha256(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
