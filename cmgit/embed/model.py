"""The embedding model: text → unit vector. With `encoder` and `fuse` the only door to onnxruntime.

Nothing here asks the network, ever (qdrant/fastembed#218): what is missing raises ModelUnavailable with a hint.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cmgit.core.errors import ModelUnavailable
from cmgit.embed import cache, custom
from cmgit.embed.encoder import Encoder, Vector, Vectors, open_session, unit_length
from cmgit.embed.recipe import builder_version, builtin_recipe
from cmgit.embed.runtime_door import load_runtime
from cmgit.embed.wordpiece import MAX_TOKENS, WordPiece

QUERY_WINDOWS = 4
DIMENSIONS = 384


def _silent(_: str) -> None:
    """For callers that show no warnings."""


def _uncounted(_: int) -> None:
    """For callers that show no progress."""


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model. Safe to share between threads. recipe: see `cmgit.embed.recipe`; dimensions: of a vector."""

    recipe: str
    dimensions: int
    _encoder: Encoder
    _max_tokens: int = MAX_TOKENS
    _query_prefix: str = ""
    _text_prefix: str = ""

    def embed(self, text: str) -> Vector:
        """float32[dimensions], unit length, of a unit's text; what exceeds the token limit is not seen."""
        return self._encoder.run(_cut(self._encoder.encode(self._text_prefix + text), self._max_tokens))

    def embed_query(self, text: str) -> Vector:
        """float32[dimensions], unit length, of a question or prompt.

        A prompt above the token limit is the mean of `QUERY_WINDOWS` windows spread over it, never cut blindly.
        """
        ids = self._encoder.encode(self._query_prefix + text)
        if len(ids) <= self._max_tokens:
            return self._encoder.run(ids)
        start, end, inner = ids[0], ids[-1], ids[1:-1]
        room = self._max_tokens - 2
        count = min(QUERY_WINDOWS, -(-len(inner) // room))
        firsts = [round(step * (len(inner) - room) / (count - 1)) for step in range(count)]
        vectors = [self._encoder.run([start, *inner[first : first + room], end]) for first in firsts]
        return unit_length(np.stack(vectors).mean(axis=0))

    def embed_many(
        self, texts: Sequence[str], threads: int = 1, advance: Callable[[int], None] = _uncounted
    ) -> Vectors:
        """Embed texts in several threads; each row is bit-equal to `embed` of its text.

        Args:
            threads: Python threads that share the session; at least one.
            advance: called in the calling thread with the number of texts done. What it raises stops the work and is
                raised here.

        Returns:
            float32[len(texts), dimensions].
        """
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        if threads <= 1 or len(texts) <= 1:
            for index, text in enumerate(texts):
                vectors[index] = self.embed(text)
                advance(index + 1)
            return vectors
        finished: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        counter = itertools.count()
        stop = threading.Event()

        def work() -> None:
            try:
                while not stop.is_set() and (index := next(counter)) < len(texts):
                    vectors[index] = self.embed(texts[index])
                    finished.put(None)
            except BaseException as error:  # raised again in the calling thread
                finished.put(error)

        workers = [threading.Thread(target=work, daemon=True) for _ in range(min(threads, len(texts)))]
        for worker in workers:
            worker.start()
        try:
            for done in range(1, len(texts) + 1):
                error = finished.get()
                if error is not None:
                    raise error
                advance(done)
        finally:
            stop.set()
            for worker in workers:
                worker.join()
        return vectors


def load_model(cache_dir: str, model_dir: str = "", warn: Callable[[str], None] = _silent) -> Model:
    """Load the built-in model, or a user's.

    Args:
        cache_dir: the user's cache folder of cmgit, where the fused model is kept; "" builds it in memory.
        model_dir: a user's model folder (`cmgit.embed.custom`), "" for the built-in one.
        warn: told in one sentence what works less well than it should.

    Raises:
        ModelUnavailable: a file or library is missing or damaged; the hint says how to mend it.
    """
    try:
        load_runtime()
    except ImportError as error:
        raise ModelUnavailable("onnxruntime cannot be loaded", "pip install onnxruntime") from error
    return _load_custom(model_dir) if model_dir else _load_builtin(cache_dir, warn)


def _load_builtin(cache_dir: str, warn: Callable[[str], None]) -> Model:
    encode = WordPiece(max_tokens=1_000_000).encode
    try:
        model = cache.fused_model(cache_dir, builder_version(), _build, warn)
        session = _without_bytes(open_session(model, optimise=False))
        return Model(builtin_recipe(True), DIMENSIONS, Encoder(session, encode))
    except ModelUnavailable:
        raise
    except Exception as error:  # onnx missing, or a runtime that does not know the fused operators
        warn(f"the fused model cannot be used ({error}), so the packaged one is: slower, and its own vectors")
    return Model(builtin_recipe(False), DIMENSIONS, Encoder(open_session(cache.read_source()), encode))


def _without_bytes(session: Any) -> Any:
    """onnxruntime's wrapper keeps the model's bytes for a change of providers, which never comes: 23 MB for as long as
    the session lives."""
    if getattr(session, "_model_bytes", None) is not None:
        session._model_bytes = b""
    return session


def _build(source: bytes) -> bytes:
    from cmgit.embed import fuse

    return fuse.fuse(source, unsigned_weights=fuse.saturates())


def _load_custom(model_dir: str) -> Model:
    folder = custom.read_folder(model_dir)
    encode = custom.open_tokenizer(folder, None)
    try:
        encoder = Encoder(open_session(str(folder.model)), encode, folder.pooling)
        dimensions = len(encoder.run(_cut(encode("text"), folder.max_tokens)))
    except Exception as error:  # onnxruntime's errors share no base
        raise ModelUnavailable(
            f"the model in {model_dir} cannot be run: {error}", "half downloaded, or not a text model; see the docs"
        ) from error
    return Model(folder.recipe, dimensions, encoder, folder.max_tokens, folder.query_prefix, folder.text_prefix)


def _cut(ids: list[int], limit: int) -> list[int]:
    """At most `limit` ids, the closing mark kept."""
    return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]
