"""The plugins in JavaScript, run by Node against a hook that says what a test tells it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HOOKS = Path(__file__).parents[2] / "hooks"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node runs the plugins")

OPENCODE = """
const { CmgitPlugin } = await import(process.argv[2])
const hooks = await CmgitPlugin({ directory: process.argv[3] })
const message = async (text, id = "msg_1") => {
  const output = { message: { id, sessionID: "ses_1" }, parts: [{ id: "prt_1", type: "text", text }] }
  await hooks["chat.message"]({ sessionID: "ses_1" }, output)
  return output.parts
}
const read = async (args, metadata = {}) => {
  const output = { output: "the bytes", metadata }
  await hooks["tool.execute.after"]({ tool: "read", sessionID: "ses_1", args }, output)
  return output.output
}
const found = {}
found.before = await read({ filePath: "a.js" })
found.parts = await message("change a")
found.part = await read({ filePath: "a.js", offset: 3 })
found.cut = await read({ filePath: "a.js" }, { truncated: true })
found.first = await read({ filePath: "a.js" })
found.second = await read({ filePath: "a.js" })
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "ses_1" } } })
found.again = await message("and now?", "msg_2")
found.empty = await message("  ", "msg_3")
console.log(JSON.stringify(found))
"""

DSH = """
const { apply, name } = await import(process.argv[2])
const listeners = new Map(), emitted = [], tools = []
const fs = {
  resolve: async path => ({ targetKey: path, displayPath: path }),
  stat: async () => ({ type: "file", version: "v1" }),
}
const ctx = {
  on: (event, listener) => listeners.set(event, listener),
  emit: (...args) => emitted.push(args.slice(0, 3)),
  get: service => (service === "fs" ? fs : undefined),
  inject: (_services, use) => use({ tools: { register: tool => tools.push(tool) } }),
}
apply(ctx, { hook: process.argv[4], tool: process.argv[4] })
const agent = { session: { header: { id: "s1", cwd: process.argv[3] } } }
const signal = new AbortController().signal
const step = async messages => listeners.get("agent/pre-step")(
  { agent, messages, turn: 1, step: 1, signal }, async () => ({ kind: "enter", messages }),
)
const read = async (lines = 2, offset = 1) => listeners.get("tools/post-execute")(
  { name: "read", agent, signal },
  { isError: false, value: { path: "a.js", offset, lines: Array(lines).fill({}), totalLines: 2 }, content: [] },
  async () => ({ kind: "accept" }),
)
const user = text => ({ id: "m1", role: "user", content: [{ type: "text", text }], source: { kind: "user" } })
const found = { name }
found.other = await step([{ ...user("x"), source: { kind: "plugin", plugin: "other" } }])
found.step = await step([user("change a")])
found.observed = [...emitted]
found.part = await read(1)
found.first = await read()
found.second = await read()
found.idle = (await step([])).messages.length
listeners.get("session/event")(agent.session, { type: "compaction/summary" })
found.compacted = await step([])
found.tool = { name: tools[0].name, parameters: tools[0].parameters }
console.log(JSON.stringify(found))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a file, and a hook that notes what it is asked and answers by the kind of event."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.js").write_text("let a = 1\n")
    oid = subprocess.run(["git", "hash-object", "a.js"], cwd=work, capture_output=True, text=True, check=True)
    whole = {"path": f"{work}/a.js", "oid": oid.stdout.strip(), "whole": True}
    stale = {"path": f"{work}/a.js", "oid": "0" * 40, "whole": False}
    prompt = json.dumps({"text": "SHOWN", "files": [stale, whole]})
    hook = tmp_path / "cm-hook"
    hook.write_text(
        f"#!/bin/sh\nread -r event\necho \"$1 $event\" >>'{tmp_path}/asked'\n"
        f"case $event in *read_done*) echo '{{\"text\":\"SHORT\"}}' ;; *) echo '{prompt}' ;; esac\n"
    )
    hook.chmod(0o755)
    return work


def play(script: str, plugin: Path, folder: Path, hook: Path) -> dict[str, Any]:
    harness = folder.parent / "harness.mjs"
    harness.write_text(script)
    command = [str(NODE), str(harness), plugin.as_uri(), str(folder), str(hook)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def asked(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    lines = (folder.parent / "asked").read_text().splitlines()
    return [(line.split(" ", 1)[0], json.loads(line.split(" ", 1)[1])) for line in lines]


def opencode(folder: Path, hook: Path) -> dict[str, Any]:
    text = (HOOKS / "opencode-plugin" / "cmgit.js").read_text()
    plugin = folder.parent / "plugin.mjs"
    plugin.write_text(text.replace('const HOOK = "cm-hook"', f"const HOOK = {json.dumps(str(hook))}"))
    return play(OPENCODE, plugin, folder, hook)


def test_opencode_adds_a_part_and_shortens_one_whole_read(folder: Path) -> None:
    found = opencode(folder, folder.parent / "cm-hook")
    assert found["before"] == found["part"] == found["cut"] == found["second"] == "the bytes"
    assert found["first"] == "SHORT"
    assert [part["text"] for part in found["parts"]] == ["change a", "SHOWN"]
    added = found["parts"][1]
    assert (added["messageID"], added["sessionID"], added["synthetic"]) == ("msg_1", "ses_1", True)
    assert added["id"] > found["parts"][0]["id"], "the client sorts parts by it"
    assert len(found["empty"]) == 1
    events = asked(folder)
    assert {client for client, _ in events} == {"opencode"}
    assert [event["event"] for _, event in events] == ["prompt", "read_done", "compact"]
    assert events[0][1] == {
        "event": "prompt", "prompt": "change a", "turn": "msg_1", "session": "ses_1", "cwd": str(folder),
    }  # fmt: skip
    assert events[1][1]["path"] == f"{folder}/a.js"


def test_dsh_adds_a_message_observes_and_shortens_one_whole_read(folder: Path) -> None:
    found = play(DSH, HOOKS / "dsh-plugin" / "index.js", folder, folder.parent / "cm-hook")
    assert len(found["other"]["messages"]) == 1, "what another plugin says is no prompt"
    added = found["step"]["messages"][1]
    assert (added["role"], added["content"]) == ("user", [{"type": "text", "text": "SHOWN"}])
    assert added["source"] == {"kind": "plugin", "plugin": "cmgit"}
    assert [event[0] for event in found["observed"]] == ["fs/observed"], "only bytes that have the hash count as seen"
    assert found["observed"][0][2] == {"kind": "present", "version": "v1"}
    assert found["part"] == found["second"] == {"kind": "accept"}
    assert found["first"]["content"] == [{"type": "text", "text": "SHORT"}]
    assert found["idle"] == 0
    assert len(found["compacted"]["messages"]) == 1, "what a compaction took away comes again"
    assert found["tool"]["name"] == "cm_retrieve_context"
    assert found["tool"]["parameters"]["required"] == ["prompt"]
    assert [event["event"] for _, event in asked(folder)] == ["prompt", "read_done", "compact"]


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho no json\n", "#!/nowhere/at-all\n"])
def test_a_hook_that_fails_changes_nothing(folder: Path, text: str) -> None:
    hook = folder.parent / "cm-hook"
    hook.write_text(text)
    found = play(DSH, HOOKS / "dsh-plugin" / "index.js", folder, hook)
    assert len(found["step"]["messages"]) == 1
    assert found["first"] == {"kind": "accept"}
    found = opencode(folder, hook)
    assert len(found["parts"]) == 1
    assert found["first"] == "the bytes"
