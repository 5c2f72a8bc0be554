from __future__ import annotations

import hashlib
import random
import unicodedata
import zlib
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

import cmgit.embed
from cmgit.embed import recipe
from cmgit.embed.wordpiece import MAX_TOKENS, VOCABULARY_SHA256, WordPiece, load_vocabulary, parse_vocabulary

DATA = Path(cmgit.embed.__file__).parent / "data"


@pytest.fixture(scope="module")
def reference() -> Any:
    vocabulary = load_vocabulary()
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    marks = [("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def test_the_vocabulary_is_berts_whole_and_unchanged() -> None:
    raw = zlib.decompress((DATA / "bert-base-uncased.vocab.z").read_bytes())
    assert hashlib.sha256(raw).hexdigest() == VOCABULARY_SHA256 == recipe.VOCABULARY_SHA256
    vocabulary = load_vocabulary()
    assert len(vocabulary) == 30_522
    assert (vocabulary["[PAD]"], vocabulary["[UNK]"], vocabulary["[CLS]"], vocabulary["[SEP]"]) == (0, 100, 101, 102)
    assert "Apache License" in (DATA / "NOTICE").read_text()
    assert parse_vocabulary("a\r\nb\r\n") == {"a": 0, "b": 1}


SAMPLES = [
    "",
    " ",
    "Hello, World! don't_stop(believing)",
    "расчётЦены ё/е Ёлка прогон_ЦЕНЫ",
    "计算价格 総額 가격표 価格を計算する",
    "café naïve Ångström ﬁne ＦＵＬＬｗｉｄｔｈ",
    "cafe\u0301 e\u0301\u0302",
    "emoji 👩‍👩‍👧 🚀🏳️‍🌈 end",
    "zero\u200bwidth \ufeffbom \u00adsoft \u202ebidi",
    "nul\0inside del\x7f \x01\x02 tab\tnew\r\nline \x1c\x1d\x1e\x1f \x85 \xa0 \u2028",
    "\ufffd replacement",
    "İstanbul ΣΊΣΥΦΟΣ ß ẞ",
    "[CLS] [SEP] [MASK] ##ing [unused0]",
    "a" * 100,
    "a" * 101,
    "é" * 60,
    "x" * 300 + " tail",
    "한국어 हिन्दी தமிழ் עִבְרִית العَرَبِيَّة ไทย",
    "\U00020000\U0002b740 \U0002f800 \u3400",
    "{}[]();:'\"`~!@#$%^&*-+=|\\<>,.?/",
    "“quotes” —dash… ¿qué? «guillemets» §¶ ±×÷",
    "word " * 400,
]


@pytest.mark.parametrize("text", SAMPLES)
def test_ids_equal_the_reference(reference: Any, text: str) -> None:
    assert WordPiece().encode(text) == reference.encode(text).ids


def test_ids_equal_the_reference_over_real_sources(reference: Any) -> None:
    words = WordPiece()
    root = Path(__file__).parents[2]
    files = sorted(root.glob("cmgit/**/*.py")) + sorted(root.glob("tests/**/*.py"))
    texts = [
        text[at : at + 500]
        for file in files
        for text in [file.read_text(encoding="utf-8", errors="replace")]
        for at in range(0, len(text), 500)
    ]
    assert len(texts) > 200
    assert [words.encode(text) for text in texts] == [reference.encode(text).ids for text in texts]


def test_ids_equal_the_reference_for_every_old_character(reference: Any) -> None:
    # The reference's tables end at Unicode 8; characters that came later may be classed otherwise.
    words = WordPiece()
    old = unicodedata.ucd_3_2_0
    chosen = [chr(code) for code in range(0x30000) if old.category(chr(code)) not in ("Cn", "Cs")]
    same_class = [char for char in chosen if old.category(char) == unicodedata.category(char)]
    random.Random(7).shuffle(same_class)
    for char in same_class[:6_000]:
        text = f"a{char}b {char}"
        assert words.encode(text) == reference.encode(text).ids, hex(ord(char))


def test_ids_equal_the_reference_for_random_mixtures(reference: Any) -> None:
    words = WordPiece()
    dice = random.Random(3)
    letters = "aZ09_ $\t\n.,'\"éßЖё价格\u0301\u200d👩İ"
    for _ in range(1_500):
        text = "".join(dice.choice(letters) for _ in range(dice.randrange(60)))
        assert words.encode(text) == reference.encode(text).ids, ascii(text)


def test_a_lone_surrogate_is_left_out() -> None:
    words = WordPiece()
    assert words.encode("a\ud800b") == words.encode("ab")


def test_ids_do_not_depend_on_what_was_encoded_before() -> None:
    fresh = [WordPiece().encode(text) for text in SAMPLES]
    shared = WordPiece()
    for text in reversed(SAMPLES):
        shared.encode(text)
    assert [shared.encode(text) for text in SAMPLES] == fresh
