"""What of linking changes an edge, for the snapshot recipe."""

from __future__ import annotations

from cmgit.core.recipe import hash_modules


def link_recipe() -> str:
    """A hash over the modules of this folder."""
    return hash_modules(("link",))
