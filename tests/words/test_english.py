"""The stemmer of our own against the one that it follows."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from cmgit.words.english import stem_english

ENDINGS = """
    ed eed ing edly eedly ingly s ss us ies ied sses y ational tional enci anci izer bli alli entli eli ousli ization
    ation ator alism iveness fulness ousness aliti iviti biliti ogi ogist fulli lessli li icate ative alize iciti ical
    ful ness al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion sion tion e l ll bb dd at bl
""".split()  # noqa: SIM905
ODD = """andes atlas bias cosmos early gently howe idly news only singly skies skis sky ugly dying lying tying
    evening inning"""


def words() -> list[str]:
    sources = Path(__file__).parent.parent.parent.glob("cmgit/**/*.py")
    text = "\n".join(path.read_text("utf-8") for path in sources)
    found = {word.lower() for word in re.findall(r"[A-Za-z][a-z]{2,30}", text)} | set(ODD.split())
    chance, plain = random.Random(7), sorted(found)
    for _ in range(20_000):
        start = chance.choice(plain)[: chance.randint(1, 8)]
        found.add(start + "".join(chance.choice(ENDINGS) for _ in range(chance.randint(1, 2))))
        found.add("".join(chance.choice("aeiouyybtslngd") for _ in range(chance.randint(3, 9))))
    return sorted(word for word in found if len(word) > 2)


def test_every_stem_is_the_one_of_snowballstemmer() -> None:
    snowballstemmer = pytest.importorskip("snowballstemmer", "3.1")
    theirs = snowballstemmer.stemmer("english")
    assert [(w, stem_english(w)) for w in words() if stem_english(w) != theirs.stemWord(w)] == []
