"""Prompts that ask in plain words: what is taken for one, and what they are heard by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from cmgit.retrieve.asked import ASKED_WITH_VECTORS, ASKED_WITHOUT_VECTORS, fitted
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.query import implied_terms, read_query
from cmgit.retrieve.retrieve import search
from cmgit.retrieve.signals import SIGNALS, VECTOR_SIGNALS

ViewOf = Callable[[Mapping[str, str]], Any]


@pytest.mark.parametrize(
    "prompt",
    [
        "how are query strings serialised",
        "Where is the cookie read?",
        "escape html",
        "где читаются настройки",
        "配置文件在哪里读取",
    ],
)
def test_plain_words_that_order_no_change_ask(prompt: str) -> None:
    assert read_prompt(prompt).asks


@pytest.mark.parametrize(
    "prompt",
    [
        "fix: escape html",
        "feat(cookie): where it is read",
        "Add a retry to the client",
        "cookies should be read once",
        "where is `readCookie`?",
        "how does readCookie work",
        "which tests cover the cookie?",
        "where is it read?\n\nat read (src/cookie.js:3:1)",
        "where is it?\n```js\nread()\n```",
        "почини чтение настроек",
    ],
)
def test_orders_names_code_and_complaints_do_not_ask(prompt: str) -> None:
    assert not read_prompt(prompt).asks


def test_a_question_is_heard_by_its_initials_and_by_american_spelling() -> None:
    assert {"jwt"} <= set(implied_terms(["json", "web", "token"]))
    terms = read_query(read_prompt("how is a json web token serialised or coloured"))
    assert {"jwt", "color"} <= terms.joined
    assert "jwt" in terms.weights
    assert "jwt" not in read_query(read_prompt("fix: json web token")).weights


def test_what_is_exported_and_used_answers_a_question_and_what_is_large_an_order(view_of: ViewOf) -> None:
    body = "".join(f"  if (mode === {i}) cookie = parsed(cookie, 'cookie parsing', {i})\n" for i in range(10))
    large = "import { parse } from './cookie'\nfunction readAll(mode) {\n" + body + "  return parse(mode)\n}\n"
    files = {
        "src/cookie.js": "export function parse(text) {\n  return text.split(';')\n}\n",
        "src/run.js": large,
        "src/other.js": "import { parse } from './cookie'\nexport const other = (x) => parse(x).length\n",
    }
    view = view_of(files)
    asked = view.unit(search(view, "how is a cookie parsed", 5)[0].unit)
    ordered = view.unit(search(view, "fix: cookie parsed", 5)[0].unit)
    assert (asked.name, ordered.name) == ("parse", "readAll")


def test_each_kind_of_prompt_has_weights_for_known_signals_only() -> None:
    assert fitted(True, True) is ASKED_WITH_VECTORS
    assert fitted(False, True) is ASKED_WITHOUT_VECTORS
    assert ASKED_WITH_VECTORS.keys() | ASKED_WITHOUT_VECTORS.keys() <= set(SIGNALS)
    assert not ASKED_WITHOUT_VECTORS.keys() & set(VECTOR_SIGNALS)
