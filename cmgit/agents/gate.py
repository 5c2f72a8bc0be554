"""Which prompts are worth a look into the repository: what the words of a prompt tell by themselves.

Loaded for every prompt, so it costs no import beyond `re`. It refuses only what is certain (commands, chat, prompts
that a machine made, plain errands); whether the rest has to do with this repository's code tells the ranking
(`cmgit.retrieve.silence`). There is no gate by language (colbymchenry/codegraph#994): what is not known to be chat
goes on, and a stack frame, a path, an error or an identifier always does.
"""

from __future__ import annotations

from cmgit.agents.gate_words import ALL

PEOPLE = ("", "user", "sdk")
"""Values of `source` for what a person wrote, or a program in a person's place; clients may leave it out."""

LONGEST_LOOK = 20_000
"""Characters that are looked at, at each end of a prompt."""

HEAD, TAIL = 48_000, 16_000
LONGEST_CHAT = 200
ENDS = ".,!?:;…\"'"
TALK = "chat or an errand"


def refusal(prompt: str, source: str = "") -> str:
    """Why a prompt gets no context, in a word or two; "" where the repository has to be asked.

    Args:
        prompt: as the client gave it.
        source: who made it, as the client says.
    """
    if source not in PEOPLE:
        return "made by a machine"
    if not prompt.strip():
        return "empty"
    if prompt.lstrip()[0] == "!":
        return "shell command"
    if len(prompt) <= LONGEST_CHAT and is_plain_talk(prompt.replace("pull request", "pr")):
        return TALK
    return _looked_at(prompt)


def is_plain_talk(text: str) -> bool:
    """Whether every word is one of any session's; no pattern is compiled for that."""
    for word in text.split():
        bare = word.strip(ENDS).replace("’", "'")
        if bare and not (bare.lower() in ALL and (bare.islower() or bare.istitle() or bare.isupper())):
            return False
    return True


def cleaned(prompt: str) -> str:
    """What the person wrote: without what the client or an editor put around it."""
    if "<" not in prompt:
        return prompt.strip()
    from cmgit.agents.gate_patterns import BLOCKS

    return BLOCKS.sub(" ", prompt).strip()


def bounded(prompt: str) -> str:
    """A prompt by its two ends, as retrieval reads it (`cmgit.retrieve.prompt.bounded`)."""
    return prompt if len(prompt) <= HEAD + TAIL else prompt[:HEAD] + "\n" + prompt[-TAIL:]


def has_hint(text: str) -> bool:
    """Whether a prompt holds a path, a stack frame, an error, code or a word that can only be an identifier."""
    from cmgit.agents.gate_patterns import HINT, PROPER, URL

    return bool(HINT.search(PROPER.sub(" ", URL.sub(" ", text))))


def _looked_at(prompt: str) -> str:
    from cmgit.agents.gate_patterns import FILE, MACHINE, SHELL, SLASH

    if MACHINE.match(prompt.lstrip()[:200]):
        return "made by a machine"
    text = cleaned(prompt)
    if not text:
        return "empty"
    if SLASH.match(text) and not FILE.match(text):
        return "slash command"
    if SHELL.match(text):
        return "shell command"
    if len(text) > 2 * LONGEST_LOOK:
        text = text[:LONGEST_LOOK] + "\n" + text[-LONGEST_LOOK:]
    return "" if has_hint(text) else _talk(text)


def _talk(text: str) -> str:
    from cmgit.agents.gate_patterns import IDEOGRAPHIC, PASTIME, URL, WORD

    plain = URL.sub(" ", text).replace("pull request", "pr")
    if IDEOGRAPHIC.fullmatch(plain):
        return TALK
    words = [word.lower().replace("’", "'") for word in WORD.findall(plain)]
    if not words:
        return "no words"
    if all(word in ALL or (len(word) == 1 and word.isascii()) for word in words):
        return TALK
    if PASTIME.search(plain):
        return "not about code"
    return ""
