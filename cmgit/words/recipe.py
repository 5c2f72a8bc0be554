"""What terms depend on, as one hash: this folder's sources, the stemmer's version, Unicode's tables."""

from __future__ import annotations

import unicodedata

from cmgit.core.recipe import distribution_version, hash_modules


def words_recipe() -> str:
    """Changes whenever a term of any blob could: a changed line in this folder, another stemmer, another Unicode."""
    stemmer = distribution_version("snowballstemmer", "snowballstemmer")
    return hash_modules(("words",), f"snowballstemmer {stemmer}", f"unicode {unicodedata.unidata_version}")
