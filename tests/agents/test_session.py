"""What a conversation was shown is not sent to it again; a subagent's is its own, and a compaction forgets."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from cmgit.agents.session import KEPT_SECONDS, LARGEST, MOST_ROWS, Session
from tests.agents.conftest import SHOP, Answer, HookServer, index, log_of
from tests.conftest import GitRepo

PROMPT = "why is `deliveryFee` never zero for express orders?"
FACTS = "What stands between the fences is quoted from files"


def test_what_was_shown_is_pointed_at_the_second_time(hook: HookServer, shop: GitRepo) -> None:
    first = hook.prompt(shop.path, PROMPT, "s1", prompt_id="1")
    second = hook.prompt(shop.path, PROMPT, "s1", prompt_id="2")
    assert "const base" in first.text
    assert FACTS in first.text
    assert "const base" not in second.text
    assert FACTS not in second.text
    assert "Shown earlier in this conversation and unchanged since: src/delivery.ts:1-8 delivery.ts" in second.text
    assert "Call sites" not in second.text
    assert len(second.text) < 400


def test_another_conversation_is_shown_everything(hook: HookServer, shop: GitRepo) -> None:
    first = hook.prompt(shop.path, PROMPT, "s1")
    assert hook.prompt(shop.path, PROMPT, "s2").out == first.out
    assert hook.prompt(shop.path, PROMPT).out == first.out


def test_a_changed_file_is_shown_again_and_what_stayed_in_it_is_not(hook: HookServer, repo: GitRepo) -> None:
    filler = "".join(f"// line {i} of a file that is too long to be shown whole\n" for i in range(80))
    two = (
        "export function firstPart() {{\n  return {}\n}}\n"
        + filler
        + "export function secondPart() {{\n  return 2\n}}\n"
    )
    repo.commit({"src/parts.ts": two.format(1)})
    repo.git("config", "cm.vectors", "false")
    index(repo.path)
    assert "return 1" in hook.prompt(repo.path, "fix `firstPart` and `secondPart`", "s", prompt_id="1").text
    repo.write({"src/parts.ts": two.format("1_000")})
    text = hook.prompt(repo.path, "fix `firstPart` and `secondPart`", "s", prompt_id="2").text
    assert "return 1_000" in text
    assert "return 2" not in text
    assert "secondPart" in text.split("Shown earlier")[1]


def test_a_subagent_has_a_context_of_its_own(hook: HookServer, shop: GitRepo) -> None:
    first = hook.prompt(shop.path, PROMPT, "s")
    payload = {"hook_event_name": "SubagentStart", "session_id": "s", "cwd": str(shop.path), "agent_id": "a1"}
    share = hook({**payload, "agent_type": "Explore"})
    assert share.output["hookEventName"] == "SubagentStart"
    assert share.text == first.text
    again = hook.prompt(shop.path, PROMPT, "s", agent_id="a1", prompt_id="7")
    assert "const base" not in again.text
    assert "const base" in hook({**payload, "agent_id": "a2"}).text


def test_after_a_compaction_it_is_shown_again(hook: HookServer, shop: GitRepo) -> None:
    first = hook.prompt(shop.path, PROMPT, "s", prompt_id="1")
    start = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(shop.path)}
    for source in ("startup", "resume"):
        assert hook({**start, "source": source}).out == b""
    after = hook({**start, "source": "compact"})
    assert after.output["hookEventName"] == "SessionStart"
    assert after.text == first.text
    assert "const base" not in hook.prompt(shop.path, PROMPT, "s", prompt_id="2").text


def test_a_compaction_before_any_answer_brings_nothing(hook: HookServer, shop: GitRepo) -> None:
    start = {"hook_event_name": "SessionStart", "session_id": "new", "cwd": str(shop.path), "source": "compact"}
    assert hook(start).out == b""


# The client's own reads


def read_payload(path: Path, session: str, **fields: object) -> dict[str, object]:
    content = path.read_text()
    lines = content.count("\n") + 1
    file = {"filePath": str(path), "content": content, "numLines": lines, "startLine": 1, "totalLines": lines}
    return {
        "hook_event_name": "PostToolUse", "session_id": session, "cwd": str(path.parent), "tool_name": "Read",
        "tool_input": {"file_path": str(path)}, "tool_response": {"type": "text", "file": file | fields},
    }  # fmt: skip


@pytest.fixture
def long_shop(repo: GitRepo) -> GitRepo:
    notes = "".join(f"// {i}: the fee is in cents\n" for i in range(30))
    repo.commit({**SHOP, "src/delivery.ts": SHOP["src/delivery.ts"] + notes})
    repo.git("config", "cm.vectors", "false")
    index(repo.path)
    return repo


def test_the_first_read_of_a_file_that_was_shown_whole_is_shortened(hook: HookServer, long_shop: GitRepo) -> None:
    path = long_shop.path / "src/delivery.ts"
    assert "(whole file" in hook.prompt(long_shop.path, PROMPT, "s").text
    payload = read_payload(path, "s")
    output = hook(payload).output["updatedToolOutput"]
    response = payload["tool_response"]
    assert isinstance(response, dict)
    assert output["type"] == "text"
    assert set(output["file"]) == set(response["file"])
    assert output["file"]["filePath"] == str(path)
    assert len(output["file"]["content"]) < 250
    assert "src/delivery.ts stands whole and unchanged" in output["file"]["content"]
    assert output["file"]["numLines"] == output["file"]["totalLines"] == 1
    assert hook(payload).out == b"", "whoever reads twice wants the bytes"
    assert "shortened" in log_of(long_shop.path)


def test_reads_that_would_lose_something_are_left_alone(hook: HookServer, long_shop: GitRepo) -> None:
    path = long_shop.path / "src/delivery.ts"
    assert hook(read_payload(path, "s")).out == b"", "nothing was shown yet"
    hook.prompt(long_shop.path, PROMPT, "s")
    assert hook(read_payload(path, "other")).out == b""
    assert hook(read_payload(path, "s") | {"agent_id": "a1"}).out == b""
    assert hook(read_payload(path, "s", startLine=5)).out == b""
    assert hook(read_payload(path, "s", numLines=4)).out == b""
    assert hook(read_payload(long_shop.path / "src/session/idle.ts", "s")).out == b""
    path.write_text(path.read_text() + "// changed\n")
    assert hook(read_payload(path, "s")).out == b""


def test_no_read_is_shortened_where_context_is_switched_off(hook: HookServer, long_shop: GitRepo) -> None:
    hook.prompt(long_shop.path, PROMPT, "s")
    long_shop.git("config", "cm.context", "off")
    assert hook(read_payload(long_shop.path / "src/delivery.ts", "s")).out == b""
    long_shop.git("config", "cm.context", "on")
    assert hook(read_payload(long_shop.path / "src/delivery.ts", "s")).out


def test_a_masked_file_is_never_whole(hook: HookServer, repo: GitRepo) -> None:
    source = "export function openStore() {\n  const password = 'correct-horse-battery-staple'\n  return password\n}\n"
    repo.commit({"src/store.ts": source + "// more\n" * 60})
    repo.git("config", "cm.vectors", "false")
    index(repo.path)
    text = hook.prompt(repo.path, "fix `openStore`", "s").text
    assert "[masked]" in text
    assert hook(read_payload(repo.path / "src/store.ts", "s")).out == b""


def test_what_the_client_read_whole_is_not_sent_after_it(hook: HookServer, shop: GitRepo) -> None:
    hook.prompt(shop.path, "what does `voucherDiscount` give?", "s", prompt_id="1")
    hook(read_payload(shop.path / "src/session/idle.ts", "s"))
    text = hook.prompt(shop.path, "why does `IdleSessions` drop them early?", "s", prompt_id="2").text
    assert "src/session/idle.ts" in text
    assert "sweep(now" not in text


# One answer for one prompt


def test_two_hooks_for_one_prompt_answer_once(shop: GitRepo, tmp_path: Path) -> None:
    servers = [HookServer(tmp_path, warm=True) for _ in range(2)]
    answers: list[Answer] = []

    def ask(server: HookServer, client: str) -> None:
        answers.append(server.prompt(shop.path, PROMPT, "same", client=client))

    threads = [threading.Thread(target=ask, args=pair) for pair in zip(servers, ("claude", "codex"), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for server in servers:
        server.close()
    assert sorted(bool(answer.out) for answer in answers) == [False, True]
    assert "another hook answers this event" in log_of(shop.path)


def test_a_prompt_that_is_typed_again_is_answered_again(hook: HookServer, shop: GitRepo) -> None:
    assert hook.prompt(shop.path, PROMPT, "s", prompt_id="1").out
    assert hook.prompt(shop.path, PROMPT, "s", prompt_id="1").out == b""
    assert hook.prompt(shop.path, PROMPT, "s", prompt_id="2").out
    assert hook.prompt(shop.path, PROMPT, "t").out
    for mark in (shop.path / ".git/cm/sessions").glob("*.once"):
        os.utime(mark, (1, 1))
    assert hook.prompt(shop.path, PROMPT, "t").out


# The files


def test_files_are_the_users_alone_and_old_ones_are_removed(tmp_path: Path) -> None:
    old = Session(str(tmp_path), "claude", "old")
    old.note(shown=[["a.ts", "0" * 40, 0, 9, "d", True]])
    mark = tmp_path / "sessions" / "x.once"
    mark.write_text("")
    assert Path(old.path).stat().st_mode & 0o077 == 0
    past = time.time() - KEPT_SECONDS - 60
    for path in (old.path, mark):
        os.utime(path, (past, past))
    Session(str(tmp_path), "claude", "new").note(shown=[])
    assert not Path(old.path).exists()
    assert not mark.exists()


def test_a_damaged_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s")
    session.note(shown=[["a.ts", "0" * 40, 0, 9, "d", True]])
    with Path(session.path).open("ab") as file:
        file.write(b'\xff{"agent": ""\n[1]\n{"agent": "", "shown": [["b.ts"], 7]}\n{"agent": "", "shown": "x"}\n')
    session.note(shown=[["c.ts", "1" * 40, 0, 9, "d", False]])
    known = Session(str(tmp_path), "claude", "s")
    assert [row[0] for row in known.shown] == ["a.ts", "c.ts"]
    assert known.whole("a.ts") == "0" * 40
    assert known.whole("c.ts") == ""


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s")
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / "sessions").mkdir()
    Path(session.path).symlink_to(target)
    session.note(shown=[])
    assert Session(str(tmp_path), "claude", "s").shown == []
    assert target.read_text() == "precious"


@pytest.mark.parametrize("kind", ["a pipe", "a folder"])
def test_what_is_no_file_counts_as_nothing(tmp_path: Path, kind: str) -> None:
    session = Session(str(tmp_path), "claude", "s")
    (tmp_path / "sessions").mkdir()
    (os.mkfifo if kind == "a pipe" else os.mkdir)(session.path)
    signal.alarm(10)
    try:
        session.note(shown=[["a.ts", "0" * 40, 0, 9, "d", True]])
        assert Session(str(tmp_path), "claude", "s").shown == []
        assert session.first("prompt", "x")
    finally:
        signal.alarm(0)


def test_nothing_is_written_through_a_link_in_the_place_of_the_folder(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "sessions").symlink_to(elsewhere)
    session = Session(str(tmp_path), "claude", "s")
    session.note(shown=[["a.ts", "0" * 40, 0, 9, "d", True]])
    assert session.first("prompt", "x")
    assert list(elsewhere.iterdir()) == []


def test_a_compaction_counts_in_a_file_that_has_its_full_length(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s")
    session.note(shown=[["a.ts", "0" * 40, 0, 9, "d", True]], greeted=True, prompt="fix it")
    filler = json.dumps({"agent": "other", "shown": [], "filler": "x" * 900}).encode() + b"\n"
    with Path(session.path).open("ab") as file:
        file.write(filler * (LARGEST // len(filler)))
    before = Session(str(tmp_path), "claude", "s")
    assert before.shown
    before.forget()
    after = Session(str(tmp_path), "claude", "s")
    assert (before.shown, after.shown, before.greeted, after.greeted) == ([], [], False, False)
    assert after.prompt == "fix it"


def test_a_long_session_stays_bounded(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s")
    row = ["some/long/path/of/a/file.ts", "0" * 40, 0, 900, "d" * 16, False]
    for _ in range(60):
        session.note(shown=[row] * 1_000)
    assert Path(session.path).stat().st_size <= 2_000_000
    assert len(Session(str(tmp_path), "claude", "s").shown) == MOST_ROWS


def test_rows_are_those_that_retrieval_reads(tmp_path: Path) -> None:
    from cmgit.core.digests import digest_of
    from cmgit.retrieve.seen import Seen

    data = b"export const a = 1\nexport const b = 2\n"
    rows = json.loads(json.dumps([["a.ts", "0" * 40, 0, 19, digest_of(data[:19]), True]]))
    seen = Seen.of([row[:5] for row in rows])
    assert seen.has("a.ts", "0" * 40, data, 0, 19)
    assert seen.has("a.ts", "0" * 40, data, 7, 12)
    assert not seen.has("a.ts", "0" * 40, data, 0, 38)
    assert not seen.has("b.ts", "0" * 40, data, 0, 19)
    moved = b"// new\n" + data
    assert seen.has("a.ts", "1" * 40, moved, 7, 26)
    assert not seen.has("a.ts", "1" * 40, moved, 7, 12)
