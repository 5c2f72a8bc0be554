"""Secrets that are words with spaces between them."""

from __future__ import annotations

import pytest

from cmgit.retrieve.masking import mask, secret_spans


@pytest.mark.parametrize(
    "line",
    [
        "const password = 'correct horse battery staple'",
        'db: { password: "Tr0ub4dor & three more words", host: "x" }',
        "config['secret'] = `winter sleeps under granite`",
        "const passphrase: string = 'quiet river seven lamps'",
        "password = process.env.PASS || 'velvet anchor umbrella tide'",
    ],
)
def test_a_phrase_is_masked_where_its_name_says_what_it_is(line: str) -> None:
    data = line.encode()
    shown, masked = mask(data, 0, len(data), secret_spans(data))
    assert masked
    assert b"[masked]" in shown
    assert not any(word in shown for word in (b"horse", b"Tr0ub4dor", b"sleeps", b"river", b"anchor"))


@pytest.mark.parametrize(
    "line",
    [
        "password: 'Must be at least 8 characters'",
        "password: 'Enter your password'",
        "secret: 'This field is required'",
        "const title = 'correct horse battery staple'",
        "passwordHint = 'name of the first pet'",
        "if (password === 'a b') {",
        "password: 'Forgot it'",
    ],
)
def test_what_is_said_to_a_user_is_shown(line: str) -> None:
    data = line.encode()
    assert mask(data, 0, len(data), secret_spans(data)) == (data, False)


def test_a_long_run_of_words_costs_no_time() -> None:
    data = b"password = '" + b"a b " * 50_000
    assert secret_spans(data) == []
