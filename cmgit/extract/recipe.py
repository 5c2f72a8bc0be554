"""What facts depend on, as one hash: the extractor's and the languages' sources, the records, parser and grammars."""

from __future__ import annotations

from cmgit.core.recipe import distribution_version, hash_modules

_DISTRIBUTIONS = (
    ("tree-sitter", "tree_sitter"),
    ("tree-sitter-javascript", "tree_sitter_javascript"),
    ("tree-sitter-typescript", "tree_sitter_typescript"),
)


def facts_recipe() -> str:
    """Changes whenever the facts of any blob could: a changed line in these folders, another parser, other grammars."""
    versions = [f"{name} {distribution_version(name, module)}" for name, module in _DISTRIBUTIONS]
    return hash_modules(("extract", "languages", "core/codes.py", "core/facts.py"), *versions)
