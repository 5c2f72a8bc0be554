"""Measure the embedding stage by hand: `python bench/embed.py CACHE_DIR [FILE …]`. Prints ratios beside times.

What is said: load times, units per second of `embed_many` against a bare loop over the session, cosine of the fused
model to the packaged one, and the exact search over 100,000 vectors.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cmgit.embed import cache
from cmgit.embed.encoder import Encoder, open_session
from cmgit.embed.model import load_model
from cmgit.embed.quantize import quantize, scores
from cmgit.embed.wordpiece import WordPiece


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache_dir")
    parser.add_argument("files", nargs="*", default=[__file__])
    arguments = parser.parse_args()
    sources = [Path(file).read_text(errors="replace") for file in arguments.files]
    texts = [source[at : at + 400] for source in sources for at in range(0, len(source), 400)][:300]

    load_model(arguments.cache_dir)
    fused_load = min(timed(lambda: load_model(arguments.cache_dir)) for _ in range(5))
    plain_load = min(timed(lambda: open_session(str(cache.source_path()))) for _ in range(3))
    print(f"load: fused {fused_load * 1e3:.0f} ms, packaged {plain_load * 1e3:.0f} ms")

    model, words = load_model(arguments.cache_dir), WordPiece()
    plain = Encoder(open_session(str(cache.source_path())), words.encode)
    ids = [words.encode(text) for text in texts]
    encoder = model._encoder
    bare = timed(lambda: [encoder.run(row) for row in ids])
    packaged = timed(lambda: [plain.run(row) for row in ids])
    print(f"{len(texts)} texts of {statistics.mean(map(len, ids)):.0f} tokens")
    print(
        f"bare loop {len(ids) / bare:.0f}/s, packaged model {len(ids) / packaged:.0f}/s ({packaged / bare:.2f} times)"
    )
    for threads in (1, 2):
        spent = timed(lambda threads=threads: model.embed_many(texts, threads))
        print(f"embed_many, {threads} threads: {len(texts) / spent:.0f}/s ({bare / spent:.2f} of the bare loop)")
    cosines = [float(encoder.run(row) @ plain.run(row)) for row in ids]
    print(f"cosine to the packaged model: median {statistics.median(cosines):.4f}, least {min(cosines):.4f}")

    rows = np.random.default_rng(1).standard_normal((100_000, 384)).astype(np.float32)
    matrix, scales = quantize(rows)
    query = rows[0] / np.linalg.norm(rows[0])
    print(f"100,000 vectors: {min(timed(lambda: scores(query, matrix, scales)) for _ in range(9)) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
