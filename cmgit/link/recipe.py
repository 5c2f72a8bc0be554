"""What the linker adds to the snapshot recipe: its own source, so that no change can be forgotten."""

from __future__ import annotations

from cmgit.core.recipe import hash_modules


def link_recipe() -> str:
    """Changes whenever the edges of any tree could."""
    return hash_modules(("link", "languages/roles.py", "core/facts.py", "core/tables.py"))
