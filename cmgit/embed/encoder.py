"""One ONNX session and its tokenizer: text in, unit vector out.

A vector is a function of its text alone. Dynamic int8 takes its activation scale from the whole batch, so each text is
run alone and unpadded. The session has one thread of its own; several Python threads may share it, and the sums are
taken in the same order however many do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cmgit.embed.runtime_door import load_runtime

Vector = NDArray[np.float32]
Vectors = NDArray[np.float32]


def open_session(model: bytes | str, *, optimise: bool = True) -> Any:
    """An onnxruntime session on the CPU with one thread, silent.

    No pool, no spinning and no affinity calls: the session runs in the caller's thread, also under `taskset -c 0`
    (microsoft/onnxruntime#8313).

    Args:
        model: the model's bytes, or its path (needed where weights lie in files beside it).
        optimise: let onnxruntime rewrite the graph. Not for the fused one: it would fuse Add and LayerNormalization
            into a slower operator.
    """
    onnxruntime = load_runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 4
    # Texts differ in length: an arena and memory patterns grow with each new one, and gain nothing here.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    if not optimise:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Encoder:
    """A session with what stands before and after it.

    Args:
        session: an onnxruntime session; its first output is float32[1, d], or [1, n, d] which is pooled here.
        encode: text to token ids.
        pooling: "mean" or "cls".
    """

    def __init__(self, session: Any, encode: Callable[[str], list[int]], pooling: str = "mean") -> None:
        self._session = session
        self.encode = encode
        self._inputs = tuple(node.name for node in session.get_inputs())
        self._pooling = pooling

    def run(self, ids: list[int]) -> Vector:
        """float32[d] of unit length for one sequence of token ids."""
        row = np.array([ids], np.int64)
        feed = {name: np.ones_like(row) if name == "attention_mask" else np.zeros_like(row) for name in self._inputs}
        feed["input_ids"] = row
        found = self._session.run(None, feed)[0][0]
        if found.ndim == 2:
            found = found[0] if self._pooling == "cls" else found.mean(axis=0)
        return unit_length(found)


def unit_length(vector: Vector) -> Vector:
    """The vector over its L2 norm; zeros stay zeros."""
    wide = vector.astype(np.float64)
    norm = float(np.sqrt((wide * wide).sum()))
    return (wide / norm if norm > 0 else wide).astype(np.float32)
