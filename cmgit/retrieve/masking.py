"""Secret-like literals in source: masked in what is shown, whatever the file is called (anomalyco/opencode#20904)."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache

from cmgit.core.patterns import lazy

MASK = "[masked]"
KEPT = 256
"""Ranges whose secrets are remembered."""

_KNOWN = lazy(
    rb"""-----BEGIN[ A-Z0-9]*PRIVATE[ ]KEY(?:[ ]BLOCK)?-----.*?(?:-----END[ A-Z0-9]*PRIVATE[ ]KEY(?:[ ]BLOCK)?-----|\Z)
    |\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b
    |\bgh[pousr]_[A-Za-z0-9]{20,255}\b|\bgithub_pat_[A-Za-z0-9_]{22,255}\b|\bglpat-[A-Za-z0-9_-]{20,}
    |\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}
    |\bAIza[0-9A-Za-z_-]{35}|\bnpm_[A-Za-z0-9]{36}\b|\bpypi-[A-Za-z0-9_-]{50,}|\bSG\.[\w-]{16,}\.[\w-]{16,}
    |\bhf_[A-Za-z0-9]{30,}\b|\bAccountKey=[A-Za-z0-9+/]{20,}={0,2}
    |\bGOCSPX-[A-Za-z0-9_-]{20,}|\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}|\bhooks\.slack\.com/[a-z]{4,12}/[A-Za-z0-9_/-]{20,}
    |\bdiscord(?:app)?\.com/api/webhooks/[0-9]{15,20}/[A-Za-z0-9_-]{30,}
    |\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}""",
    re.DOTALL | re.VERBOSE,
)
_IN_URL = lazy(rb"\b[a-z][a-z0-9+.-]*://[^\s/:@'\"`$]*:([^\s/@'\"`$]{4,})@")
_ASSIGNED = lazy(
    rb"""(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|auth)[\w-]{0,24}
    ["'`]?\s*(?::\s*\w+\s*=|:|=>|=|,)\s*(["'`])((?:(?!\1)[^\s\\]){8,200})\1""",
    re.IGNORECASE | re.VERBOSE,
)
_WORDLIKE = lazy(rb"[A-Za-z]{2,}(?:[ ._:/-][A-Za-z]{2,})*|[$<{%].*|.*[<>{}()].*|[xX*.-]+|https?://.*|[./@].*")
# A name that ends like this holds the secret itself, so that words are enough (`password = 'correct-horse-battery'`).
_HELD = lazy(
    rb"""(password|passwd|secret|token|api[_-]?key|private[_-]?key)["'`]?\s*(?:\]\s*)?
    (?::\s*[\w |<>\[\].]{1,60}=(?!=)|:|=(?![=>])|\|\|=|\?\?=)\s*(?:[\w.\[\]?!]{1,80}\s*(?:\|\||\?\?)\s*)?
    (["'`])((?:(?!\2)[^\s\\]){8,200})\2""",
    re.IGNORECASE | re.VERBOSE,
)
# Words with spaces between them are a passphrase where the name says so, and where they are no sentence for a user.
_PHRASE = lazy(
    rb"""(?:password|passwd|passphrase|secret)["'`]?\s*(?:\]\s*)?
    (?::\s*[\w |<>\[\].]{1,60}=(?!=)|:|=(?![=>])|\|\|=|\?\?=)\s*(?:[\w.\[\]?!]{1,80}\s*(?:\|\||\?\?)\s*)?
    (["'`])((?:(?!\1)[^\s\\]){1,40}(?:[ ](?:(?!\1)[^\s\\]){1,40}){1,15})\1""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = lazy(
    rb"(?:.*[ ])?(?:an?|the|is|are|was|be|must|should|can|cannot|your|you|at|least|to|of|in|on|for|with|and|or|not|no"
    rb"|has|have|too|short|long|enter|please|invalid|required|wrong|new|old|current|forgot|reset|confirm|repeat|again|min"
    rb"|minimum|characters?|field|form|login|sign|type|user|hide|show)(?:[ ].*)?",
    re.IGNORECASE,
)
_BEARER = lazy(
    rb"""["'`](?:Bearer[ ](?=[^"'`\s]{20})|Basic[ ](?=[A-Za-z0-9+/]{16,}={0,2}["'`]))([A-Za-z0-9._~+/=-]+)["'`]""",
    re.IGNORECASE,
)
# What stands for a value, and what says which value is meant: labels, keys of translations, paths, selectors.
_STANDS_FOR = lazy(
    rb"""(?:.*\$\{.*|<.*>|\{.*\}|%.*%|\[.*\]|\$\w+|.*\w\(.*\).*|[xX*._-]+|(\W)\1*|\w+://.*|[./#@].*|.*[^\x00-\x7f].*)\Z
    |.*(?:password|passwd|passwort|secret|token|key|auth|credential|bearer|session|cookie|header|csrf|change.?(?:me|it)|
    replace.?me|placeholder|example|redacted|dummy|your.)""",
    re.IGNORECASE | re.VERBOSE,
)
# One word: of a type, of a rule, on a screen, or the kind of a parser's token.
_ONE_WORD = lazy(
    rb"required|optional|undefined|function|disabled|enabled|readonly|anonymous|sensitive|identity|identifier|property"
    rb"|keyword|constant|variable|[A-Z][A-Za-z]+|[a-z]+(?:[A-Z][a-z]*)+"
)
_TOKEN_KIND = lazy(rb"[A-Za-z]+(?:[._:/-][A-Za-z]+)?|[A-Z_]+|[A-Za-z-]+(?:[._][A-Za-z-]+)+")
# Beginnings of the known kinds: most files hold none, and looking for bytes costs a hundredth of the pattern.
_MARKS = tuple(
    b"PRIVATE KEY,AKIA,ASIA,AROA,AIDA,ghp_,gho_,ghu_,ghs_,ghr_,github_pat_,glpat-,xox,sk-,k_live_,k_test_,AIza,npm_,"
    b"pypi-,SG.,eyJ,hf_,AccountKey=,GOCSPX-,:AA,hooks.slack.com,/api/webhooks/".split(b",")
)
# One of these is in every match of the patterns that look at names.
_KEY_NAMES = (
    b"pass", b"secret", b"token", b"credential", b"auth", b"apikey", b"api_key", b"api-key", b"accesskey",
    b"access_key", b"access-key", b"privatekey", b"private_key", b"private-key",
)  # fmt: skip
KEY_REACH = 16_384  # bytes: longer than any private key block
VALUE_REACH = 512
LEAST_ENTROPY = 3.0  # bits for a character; words of a language stay below


def _entropy(value: bytes) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _is_held(name: bytes, value: bytes) -> bool:
    """Whether a name that ends in `name` holds a secret, and no stand-in for one. `token` names parsers' tokens too."""
    if _STANDS_FOR.match(value) or _ONE_WORD.fullmatch(value):
        return False
    return name != b"token" or not _TOKEN_KIND.fullmatch(value)


def secret_spans(data: bytes, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Disjoint byte ranges of secret-like values that reach into data[start:end], in order.

    A secret may begin before the range: what surrounds it is read too.
    """
    return list(_spans(data, start, len(data) if end is None else end))


@lru_cache(maxsize=KEPT)
def _spans(data: bytes, start: int, stop: int) -> tuple[tuple[int, int], ...]:
    """An answer is rendered again where it came out too long, and a resident reader shows the same pieces again."""
    spans: list[tuple[int, int]] = []
    low, high = max(0, start - KEY_REACH), min(len(data), stop + KEY_REACH)
    if any(data.find(mark, low, high) >= 0 for mark in _MARKS):
        spans.extend(match.span() for match in _KNOWN.finditer(data, low, high))
    low, high = max(0, start - VALUE_REACH), min(len(data), stop + VALUE_REACH)
    window = data[low:high].lower()
    if b"://" in window:
        spans.extend(match.span(1) for match in _IN_URL.finditer(data, low, high))
    if any(word in window for word in _KEY_NAMES):
        spans.extend(_named_spans(data, low, high))
    if b"bearer " in window or b"basic " in window:
        spans.extend(match.span(1) for match in _BEARER.finditer(data, low, high) if not _STANDS_FOR.match(match[1]))
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _named_spans(data: bytes, low: int, high: int) -> list[tuple[int, int]]:
    """Values whose names say that they are secrets."""
    spans = []
    for match in _ASSIGNED.finditer(data, low, high):
        value = match[2]
        if not _WORDLIKE.fullmatch(value) and _entropy(value) >= LEAST_ENTROPY:
            spans.append(match.span(2))
    spans.extend(match.span(3) for match in _HELD.finditer(data, low, high) if _is_held(match[1].lower(), match[3]))
    spans.extend(
        match.span(2)
        for match in _PHRASE.finditer(data, low, high)
        if len(match[2]) >= 8 and not _STANDS_FOR.match(match[2]) and not _SENTENCE.fullmatch(match[2])
    )
    return spans


def mask(data: bytes, start: int, end: int, spans: list[tuple[int, int]]) -> tuple[bytes, bool]:
    """data[start:end] with what lies in `spans` masked; lines stay lines. The second value: whether anything was."""
    pieces: list[bytes] = []
    position = start
    for secret_start, secret_end in spans:
        low, high = max(secret_start, start), min(secret_end, end)
        if low < high:
            pieces.append(data[position:low])
            pieces.append(MASK.encode() + b"\n" * data.count(b"\n", low, high))
            position = high
    if not pieces:
        return data[start:end], False
    pieces.append(data[position:end])
    return b"".join(pieces), True
