"""Secrets that are words with spaces between them."""

from __future__ import annotations

import time

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


@pytest.mark.parametrize(
    "line",
    [
        'hook = "https://hooks.slack.com/services/T00000000/B00000000/XXXXabcdEFGHijklMNOPqrst"',
        'hook = "https://discord.com/api/webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyzABCDEFGH_-abcd"',
        'bot = "123456789:AAabcdefghijklmnopqrstuvwxyz_ABCDEFG"',
        'google = "GOCSPX-abcdEFGHijklMNOPqrstUVWXyz12"',
        'cache = "redis://:passw0rdabcd@host:6379"',
        'headers = { Authorization: "Basic YWRtaW46c3VwZXJzZWNyZXRhYmNk" }',
    ],
)
def test_what_can_only_be_a_secret_is_masked_whatever_it_is_called(line: str) -> None:
    data = line.encode()
    shown, masked = mask(data, 0, len(data), secret_spans(data))
    assert masked
    assert b"abcd" not in shown
    assert b"YWRt" not in shown


def test_basic_words_are_no_credentials() -> None:
    data = b"""a = 'Basic authentication-scheme', b = "Basic", c = 'Basic YWRtaW46', d = 'Basic types of variables'"""
    assert secret_spans(data) == []


@pytest.mark.parametrize("blank", [b" ", b"\n", b"\t"])
def test_a_long_run_of_blanks_is_no_work(blank: bytes) -> None:
    """A file may be anybody's; 6,000 blanks took longer than a prompt waits."""
    data = b"password" + blank * 20_000
    started = time.process_time()
    assert secret_spans(data) == []
    assert time.process_time() - started < 2
