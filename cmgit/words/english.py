"""Stems of English words: the algorithm of snowballstemmer 3.1 (`english.sbl`), word for word, at a tenth of the time.

Stemming by the generated module was a tenth of a cold answer. Only words that `words.stem` hands over are meant: three
letters a to z or more, folded. A capital Y is a consonant, as in the original.
"""

from __future__ import annotations

import re

_FIXED = {
    "andes": "andes", "atlas": "atlas", "bias": "bias", "cosmos": "cosmos", "early": "earli", "gently": "gentl",
    "howe": "howe", "idly": "idl", "news": "news", "only": "onli", "singly": "singl", "skies": "sky", "skis": "ski",
    "sky": "sky", "ugly": "ugli",
}  # fmt: skip
_KEPT_BEFORE_ING = ("even", "cann", "inn", "earr", "herr", "out")
_KEPT_BEFORE_EED = ("succ", "proc", "exc")
_FIRST_REGION = re.compile(r"arsen|commun|emerg|gener|inter|later|organ|past|univers|[^aeiouy]*[aeiouy]+[^aeiouy]")
_REGION = re.compile(r"[^aeiouy]*[aeiouy]+[^aeiouy]")
_VOWEL = re.compile(r"[aeiouy]")
_CONSONANT_Y = re.compile(r"([aeiouy])y")
_SHORT_END = re.compile(r"(?:[^aeiouy][aeiouy][^aeiouywxY]|\A[aeiouy][^aeiouy]|past)\Z")
_DOUBLE = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_PAST = ("ed", "ing", "edly", "ingly", "eed", "eedly")
_SECOND = {
    "anci": "ance", "enci": "ence", "ogi": "og", "li": "", "bli": "ble", "abli": "able", "alli": "al", "fulli": "ful",
    "lessli": "less", "ousli": "ous", "entli": "ent", "aliti": "al", "biliti": "ble", "iviti": "ive",
    "tional": "tion", "ational": "ate", "alism": "al", "ation": "ate", "ization": "ize", "izer": "ize", "ator": "ate",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "ogist": "og",
}  # fmt: skip
_THIRD = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "tional": "tion", "ational": "ate",
    "ful": "", "ness": "",
}  # fmt: skip
_FOURTH = frozenset(
    ("ic", "ance", "ence", "able", "ible", "ate", "ive", "ize", "iti", "al", "ism", "ion", "er", "ous", "ant", "ent",
     "ment", "ement")
)  # fmt: skip


def stem_english(word: str) -> str:
    """The stem of a word of three or more letters a to z."""
    if word in _FIXED:
        return _FIXED[word]
    has_y = "y" in word
    if has_y:
        word = _CONSONANT_Y.sub(r"\1Y", "Y" + word[1:] if word[0] == "y" else word)
    found = _FIRST_REGION.match(word)
    first = found.end() if found else len(word)
    found = _REGION.match(word, first)
    second = found.end() if found else len(word)
    if word[-1] in "sd":
        word = _plural(word)
    if word[-1] in "dgy":
        word = _past(word, first)
    if word[-1] in "yY" and len(word) > 2 and word[-2] not in "aeiouy":
        word = word[:-1] + "i"
    word = _derived(word, first, second)
    if word[-1:] in ("e", "l"):
        word = _last(word, first, second)
    return word.replace("Y", "y") if has_y else word


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word[-1] == "s" and not word.endswith(("ss", "us")) and _VOWEL.search(word, 0, len(word) - 2):
        return word[:-1]
    return word


def _past(word: str, first: int) -> str:
    ending = next((word[-n:] for n in (5, 4, 3, 2) if word[-n:] in _PAST), "")
    if not ending:
        return word
    rest = word[: -len(ending)]
    if ending in ("eed", "eedly"):
        return rest + "ee" if first <= len(rest) and rest not in _KEPT_BEFORE_EED else word
    if ending == "ing":
        if rest in _KEPT_BEFORE_ING:
            return word
        if len(rest) == 2 and rest[1] == "y" and rest[0] not in "aeiouy":
            return rest[0] + "ie"
    if not _VOWEL.search(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest.endswith(_DOUBLE):
        return rest if len(rest) == 3 and rest[0] in "aeo" else rest[:-1]
    return rest + "e" if len(rest) == first and _SHORT_END.search(rest) else rest


def _derived(word: str, first: int, second: int) -> str:
    """Steps 2 to 4: endings of derived words, from the longer to the shorter."""
    if word[-1:] in ("i", "l", "m", "n", "r", "s", "t"):
        ending = next((word[-n:] for n in (7, 6, 5, 4, 3, 2) if word[-n:] in _SECOND), "")
        rest = word[: len(word) - len(ending)]
        if (
            ending
            and first <= len(rest)
            and (ending != "ogi" or rest[-1:] == "l")
            and (ending != "li" or rest[-1:] in tuple("cdeghkmnrt"))
        ):
            word = rest + _SECOND[ending]
    if word[-1:] in ("e", "i", "l", "s"):
        ending = next((word[-n:] for n in (7, 6, 5, 4, 3) if word[-n:] in _THIRD), "")
        rest = word[: len(word) - len(ending)]
        if ending and first <= len(rest) and (ending != "ative" or second <= len(rest)):
            word = rest + _THIRD[ending]
    ending = next((word[-n:] for n in (5, 4, 3, 2) if word[-n:] in _FOURTH), "")
    rest = word[: len(word) - len(ending)]
    if ending and second <= len(rest) and (ending != "ion" or rest[-1:] in ("s", "t")):
        return rest
    return word


def _last(word: str, first: int, second: int) -> str:
    rest = word[:-1]
    if word[-1] == "l":
        return rest if second <= len(rest) and rest[-1:] == "l" else word
    if second <= len(rest) or (first <= len(rest) and not _SHORT_END.search(rest)):
        return rest
    return word
