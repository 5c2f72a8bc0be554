"""What the words of a prompt tell by themselves."""

from __future__ import annotations

import time

import pytest

from cmgit.agents.gate import cleaned, refusal


@pytest.mark.parametrize(
    "prompt",
    [
        "ok", "Continue.", "YES", "thanks, looks good!", "commit and push", "run the tests", "Fix the typo",
        "open a pull request", "да, давай дальше", "спасибо", "запусти тесты", "好的，继续", "谢谢", "merci", "gracias",
        "danke, weiter", "👍", "2", "y", "...", "What is the weather?", "write me a short poem about rain",
        "расскажи анекдот",
    ],
)  # fmt: skip
def test_chat_and_errands_are_refused(prompt: str) -> None:
    assert refusal(prompt)


@pytest.mark.parametrize(("prompt", "why"), [
    ("/compact", "slash command"), ("/review 123 please", "slash command"), ("/plugin:do it", "slash command"),
    ("!npm test", "shell command"), ("$ npm test", "shell command"), ("", "empty"), (" \n ", "empty"),
    ("<system-reminder>the task list of `retryDelay`</system-reminder>", "made by a machine"),
    ("<task-notification><id>1</id></task-notification>", "made by a machine"),
    ("This session is being continued from a previous conversation about `retryDelay`", "made by a machine"),
    ("[Request interrupted by user]", "made by a machine"),
    ("<ide_opened_file>The user opened src/a.ts</ide_opened_file>", "empty"),
])  # fmt: skip
def test_commands_and_prompts_of_machines_are_refused(prompt: str, why: str) -> None:
    assert refusal(prompt) == why


def test_a_source_other_than_a_person_is_refused() -> None:
    assert refusal("fix `retryDelay`", "schedule_wakeup") == "made by a machine"
    assert not refusal("fix `retryDelay`", "user")
    assert not refusal("fix `retryDelay`")


@pytest.mark.parametrize(
    "prompt",
    [
        "ok, src/a.ts", "/src/a.ts is broken", "run `retryDelay`", "yes, in retryDelay", "fix retry_delay", "open()",
        "TypeError: x", "    at run (/srv/a.js:1:2)", "ENOENT again", "FAIL src/a.test.ts", "go to packages/core/src",
        "why does the router drop trailing slashes", "слоты не обновляются", "为什么路由不匹配", "the cart is empty",
        "fix slots", "$ node a.js\nError: boom\n    at a.js:1:1",
    ],
)  # fmt: skip
def test_hints_and_words_of_a_task_go_on(prompt: str) -> None:
    assert refusal(prompt) == ""


def test_what_clients_put_around_a_prompt_is_left_out() -> None:
    prompt = "<system-reminder>about src/x.ts</system-reminder>\nfix the cart <ide_opened_file>y.ts</ide_opened_file>"
    assert cleaned(prompt) == "fix the cart"


@pytest.mark.parametrize(
    "part",
    [
        "a.",
        "好的",
        " at ",
        "a",
        "$a",
        "`",
        "a/",
        "<system-reminder>",
        "x ",
        "@a-",
        "a.b(",
        "w://",
        "aA",
        "a_",
        "Error",
        "\n",
    ],
)
def test_no_prompt_takes_long(part: str) -> None:
    started = time.monotonic()
    refusal(part * (200_000 // len(part)) + "!")
    assert time.monotonic() - started < 20  # what goes back and forth takes minutes
