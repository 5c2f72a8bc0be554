"""Short names for content, where git's own are not at hand."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # hashlib costs a hook 3 ms
except ImportError:  # another Python than CPython
    from hashlib import blake2b


def digest_of(data: bytes) -> str:
    """Of a piece of source, 16 hex digits: an edit elsewhere in its file moves a piece and leaves it the same."""
    return blake2b(data, digest_size=8).hexdigest()


def digest_of_texts(*parts: str) -> str:
    """Of texts in this order, 24 hex digits."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
