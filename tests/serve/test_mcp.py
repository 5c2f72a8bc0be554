"""`git cm mcp` through the official client library: each tool, over both transports, in both eras of the protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from cmgit.serve.mcp_server import folder_of
from tests.conftest import GitRepo
from tests.serve.conftest import HANG, ask, is_running, until

COMMAND = ("-c", "from cmgit.cli.start import entry; entry()", "mcp")
MODES = ("legacy", "auto", "2026-07-28")
NAMES = ["cm_retrieve_context", "cm_search", "cm_callers", "cm_symbols"]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CMGIT_SERVE", "off")


def on_stdio(folder: Path) -> AbstractAsyncContextManager[Any]:
    return stdio_client(
        StdioServerParameters(command=sys.executable, args=list(COMMAND), env=dict(os.environ), cwd=folder)
    )


@contextmanager
def http_server(folder: Path, **env: str) -> Iterator[str]:
    """The address of a server on a free port."""
    process = subprocess.Popen(
        [sys.executable, *COMMAND, "--http", "0"], cwd=folder, env=os.environ | env, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert line.startswith("serving at http://127.0.0.1:"), line
        yield line.split()[-1]
    finally:
        process.terminate()
        process.wait(HANG)
        process.stderr.close()


def talk(transport: Any, mode: str, say: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    """Open a session and talk."""

    async def run() -> Any:
        with anyio.fail_after(HANG):
            async with Client(transport, mode=mode, **options) as client:
                return await say(client)

    return anyio.run(run)


async def every_tool(client: Client) -> None:
    """Call each tool once and check what comes back."""
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == NAMES
    for tool in listed:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False
        assert tool.output_schema is not None
    found = await client.call_tool("cm_retrieve_context", {"prompt": "how is `shareCart` used", "detail": "expanded"})
    assert not found.is_error
    assert text_of(found) == found.structured_content["text"]
    assert "return splitAmount(total, 2)" in text_of(found)
    assert "src/cart.ts" in [item["path"] for item in found.structured_content["items"]]
    assert found.structured_content["call_sites"][0]["path"] == "src/deep/pay.ts"
    found = await client.call_tool("cm_search", {"query": "divide costs among guests", "count": 2})
    assert found.structured_content["results"][0]["qualname"] == "shareCart"
    assert text_of(found).startswith("src/cart.ts:4-6  function shareCart")
    found = await client.call_tool("cm_callers", {"name": "splitAmount"})
    (unit,) = found.structured_content["units"]
    assert unit["callers"][0] | {"rule": ""} == {
        "path": "src/cart.ts", "line": 5, "caller": "shareCart", "kind": "call", "confidence": "proven", "rule": "",
    }  # fmt: skip
    assert "src/cart.ts:5  proven call in shareCart" in text_of(found)
    found = await client.call_tool("cm_symbols", {"path": "src/deep/pay.ts"})
    assert [row["qualname"] for row in found.structured_content["symbols"]] == ["src/deep/pay.ts", "Till", "Till.pay"]
    assert "2-4  export class Till" in text_of(found)


def text_of(result: Any) -> str:
    (content,) = result.content
    return str(content.text)


@pytest.mark.parametrize("mode", MODES)
def test_each_tool_over_stdio(shop: GitRepo, mode: str) -> None:
    talk(on_stdio(shop.path), mode, every_tool)


def test_each_tool_over_http(shop: GitRepo) -> None:
    with http_server(shop.path) as address:
        for mode in MODES:
            talk(streamable_http_client(address), mode, every_tool)


def test_both_eras_are_spoken_on_the_wire_and_nothing_else_is(shop: GitRepo) -> None:
    (shop.path / ".memory").mkdir()
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    for request, expected in (
        (hello("2025-06-18"), "2025-06-18"),
        (hello("2025-11-25"), "2025-11-25"),
        ({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}, "2026-07-28"),
    ):
        done = subprocess.run(
            [sys.executable, *COMMAND], cwd=shop.path, input=json.dumps(request) + "\n", capture_output=True,
            text=True, timeout=HANG, check=True,
        )  # fmt: skip
        (line,) = done.stdout.splitlines()
        result = json.loads(line)["result"]
        assert expected in (result.get("protocolVersion"), *result.get("supportedVersions", ()))
        assert "retrieve" in result["instructions"]
        assert done.stderr == ""


def hello(version: str) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}},
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("cm_callers", {"name": "splitAmont"}, "nothing here is named splitAmont\nhint: did you mean splitAmount?"),
        ("cm_symbols", {"path": "src/none.ts"}, "is not in the index\nhint: did you mean src/money.ts?"),
        ("cm_symbols", {"path": "../../etc/passwd"}, "is not in the index"),
        ("cm_search", {"query": "x", "count": 0}, "cm_search, count: 0 is less than the minimum"),
        ("cm_search", {}, "'query' is a required property"),
        ("cm_search", {"query": "x", "rm": "-rf"}, "Additional properties are not allowed"),
        ("cm_retrieve_context", {"prompt": "   "}, "prompt is empty"),
        ("cm_retrieve_context", {"prompt": "x", "cwd": "/nowhere"}, "there is no folder /nowhere"),
        ("cm_retrieve_context", {"prompt": "x", "cwd": "\0"}, "cwd is no folder"),
    ],
)
def test_what_goes_wrong_is_told_to_the_model_with_a_hint(
    shop: GitRepo, tool: str, arguments: dict[str, Any], said: str
) -> None:
    from cmgit.cli.mcp import Repositories
    from cmgit.serve.mcp_server import call

    tools = {t.name: t for t in Repositories(str(shop.path)).tools()}
    result = call(tools[tool], arguments)
    assert result.is_error
    assert said in text_of(result)


def test_an_unknown_tool_is_an_error_of_the_protocol(shop: GitRepo) -> None:
    async def say(client: Client) -> None:
        with pytest.raises(MCPError, match="there is no tool 'cm_nothing'"):
            await client.call_tool("cm_nothing", {})

    talk(on_stdio(shop.path), "legacy", say)


def test_a_call_may_name_a_worktree_of_the_repository_but_no_other_repository(shop: GitRepo, tmp_path: Path) -> None:
    from cmgit.cli.mcp import Repositories
    from cmgit.core.errors import CmgitError

    shop.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "second"))
    foreign = GitRepo(tmp_path / "foreign")
    nested = GitRepo(shop.path / "packages" / "nested")
    (tmp_path / "link").symlink_to(foreign.path)
    mine = Repositories(str(shop.path))
    assert mine.meant(str(tmp_path / "second"), ()).top == str(tmp_path / "second")
    assert mine.meant("src/deep", ()).top == str(shop.path)
    assert mine.meant("packages/nested", ()).top == str(nested.path)
    for out in (str(foreign.path), str(tmp_path / "link"), "../foreign"):
        with pytest.raises(CmgitError, match="another repository"):
            mine.meant(out, ())
    assert mine.meant(str(foreign.path), (str(foreign.path),)).top == str(foreign.path)  # the client works there


def test_started_outside_of_a_repository_the_client_s_roots_count(shop: GitRepo, tmp_path: Path) -> None:
    async def roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=f"file://{shop.path}")])  # type: ignore[arg-type]

    async def say(client: Client) -> str:
        return text_of(await client.call_tool("cm_symbols", {"path": "src/cart.ts"}))

    lost = tmp_path / "lost"
    lost.mkdir()
    assert "shareCart" in talk(on_stdio(lost), "legacy", say, list_roots_callback=roots)
    told = talk(on_stdio(lost), "legacy", say)
    assert "which is in no repository\nhint: give cwd" in told


def test_roots_are_folders_of_this_machine() -> None:
    assert folder_of("file:///a%20b/c") == "/a b/c"
    assert folder_of("file://elsewhere/a") == folder_of("https://x/a") == folder_of("") == ""


def test_notes_are_offered_only_where_there_are_any(shop: GitRepo) -> None:
    from cmgit.cli.mcp import Repositories

    mine = Repositories(str(shop.path))
    assert [tool.name for tool in mine.tools()] == NAMES
    (shop.path / ".memory").mkdir()
    assert [tool.name for tool in mine.tools()][:4] == NAMES
    assert "search_notes" in [tool.name for tool in mine.tools()]


def test_the_tools_hang_lightly_in_a_model_s_context(shop: GitRepo) -> None:
    from cmgit.cli.mcp import Repositories
    from cmgit.serve.mcp_server import INSTRUCTIONS

    tools = [tool.sheet for tool in Repositories(str(shop.path)).tools()]
    assert sum(len(tool.description) + len(json.dumps(tool.input_schema)) for tool in tools) < 3_000
    assert all(len(tool.description) < 300 for tool in tools)
    assert len(INSTRUCTIONS) < 400


def test_names_that_are_no_utf_8_and_marks_that_drive_terminals_are_shown_escaped(shop: GitRepo) -> None:
    shop.commit({"src/bad\udcff\x1b[2J.ts": "export function odd() {}\nodd()\n"})

    async def say(client: Client) -> Any:
        return await client.call_tool("cm_search", {"query": "odd"}), await client.call_tool(
            "cm_callers", {"name": "odd"}
        )

    for found in talk(on_stdio(shop.path), "auto", say):
        assert not found.is_error
        assert r"src/bad\udcff\u{1b}[2J.ts:1-1" in text_of(found)


def test_what_would_fill_the_model_s_context_is_cut_and_says_how_much(shop: GitRepo) -> None:
    calls = "".join(f"splitAmount({n}, 2)\n" for n in range(450))
    shop.commit({"src/many.ts": f"import {{ splitAmount }} from './money'\n{calls}"})

    async def say(client: Client) -> Any:
        return await client.call_tool("cm_callers", {"name": "splitAmount"})

    found = talk(on_stdio(shop.path), "auto", say)
    assert len(found.structured_content["units"][0]["callers"]) == 200
    assert found.structured_content["more"]["callers"] == 251
    assert "Left out: 251 callers" in text_of(found)


def test_the_resident_reader_answers_and_is_started(shop: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CMGIT_SERVE")
    assert ask(shop.path, op="ping") is None

    def answered() -> int:
        reply = ask(shop.path, op="ping")
        return int(reply["answer"]["answered"]) if reply else 0

    async def say(client: Client) -> None:
        before = -1
        while before < 0 or answered() == before:  # the server answers by itself while the reader is not there yet
            before = answered()
            found = await client.call_tool("cm_symbols", {"path": "src/cart.ts"})
            assert "shareCart" in text_of(found)
            await anyio.sleep(0.1)
        for _ in range(2):
            await client.call_tool("cm_symbols", {"path": "src/cart.ts"})
        assert answered() == before + 3
        found = await client.call_tool("cm_callers", {"name": "nobody"})
        assert "nothing here is named nobody\nhint: " in text_of(found)

    talk(on_stdio(shop.path), "auto", say)
    assert answered() >= 3


def test_it_ends_with_its_client(shop: GitRepo) -> None:
    process = subprocess.Popen(
        [sys.executable, *COMMAND], cwd=shop.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(hello("2025-11-25")).encode() + b"\n")
    process.stdin.flush()
    assert process.stdout.readline()
    process.stdin.close()
    assert process.wait(HANG) == 0
    until(lambda: not is_running(process.pid))
    process.stdout.close()


def test_over_http_no_web_page_and_no_other_name_gets_in(shop: GitRepo) -> None:
    with http_server(shop.path) as address:
        port = address.split(":")[2].split("/")[0]
        fine = {"accept": "application/json, text/event-stream", "content-type": "application/json"}

        def post(**headers: str) -> int:
            return httpx2.post(address, json=hello("2025-11-25"), headers=fine | headers, timeout=HANG).status_code

        assert post() == 200
        assert post(origin=f"http://127.0.0.1:{port}") == 200
        assert post(origin="https://evil.example") == 403
        assert post(origin="http://localhost:1") == 403
        assert post(origin="null") == 403
        assert post(host="evil.example") == 421
        assert post(host=f"evil.example:{port}") == 421
        assert (
            httpx2.post(address, content=b"{}", headers={"content-type": "text/plain"}, timeout=HANG).status_code == 400
        )
        listening = subprocess.run(["ss", "-Hltn"], capture_output=True, text=True, check=False).stdout
        assert not listening or f"127.0.0.1:{port}" in listening
        assert f"0.0.0.0:{port}" not in listening


def test_over_http_a_token_is_asked_for_where_one_is_set(shop: GitRepo) -> None:
    with http_server(shop.path, CMGIT_MCP_TOKEN="s3cret") as address:
        fine = {"accept": "application/json, text/event-stream"}
        for given, status in (
            ({}, 401),
            ({"authorization": "Bearer other"}, 401),
            ({"authorization": "Bearer s3cret"}, 200),
        ):
            answer = httpx2.post(address, json=hello("2025-11-25"), headers=fine | given, timeout=HANG)
            assert answer.status_code == status


def test_a_port_that_is_taken_is_told(shop: GitRepo) -> None:
    with http_server(shop.path) as address:
        port = address.split(":")[2].split("/")[0]
        done = subprocess.run(
            [sys.executable, *COMMAND, "--http", port],
            cwd=shop.path,
            capture_output=True,
            text=True,
            timeout=HANG,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"git-cm: port {port} cannot be used")
