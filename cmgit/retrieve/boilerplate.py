"""Sentences that only tell an agent how to work: they say nothing about the code, and their words mislead a search."""

from __future__ import annotations

import re

from cmgit.words.split import fold, is_stop_word

SHARE = 0.8
FEWEST_WORDS = 3

AGENT_WORK = frozenset(
    """access action actions add adding additional agent answer any applied apply applying approach ask asked asking
    assistant attempt attempts avoid background backup be before begin best brief briefly build builds careful
    carefully change changed changes check checked checking checks clarify clean clear clearly code commit commits
    complete completed completely concise confirm consider correct correctly create created current currently detail
    detailed details diff diffs do document documentation done edit edited edits else ensure everything existing
    expected explain explanation explicit fail failed failing fails feel final finally find finish finished first
    fix fixed fixes follow followed following free full general give given go good guideline guidelines have help
    implement implementation implemented implementing important include including information instruction
    instructions investigate issue issues keep know lint linter list local look make making maintain minimal modify
    need needed new next note nothing now ok okay only open operation other output pass passed passes passing
    permission plan please possible preserve preserved preserving previous problem problems proceed project prompt
    properly provide provided question questions read reading ready relevant remain repo report repository request
    requested requirement requirements response result results return review root run running runs safe sandbox save
    second see sequence session show simple skip solution solve start started state step steps stop style sub sure
    summarize summary task tasks test tests thank thanks thing things think thorough thoroughly tool tools try
    understand unchanged unless unrelated up update updated use user using validate verification verified verify
    wait want way well work worked working workspace write writing выполни выполнить задание задача запусти
    изменения исправь итог кратко напиши объясни ответ пожалуйста подробно проверь проверки сделай
    сначала шаг шаги""".split()  # noqa: SIM905
)

CHAT = frozenset(
    """again ahead alright cool continue fine go great hello hey hi lgtm nice nope perfect please right thanks yeah yep
    yes     да нет ок спасибо продолжай привет дальше 好 好的 谢谢 继续 你好""".split()  # noqa: SIM905
)

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_NAMED = re.compile(r"`|[a-zа-я0-9][A-ZА-Я]|\w_\w|[\w$]\.[A-Za-z]{2,6}\b|\w/\w|\w\(\)")
_WORD = re.compile(r"[^\W\d_]+")


def _says_nothing(sentence: str) -> bool:
    if _NAMED.search(sentence):
        return False
    words = _WORD.findall(sentence)
    if len(words) < FEWEST_WORDS:
        return False
    telling = [word for word in words if not is_stop_word(word)]
    work = sum(1 for word in telling if fold(word) in AGENT_WORK)
    return work >= SHARE * len(telling)


def is_idle(text: str) -> bool:
    """Whether a whole prompt is about the work alone: "yes, go on", "run the tests again"."""
    if _NAMED.search(text):
        return False
    words = [fold(word) for word in _WORD.findall(text)]
    telling = [word for word in words if not is_stop_word(word)]
    return all(word in AGENT_WORK or word in CHAT for word in telling)


def without_boilerplate(text: str) -> str:
    """The text without such sentences; all of it where nothing else would be left."""
    pieces = [piece for piece in _SENTENCE.split(text) if piece and piece.strip()]
    kept = [piece for piece in pieces if not _says_nothing(piece)]
    return "\n".join(kept) if kept else text
