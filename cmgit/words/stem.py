"""Stems of folded words, English and Russian, as snowballstemmer gives them.

The package body of snowballstemmer imports some thirty languages (40 ms); a reader that stems a prompt of ten words
must not pay for them, so the module in use is imported under a package of our own that points at its folder.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

from cmgit.words.english import stem_english

_ALIAS = "_cmgit_snowball"
SHORTEST = 3  # shorter words have no ending that could be cut without harm
LONGEST = 40  # hashes and base64 are not words


class Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


def stemmer_folder() -> Path:
    """Folder of the installed snowballstemmer; nothing of it is imported."""
    spec = importlib.util.find_spec("snowballstemmer")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("snowballstemmer")
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def _stemmer(language: str) -> Stemmer:
    if _ALIAS not in sys.modules:
        package = ModuleType(_ALIAS)
        package.__path__ = [str(stemmer_folder())]
        sys.modules[_ALIAS] = package
    module = importlib.import_module(f"{_ALIAS}.{language.lower()}_stemmer")
    return cast(Stemmer, getattr(module, f"{language}Stemmer")())


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of one folded word; words of other scripts, short and very long ones stay as they are."""
    if not SHORTEST <= len(word) <= LONGEST or not word.isalpha():
        return word
    if word.isascii():
        return stem_english(word)
    if all("а" <= letter <= "я" for letter in word):
        return _stemmer("Russian").stemWord(word)
    return word
