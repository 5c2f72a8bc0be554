"""How names and texts become terms."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest

from cmgit.words.split import fold, identifier_terms, split_identifier, terms_of
from cmgit.words.stem import stem


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("renderSlot", ["render", "slot"]),
        ("HTTPServer", ["http", "server"]),
        ("parseURLs", ["parse", "urls"]),
        ("getElementById", ["get", "element", "by", "id"]),
        ("MAX_BLOB_BYTES", ["max", "blob", "bytes"]),
        ("$_private$value", ["private", "value"]),
        ("kebab-case-name", ["kebab", "case", "name"]),
        ("base64Encode", ["base", "64", "encode"]),
        ("расчётЦены", ["расчет", "цены"]),
        ("HTTPЗапрос", ["http", "запрос"]),
        ("计算价格Total", ["计算价格", "total"]),
        ("ＦｕｌｌＷｉｄｔｈ", ["full", "width"]),
        ("\\u0441тол", ["стол"]),
        ("\\u{441}тол", ["стол"]),
        ("", []),
        ("$", []),
    ],
)
def test_an_identifier_splits_at_the_borders_of_its_own_script(name: str, parts: list[str]) -> None:
    assert split_identifier(name) == parts


def test_an_identifier_is_found_by_its_parts_and_as_a_whole() -> None:
    assert identifier_terms("renderSlots") == ("render", "slot", "renderslot")
    assert identifier_terms("rendering") == ("render",)


def test_a_han_name_gives_bigrams_and_itself() -> None:
    assert identifier_terms("计算价格") == ("计算", "算价", "价格", "计算价格")


def test_composed_and_decomposed_spellings_are_one_term() -> None:
    name = "йогуртЁмкость"
    assert terms_of(unicodedata.normalize("NFD", name)) == terms_of(unicodedata.normalize("NFC", name))
    assert fold("ЁЖ") == fold("еж")


def test_russian_and_english_words_meet_in_their_stems() -> None:
    assert stem("цены") == stem("цена")
    assert stem("rendering") == stem("renders") == "render"


def test_an_identifier_is_a_term_as_a_whole_too() -> None:
    assert "renderslot" in identifier_terms("renderSlot")


def test_stop_words_that_stand_alone_say_nothing_but_parts_of_names_do() -> None:
    assert terms_of("is it on the") == []
    assert identifier_terms("isRef") == ("is", "ref", "isref")


def test_a_run_that_is_data_gives_no_terms() -> None:
    assert terms_of("A" * 500) == []


def test_stemming_does_not_load_the_library_s_other_languages() -> None:
    code = (
        "import sys; from cmgit.words.split import terms_of; terms_of('rendering слоты');"
        "print(sorted(m for m in sys.modules if 'snowball' in m))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "russian_stemmer" in shown
    assert "english" not in shown
    assert "german" not in shown
