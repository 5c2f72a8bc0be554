"""Each client: how it is found, which settings it has in which scope, and what a person has to do afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from cmgit.agents.setup import Client, Places, Scope
from cmgit.agents.wiring import JsonHooks, JsonMember, OwnFile, Piece, TomlTable, YamlItems

SECONDS = 10
"""For a hook in a client's settings; the hook itself ends after 1.5, so that the two never meet."""
SERVER = "cmgit"
EVENTS_OF_A_SESSION = "startup|resume|clear|compact"


def handler(scope: Scope, client: str, timeout: int = SECONDS, **more: object) -> dict[str, object]:
    return {"type": "command", "command": scope.command(client), "timeout": timeout, **more}


def claude_folder(places: Places) -> Path:
    return places.folder("CLAUDE_CONFIG_DIR", ".claude")


def claude_pieces(scope: Scope) -> list[Piece]:
    group: dict[str, object] = {"hooks": [handler(scope, "claude")]}
    groups: dict[str, dict[str, object]] = {
        "UserPromptSubmit": group,
        "SessionStart": {"matcher": EVENTS_OF_A_SESSION, **group},
        "SubagentStart": group,
        "PostToolUse": {"matcher": "Read", **group},
    }
    folder = claude_folder(scope.places) if scope.top is None else scope.top / ".claude"
    return [JsonHooks(folder / "settings.json", "claude", groups)]


def claude_server(scope: Scope) -> list[Piece]:
    program, args = scope.server()
    if scope.top is not None:
        path = scope.top / ".mcp.json"
    elif scope.places.env.get("CLAUDE_CONFIG_DIR"):
        path = claude_folder(scope.places) / ".claude.json"
    else:
        path = scope.places.home / ".claude.json"
    return [JsonMember(path, ("mcpServers", SERVER), {"type": "stdio", "command": program, "args": args})]


def codex_folder(places: Places) -> Path:
    return places.folder("CODEX_HOME", ".codex")


def codex_pieces(scope: Scope) -> list[Piece]:
    # Tokens, by the client's own count; its default cuts text of a script that takes more than one byte a character.
    group: dict[str, object] = {"hooks": [handler(scope, "codex", additionalContextLimit=9_000)]}
    folder = codex_folder(scope.places) if scope.top is None else scope.top / ".codex"
    groups = dict.fromkeys(("UserPromptSubmit", "SessionStart", "SubagentStart"), group)
    return [JsonHooks(folder / "hooks.json", "codex", groups)]


def codex_server(scope: Scope) -> list[Piece]:
    program, args = scope.server()
    folder = codex_folder(scope.places) if scope.top is None else scope.top / ".codex"
    return [TomlTable(folder / "config.toml", f"mcp_servers.{SERVER}", {"command": program, "args": args})]


def dsh_folder(places: Places) -> Path:
    return places.folder("DSH_HOME", ".dsh")


def dsh_pieces(scope: Scope) -> list[Piece]:
    plugin = scope.places.plugins / "dsh-plugin" / "index.js"
    lines = (
        "- insert:",
        "    - id: cmgit",
        f"      name: {json.dumps(str(plugin))}",
        "      config:",
        f"        hook: {json.dumps(scope.places.hook)}",
    )
    return [YamlItems(dsh_folder(scope.places) / "cordis.patch.yml", lines)]


def gemini_folder(places: Places) -> Path:
    return places.home / ".gemini"


def gemini_settings(scope: Scope) -> Path:
    return (gemini_folder(scope.places) if scope.top is None else scope.top / ".gemini") / "settings.json"


def gemini_pieces(scope: Scope) -> list[Piece]:
    group: dict[str, object] = {"hooks": [handler(scope, "gemini", SECONDS * 1000, name="cmgit")]}
    return [JsonHooks(gemini_settings(scope), "gemini", {"BeforeAgent": group, "SessionStart": group})]


def gemini_server(scope: Scope) -> list[Piece]:
    program, args = scope.server()
    return [JsonMember(gemini_settings(scope), ("mcpServers", SERVER), {"command": program, "args": args})]


def opencode_folder(places: Places) -> Path:
    return places.folder("OPENCODE_CONFIG_DIR") if places.env.get("OPENCODE_CONFIG_DIR") else places.config("opencode")


def opencode_pieces(scope: Scope) -> list[Piece]:
    source = (scope.places.plugins / "opencode-plugin" / "cmgit.js").read_text(encoding="utf-8")
    hook = "cm-hook" if scope.project else scope.places.hook
    folder = opencode_folder(scope.places) if scope.top is None else scope.top / ".opencode"
    text = source.replace('const HOOK = "cm-hook"', f"const HOOK = {json.dumps(hook)}")
    return [OwnFile(folder / "plugins" / "cmgit.js", text, "// cmgit for OpenCode")]


def opencode_server(scope: Scope) -> list[Piece]:
    program, args = scope.server()
    folder = opencode_folder(scope.places) if scope.top is None else scope.top
    with_comments = folder / "opencode.jsonc"
    path = with_comments if with_comments.exists() else folder / "opencode.json"
    return [JsonMember(path, ("mcp", SERVER), {"type": "local", "command": [program, *args], "enabled": True})]


