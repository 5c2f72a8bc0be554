"""Settings, read once in cli/ from `git config cm.*` and passed in as one frozen record."""

from __future__ import annotations

from cmgit.core.record import record


@record
class Config:
    """Everything that a user can set.

    max_blob_bytes: larger blobs are recorded as oversized. keep_trees: the newest N manifests stay. budget: bytes of
    source in a context. max_characters: of a whole context, wrapper included. vectors: make and use embeddings.
    model_dir: another ONNX model's folder, "" for the built-in one. cache_dir: the user's cache folder of cmgit.
    """

    max_blob_bytes: int = 1_000_000
    keep_trees: int = 8
    budget: int = 6_000
    max_characters: int = 9_000
    detail: str = "normal"
    vectors: bool = True
    model_dir: str = ""
    cache_dir: str = ""
    hooks: bool = True  # False: installed hooks do nothing in the background
    notes: str = "auto"  # on: offered even without a .memory/; off: in no context, and not offered to agents
    context: bool = True  # the prompt hook, which reads this and the next by itself: it loads no Config
    log_prompts: bool = False
    workers: int = 0  # parse processes; 0: as many as the process may use
