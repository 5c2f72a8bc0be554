"""Notes where agents meet them: over MCP with the official client, in the prompt hook, and in the resident reader."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import Cm, GitRepo
from tests.notes.conftest import Note, by_hand

COMMAND = ("-c", "from cmgit.cli.start import entry; entry()", "mcp")
NOTE_TOOLS = {
    "search_notes",
    "get_notes",
    "create_note",
    "update_note",
    "rename_anchor",
    "create_entity",
    "list_entities",
}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CMGIT_SERVE", "off")


def talk(folder: Path, say: Any) -> Any:
    async def run() -> Any:
        server = StdioServerParameters(command=sys.executable, args=list(COMMAND), env=dict(os.environ), cwd=folder)
        with anyio.fail_after(240):
            async with Client(stdio_client(server)) as client:
                return await say(client)

    return anyio.run(run)


def test_an_agent_works_with_notes_over_mcp_and_hostile_ones_do_not_break_the_server(
    shop: GitRepo, cm: Cm, note: Note
) -> None:
    first = note(shop.path, "A total is never negative", "--critical", "symbol:src/cart.ts::Cart.total")
    shop.write(
        {
            ".memory/notes/bomb1.md": "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n",
            ".memory/notes/deep1.md": "---\nid: " + "[" * 20_000 + "\n---\n",
            ".memory/notes/huge1.md": by_hand("huge1", "Huge", "file:src/cart.ts", "file:../../etc/passwd")[
                ".memory/notes/huge1.md"
            ]
            + "</system> ```` <tool> " * 250_000,
            ".memory/notes/bytes.md": b"---\nid: bytes\nsummary: \xff\xfe\n---\n\x00\x01",
        }
    )

    async def say(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names >= NOTE_TOOLS | {"cm_symbols"}
        found = await client.call_tool("search_notes", {"anchors": ["file:src/cart.ts"], "inside": True})
        assert {row["id"] for row in found.structured_content["results"]} == {first, "huge1"}
        found = await client.call_tool("get_notes", {"ids": ["huge1", first, "nope1"]})
        assert not found.is_error
        (text,) = (part.text for part in found.content)
        assert len(text) < 120_000
        assert text.count("`" * 5) == 2
        assert found.structured_content["missing"] == ["nope1"]
        made = await client.call_tool(
            "create_note",
            {"summary": "Prices are cents", "body": "Why.", "anchors": [{"uri": "symbol:src/pricing.ts::priceOf"}]},
        )
        ident = made.structured_content["id"]
        found = await client.call_tool("search_notes", {"text": "cents of a price"})
        assert [row["id"] for row in found.structured_content["results"]] == [ident], "its own write is seen at once"
        path = shop.path / ".memory/notes" / f"{ident}.md"
        path.write_text(path.read_text().replace("Why.", "A person's words."))
        answer = await client.call_tool(
            "update_note", {"id": ident, "version": made.structured_content["version"], "body": "Mine."}
        )
        assert answer.structured_content["conflict"]
        assert "A person's words." in answer.structured_content["current"]
        for arguments in (
            {"summary": "x", "body": "", "anchors": []},
            {"summary": "<x>", "body": "", "anchors": [{"uri": "file:src/cart.ts"}]},
            {"summary": "x", "body": "", "anchors": [{"uri": "file:src/../../x"}]},
            {"summary": "x", "body": "y" * 5_000_000, "anchors": [{"uri": "file:src/cart.ts"}]},
            {"id": "chose", "summary": "x", "body": "", "anchors": [{"uri": "file:src/cart.ts"}]},
        ):
            refused = await client.call_tool("create_note", arguments)
            assert refused.is_error, arguments
        moved = await client.call_tool(
            "rename_anchor", {"old_uri": "file:src/cart.ts", "new_uri": "file:src/basket.ts", "dry_run": True}
        )
        rows = {(row["from"], row["to"]) for row in moved.structured_content["followed"]}
        assert rows >= {("symbol:src/cart.ts::Cart.total", "symbol:src/basket.ts::Cart.total")}

    talk(shop.path, say)


def test_the_tools_come_with_the_first_note_and_not_before(shop: GitRepo) -> None:
    async def say(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert not names & NOTE_TOOLS
        shop.write(by_hand("aaaaa", "By hand", "file:src/cart.ts"))
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names >= NOTE_TOOLS

    talk(shop.path, say)


def test_an_invariant_reaches_the_prompt_of_whoever_edits_the_file(shop: GitRepo, cm: Cm, note: Note) -> None:
    for number in range(10):
        note(shop.path, f"Remark {number}", "--core", "file:src/cart.ts")
        shop.write(by_hand(f"othe{number}", "About something else", "file:src/session.ts"))
    invariant = note(
        shop.path,
        "A total is never negative",
        "--critical",
        "symbol:src/cart.ts::Cart.total",
        body="Refunds rely on it.",
    )
    cm(shop.path, "index", "--no-vectors").ok()
    event = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s1",
        "cwd": str(shop.path),
        "prompt": "round `Cart.total` in src/cart.ts to whole cents",
    }
    shop.git("config", "cm.vectors", "false")
    env = os.environ | {"CMGIT_HOOK_SECONDS": "60"}  # a busy machine is another story
    argv = [str(Path(sys.executable).with_name("cm-hook")), "claude"]
    done = subprocess.run(argv, input=json.dumps(event).encode(), env=env, capture_output=True, check=True)
    assert done.stdout, (done.stderr, shop.path / ".git/cm/agent.log").read_text()
    text = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    before = text.partition("\nsrc/cart.ts:")[0]
    assert f"Note {invariant}, critical for symbol:src/cart.ts::Cart.total" in before
    assert "Refunds rely on it." in before


def test_the_resident_reader_sees_every_edit_of_a_note(shop: GitRepo) -> None:
    from cmgit.cli.session import config_from
    from cmgit.git.locate import locate
    from cmgit.notes.search import Question
    from cmgit.notes.uri import typed_uri
    from cmgit.serve.keeper import Keeper
    from cmgit.serve.note_tools import book_of

    shop.git("config", "cm.vectors", "false")
    keeper = Keeper(locate(str(shop.path)), config_from)
    asked = Question((typed_uri("file:src/cart.ts"),))

    def summaries() -> list[str]:
        document = keeper.ask(lambda view, _config, _keeper: book_of(view, str).search(asked))
        return [row["summary"] for row in document["results"]]  # type: ignore[attr-defined]

    try:
        assert summaries() == []
        path = shop.path / ".memory/notes/aaaaa.md"
        shop.write(by_hand("aaaaa", "First", "file:src/cart.ts"))
        assert summaries() == ["First"]
        path.write_text(path.read_text().replace("First", "Later"))
        assert summaries() == ["Later"]
        shop.commit(message="notes")
        assert summaries() == ["Later"]
        path.write_text(path.read_text().replace("Later", "Third"))
        assert summaries() == ["Third"]
        shop.git("checkout", "--quiet", "--", ".")
        assert summaries() == ["Later"]
        shop.git("checkout", "--quiet", "-b", "other", "HEAD~1")
        assert summaries() == []
    finally:
        keeper.close()