def cursor_folder(scope: Scope) -> Path:
    return (scope.top or scope.places.home) / ".cursor"


def cursor_pieces(scope: Scope) -> list[Piece]:
    group: dict[str, object] = {"command": scope.command("cursor")}
    return [JsonHooks(cursor_folder(scope) / "hooks.json", "cursor", {"sessionStart": group}, (("version", 1),))]


def cursor_server(scope: Scope) -> list[Piece]:
    program, args = scope.server()
    value = {"command": program, "args": args}
    return [JsonMember(cursor_folder(scope) / "mcp.json", ("mcpServers", SERVER), value)]


def copilot_folder(places: Places) -> Path:
    return places.folder("COPILOT_HOME", ".copilot")


def copilot_pieces(scope: Scope) -> list[Piece]:
    """One file for Copilot CLI and VS Code: each of them reads the folder, and would run what the other's file says."""
    folder = copilot_folder(scope.places) if scope.top is None else scope.top / ".github"
    group = handler(scope, "copilot")
    base = (("version", 1),)
    return [JsonHooks(folder / "hooks" / "cmgit.json", "copilot", {"SessionStart": group}, base)]


def copilot_server(scope: Scope) -> list[Piece]:
    if scope.top is not None:
        return claude_server(scope)  # it reads the same file
    program, args = scope.server()
    path = copilot_folder(scope.places) / "mcp-config.json"
    value = {"type": "local", "command": program, "args": args, "tools": ["*"]}
    return [JsonMember(path, ("mcpServers", SERVER), value)]


def vscode_folder(places: Places) -> Path:
    if places.mac:
        return places.home / "Library" / "Application Support" / "Code" / "User"
    return places.config("Code", "User")


def vscode_server(scope: Scope) -> list[Piece]:
    program, args = scope.server()
    path = vscode_folder(scope.places) / "mcp.json" if scope.top is None else scope.top / ".vscode" / "mcp.json"
    value = {"type": "stdio", "command": program, "args": args, "cwd": "${workspaceFolder}"}
    return [JsonMember(path, ("servers", SERVER), value)]


def no_server(scope: Scope) -> list[Piece]:
    """Its plugin brings a tool of its own."""
    del scope
    return []


def skills_of(folder: Callable[[Places], Path], project: str, below: str = "skills") -> Callable[[Scope], Path]:
    """Where a client looks for skills."""
    return lambda scope: (folder(scope.places) if scope.top is None else scope.top / project) / below


CLIENTS = (
    Client(
        "claude", "Claude Code", ("claude",), claude_folder, claude_pieces, claude_server,
        skills=skills_of(claude_folder, ".claude"),
        after=("new sessions have the hooks; one that runs already may have to be started anew",),
    ),
    Client(
        "codex", "Codex", ("codex",), codex_folder, codex_pieces, codex_server,
        skills=skills_of(codex_folder, ".codex"),
        after=(
            "Codex runs a hook only once you trust it: start `codex`, then `/hooks`, and trust the three of cmgit; "
            "`codex exec` skips them without a word until then",
            "the command stays the same over upgrades of cmgit, so that is asked once",
        ),
    ),
    Client(
        "dsh", "DeepSeek Harness", ("dsh",), dsh_folder, dsh_pieces, no_server, project=False,
        after=("every profile has the plugin from its next start",),
    ),
    Client(
        "gemini", "Gemini CLI", ("gemini",), gemini_folder, gemini_pieces, gemini_server,
        skills=skills_of(gemini_folder, ".gemini"),
    ),
    Client(
        "opencode", "OpenCode", ("opencode",), opencode_folder, opencode_pieces, opencode_server,
        skills=skills_of(opencode_folder, ".opencode"),
    ),
    Client(
        "cursor", "Cursor", ("cursor", "cursor-agent"), lambda places: places.home / ".cursor", cursor_pieces,
        cursor_server, needs_server=True,
        after=("Cursor documents no context at the prompt: it is told of the MCP tools when a session starts",),
    ),
    Client(
        "copilot", "Copilot CLI", ("copilot",), copilot_folder, copilot_pieces, copilot_server, needs_server=True,
        after=("Copilot CLI's documents disagree on context at the prompt: it is told of the MCP tools when a session "
               "starts",),
    ),
    Client(
        "vscode", "VS Code", ("code",), vscode_folder, copilot_pieces, vscode_server, needs_server=True,
        after=("VS Code documents no context at the prompt: it is told of the MCP tools when a session starts",),
    ),
)  # fmt: skip


def client_named(name: str) -> Client:
    return next(client for client in CLIENTS if client.name == name)


def lasting_folders(places: Places) -> tuple[Path, ...]:
    """Folders that stay where nothing is left in them: the home folder, and what a variable or a link names.

    An empty folder of a client's goes with the last file in it. It means nothing to the client, and another look would
    take it for one that is there.
    """
    home = places.home.resolve()
    own = [folder for client in CLIENTS if (folder := client.folder(places)).is_relative_to(places.home)]
    linked = (folder for folder in own if folder.resolve() != home / folder.relative_to(places.home))
    return (places.home, *map(Path, places.env.values()), *linked)
