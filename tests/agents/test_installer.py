"""`git cm install CLIENT` and `uninstall`: what is written where, and that every other byte stays."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cmgit.agents import retention, toml_text, wiring, yaml_text
from cmgit.agents.changes import apply_all
from cmgit.cli.install import AGENTS
from cmgit.core.errors import CmgitError
from tests.conftest import Cm, GitRepo

HOMES = {
    "claude": ".claude", "codex": ".codex", "dsh": ".dsh", "gemini": ".gemini", "opencode": ".config/opencode",
    "cursor": ".cursor", "copilot": ".copilot", "vscode": ".config/Code/User",
}  # fmt: skip
SETTINGS = {
    ".claude/settings.json": """\
{
  // mine
  "model": "opus",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "true"}]}],
    "PostToolUse": [
      {"matcher": "Read", "hooks": [{"type": "command", "command": "cm-hooks-of-mine"}]},
    ],
  },
}
""",
    ".claude.json": '{"numStartups":3,"mcpServers":{"x":{"command":"x"}},"projects":{}}',
    ".codex/hooks.json": '{"hooks": {"UserPromptSubmit": []}}',
    ".codex/config.toml": '# mine\nmodel = "gpt"  # it\n\n[mcp_servers.x]\ncommand = "x"\n\n[features]\nhooks = true',
    ".dsh/cordis.patch.yml": "# Your patch layer\n- id: hmr\n  disabled: true\n",
    ".gemini/settings.json": '{\r\n\t"theme": "dark",\r\n\t"hooks": {"BeforeAgent": [{"hooks": []}]}\r\n}\r\n',
    ".config/opencode/opencode.jsonc": '{\n    // mine\n    "model": "x/y",\n}\n',
    ".cursor/hooks.json": '{"version": 1, "hooks": {}}\n',
    ".cursor/mcp.json": "{}",
    ".copilot/mcp-config.json": '{"mcpServers": {}}\n',
    ".config/Code/User/mcp.json": '{\n\t"servers": {\n\t\t"x": {} // mine\n\t}\n}\n',
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with every client in it, and none on the search path."""
    folder = tmp_path / "person"
    for name in HOMES.values():
        (folder / name).mkdir(parents=True)
        (folder / name / "a session").write_text("of the client's own")
    monkeypatch.setenv("HOME", str(folder))
    git = tmp_path / "git-alone"
    git.mkdir()
    (git / "git").symlink_to(str(shutil.which("git")))
    monkeypatch.setenv("PATH", str(git))
    return folder


@pytest.fixture
def settings(home: Path) -> Path:
    for name, text in SETTINGS.items():
        (home / name).write_bytes(text.encode())
    return home


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (
            stat.S_IMODE(path.lstat().st_mode),
            b"" if path.is_dir() else path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
    }


def hooks_of(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(re.sub(r"^\s*//.*$|,(?=\s*[}\]])", "", path.read_text(), flags=re.M))["hooks"]
    return value


@pytest.mark.parametrize("client", AGENTS)
@pytest.mark.parametrize("there", ["nothing", "folders", "settings"])
def test_install_is_idempotent_and_uninstall_restores_every_byte(
    repo: GitRepo, cm: Cm, home: Path, request: pytest.FixtureRequest, client: str, there: str
) -> None:
    if there == "nothing":
        shutil.rmtree(home)
        home.mkdir()
    if there == "settings":
        request.getfixturevalue("settings")
    before = state(home)
    shown = cm(repo.path, "install", client, "--mcp", "--yes").ok().out
    once = state(home)
    assert once != before
    assert all(f"{home}/{name}" in shown for name in once if once[name] != before.get(name) and "." in name[-6:])
    assert "nothing to change" in cm(repo.path, "install", client, "--mcp", "--yes").ok().out
    assert state(home) == once
    cm(repo.path, "uninstall", client, "--yes").ok()
    assert state(home) == {**before, **{name: value for name, value in state(home).items() if name not in once}}
    assert "nothing of cmgit's" in cm(repo.path, "uninstall", client, "--yes").ok().out


def test_an_empty_folder_that_a_variable_or_a_link_names_stays(
    repo: GitRepo, cm: Cm, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked, named = tmp_path / "dotfiles", tmp_path / "codex"
    linked.mkdir()
    shutil.rmtree(home / ".claude")
    (home / ".claude").symlink_to(linked)
    monkeypatch.setenv("CODEX_HOME", str(named))
    cm(repo.path, "install", "claude", "codex", "--yes").ok()
    assert (linked / "settings.json").exists()
    assert (named / "hooks.json").exists()
    cm(repo.path, "uninstall", "claude", "codex", "--yes").ok()
    assert list(linked.iterdir()) == list(named.iterdir()) == []


def test_claude_gets_its_four_events(repo: GitRepo, cm: Cm, settings: Path) -> None:
    cm(repo.path, "install", "claude", "--yes").ok()
    hooks = hooks_of(settings / ".claude/settings.json")
    assert len(hooks["Stop"]) == 1
    ours = {event: hooks[event][-1] for event in hooks if event != "Stop"}
    assert {event: group.get("matcher") for event, group in ours.items()} == {
        "UserPromptSubmit": None, "SessionStart": "startup|resume|clear|compact", "SubagentStart": None,
        "PostToolUse": "Read",
    }  # fmt: skip
    for group in ours.values():
        [handler] = group["hooks"]
        assert handler["command"].endswith("/cm-hook claude")
        assert handler["timeout"] == 10
    assert hooks["PostToolUse"][0]["hooks"][0]["command"] == "cm-hooks-of-mine"


def test_codex_trust_survives_an_upgrade(
    repo: GitRepo, cm: Cm, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client's trust is a hash of the entry: the name on the search path stays, what it points to may move."""
    from cmgit.cli import install_steps

    texts = []
    for version in ("3.11", "3.12"):
        bin_folder = tmp_path / "tools" / version / "bin"
        bin_folder.mkdir(parents=True)
        for name in ("cm-hook", "git-cm", "python"):
            (bin_folder / name).write_text("#!/bin/sh\n")
            (bin_folder / name).chmod(0o755)
        links = tmp_path / "local-bin"
        shutil.rmtree(links, ignore_errors=True)
        links.mkdir()
        for name in ("cm-hook", "git-cm"):
            (links / name).symlink_to(bin_folder / name)
        monkeypatch.setenv("PATH", f"{links}{os.pathsep}{tmp_path / 'git-alone'}")
        monkeypatch.setattr(install_steps.sys, "executable", str(bin_folder / "python"))
        cm(repo.path, "install", "codex", "--yes").ok()
        texts.append((home / ".codex/hooks.json").read_text())
    assert texts[0] == texts[1]
    assert f"exec {tmp_path}/local-bin/cm-hook codex" in texts[0]
    assert "3.1" not in texts[0]
    for groups in json.loads(texts[0])["hooks"].values():
        assert set(groups[0]["hooks"][0]) == {"type", "command", "timeout", "additionalContextLimit"}


def test_codex_trust_is_explained(repo: GitRepo, cm: Cm, home: Path) -> None:
    done = cm(repo.path, "install", "codex", "--yes").ok()
    assert "/hooks" in done.err
    assert "trust" in done.err


def test_an_older_entry_of_ours_is_replaced_and_not_doubled(repo: GitRepo, cm: Cm, home: Path) -> None:
    path = home / ".codex/hooks.json"
    old = {"type": "command", "command": "'/old place/bin/cm-hook' codex", "timeout": 3}
    mine = {"type": "command", "command": "echo cm-hook claude; my-own"}
    path.write_text(json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [old]}, {"hooks": [mine, old]}]}}, indent=2))
    cm(repo.path, "install", "codex", "--yes").ok()
    groups = hooks_of(path)["UserPromptSubmit"]
    assert [len(group["hooks"]) for group in groups] == [1, 1]
    assert groups[0]["hooks"] == [mine]
    cm(repo.path, "uninstall", "codex", "--yes").ok()
    assert json.loads(path.read_text()) == {"hooks": {"UserPromptSubmit": [{"hooks": [mine]}]}}


def test_what_the_user_changed_between_stays(repo: GitRepo, cm: Cm, settings: Path) -> None:
    path = settings / ".claude/settings.json"
    cm(repo.path, "install", "claude", "--yes").ok()
    changed = path.read_text().replace('"model": "opus"', '"model": "sonnet", // cheaper')
    changed = changed.replace('"Stop": [', '"Notification": [],\n    "Stop": [')
    path.write_text(changed)
    cm(repo.path, "uninstall", "claude", "--yes").ok()
    text = SETTINGS[".claude/settings.json"].replace('"model": "opus",', '"model": "sonnet", // cheaper,')
    assert path.read_text() == text.replace('"Stop": [', '"Notification": [],\n    "Stop": [')


def test_a_file_that_the_client_wrote_anew_is_still_cleaned(repo: GitRepo, cm: Cm, home: Path) -> None:
    """Claude Code writes its settings with its own spacing whenever a permission is granted."""
    path = home / ".claude/settings.json"
    path.write_text('{"model":"opus"}')
    cm(repo.path, "install", "claude", "--yes").ok()
    path.write_text(json.dumps({**json.loads(path.read_text()), "permissions": {"allow": ["Bash(ls)"]}}, indent=2))
    assert "nothing to change" in cm(repo.path, "install", "claude", "--yes").ok().out
    cm(repo.path, "uninstall", "claude", "--yes").ok()
    assert json.loads(path.read_text()) == {"model": "opus", "permissions": {"allow": ["Bash(ls)"]}}


BROKEN = {
    ".claude/settings.json": ('{\n  "model": "opus"\n  "x": 1\n}\n', "line 3"),
    ".codex/hooks.json": ('{"hooks": ["x"]}', "no object"),
    ".gemini/settings.json": ("\xff\xfe", "UTF-8"),
    ".cursor/hooks.json": ("", "empty"),
    ".dsh/cordis.patch.yml": ("insert: {a: b}\n", "no list"),
    ".config/opencode/plugins/cmgit.js": ("// mine\n", "another file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_settings_file_that_is_broken_is_left_alone(repo: GitRepo, cm: Cm, home: Path, name: str) -> None:
    text, why = BROKEN[name]
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).write_bytes(text.encode("latin-1"))
    before = state(home)
    client = next(client for client, folder in HOMES.items() if name.startswith(folder))
    done = cm(repo.path, "install", client, "--yes")
    assert done.code == 1
    assert "is not edited" in done.err
    assert why in done.err
    assert "hint:" in done.err
    assert state(home) == before


def test_broken_toml_and_a_table_in_another_form_are_left_alone(repo: GitRepo, cm: Cm, home: Path) -> None:
    for text in ("a = \n", 'mcp_servers = {x = {command = "x"}}\n'):
        (home / ".codex/config.toml").write_text(text)
        done = cm(repo.path, "install", "codex", "--mcp", "--yes")
        assert done.code == 1
        assert "config.toml is not edited" in done.err
        assert (home / ".codex/config.toml").read_text() == text
        assert not (home / ".codex/hooks.json").exists()


def test_toml_gets_a_table_and_keeps_its_comments(repo: GitRepo, cm: Cm, settings: Path) -> None:
    cm(repo.path, "install", "codex", "--mcp", "--yes").ok()
    text = (settings / ".codex/config.toml").read_text()
    assert text.startswith(SETTINGS[".codex/config.toml"])
    assert tomllib.loads(text)["mcp_servers"]["cmgit"]["args"] == ["mcp"]
    assert not text.endswith("\n")
    (settings / ".codex/config.toml").write_text(text + "\n\n# later\n[profiles.a]\nmodel = 'b'\n")
    cm(repo.path, "uninstall", "codex", "--yes").ok()
    text = (settings / ".codex/config.toml").read_text()
    assert text == SETTINGS[".codex/config.toml"] + "\n\n# later\n[profiles.a]\nmodel = 'b'\n"


TOMLS = ("", "a = 1\n", "a = 1", "# c\n[a]\nb = 1\n\n", "a=1\r\n[x]\r\ny=2\r\n", "[mcp_servers.other]\ncommand='x'\n")


@pytest.mark.parametrize("text", TOMLS)
def test_a_toml_table_comes_away_to_the_byte(text: str) -> None:
    members: dict[str, str | list[str]] = {"command": '/a "b"/git-cm', "args": ["mcp"]}
    added = toml_text.add(text, "mcp_servers.cmgit", members)
    assert tomllib.loads(added)["mcp_servers"]["cmgit"] == members
    assert toml_text.add(added, "mcp_servers.cmgit", members) == added
    assert toml_text.remove(added, "mcp_servers.cmgit") == text
    below = added + ("" if added.endswith("\n") else "\n") + "[mcp_servers.cmgit.env]\nA = '1'\n"
    assert "cmgit" not in toml_text.remove(below, "mcp_servers.cmgit")


YAMLS = ("", "# c\n", "[]\n", "# a\n[]\n# b\n", "- id: x\n", "- id: x", "- id: x\r\n  y: 1\r\n", "[]")


@pytest.mark.parametrize("text", YAMLS)
def test_yaml_items_come_away_to_the_byte(text: str) -> None:
    lines = ["- insert:", "    - id: cmgit"]
    added = yaml_text.add_items(text, lines)
    assert "\n".join(lines) in added.replace("\r\n", "\n")
    assert yaml_text.add_items(added, lines) == added
    assert yaml_text.remove(added) == text


@pytest.mark.parametrize("text", ["a: 1\n", "[{id: x}]\n", "---\n- id: x\n...\n", "- id: x\nother: 1\n"])
def test_yaml_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(yaml_text.Doubtful):
        yaml_text.add_items(text, ["- insert:"])


def test_a_linked_settings_file_stays_a_link_and_keeps_its_mode(
    repo: GitRepo, cm: Cm, home: Path, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    real.chmod(0o600)
    link = home / ".claude/settings.json"
    link.symlink_to(real)
    done = cm(repo.path, "install", "claude", "--yes").ok()
    assert str(real) in done.out
    assert link.is_symlink()
    assert "cm-hook claude" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    cm(repo.path, "uninstall", "claude", "--yes").ok()
    assert link.is_symlink()
    assert real.read_text() == "{}\n"
    assert [path.name for path in real.parent.iterdir()] == ["claude.json"]


def test_project_settings_are_not_written_through_a_link_out_of_the_repository(
    repo: GitRepo, cm: Cm, home: Path, tmp_path: Path
) -> None:
    """A repository may be anybody's, and may bring the link along."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.path / ".claude").symlink_to(outside)
    (repo.path / ".gemini").mkdir()
    (outside / "settings.json").write_text("{}")
    (repo.path / ".gemini/settings.json").symlink_to(outside / "settings.json")
    for client in ("claude", "gemini"):
        refused = cm(repo.path, "install", client, "--scope", "project", "--yes")
        assert refused.code == 1
        assert "leads out of the repository" in refused.err
    assert [path.name for path in outside.iterdir()] == ["settings.json"]
    assert (outside / "settings.json").read_text() == "{}"
    (repo.path / ".cursor").symlink_to(".gemini")
    cm(repo.path, "install", "cursor", "--scope", "project", "--yes").ok()


@pytest.mark.parametrize("text", ["{}", "{ }\n", "{\n}\n", "{ // none\n}\n", '{"hooks":{"stop":[{"command":"x"}]}}'])
def test_a_file_that_was_there_stays_though_it_held_nothing(repo: GitRepo, cm: Cm, home: Path, text: str) -> None:
    path = home / ".cursor/hooks.json"
    path.write_text(text)
    cm(repo.path, "install", "cursor", "--yes").ok()
    assert "cm-hook cursor" in path.read_text()
    cm(repo.path, "uninstall", "cursor", "--yes").ok()
    assert path.read_text() == text


def test_what_changes_between_showing_and_writing_is_not_overwritten(home: Path) -> None:
    path = home / ".claude/settings.json"
    path.write_text("{}")
    group: dict[str, object] = {"hooks": [{"type": "command", "command": "cm-hook claude"}]}
    changes = wiring.install_changes([wiring.JsonHooks(path, "claude", {"UserPromptSubmit": group})])
    path.write_text('{"model": "opus"}')
    with pytest.raises(CmgitError, match="changed meanwhile"):
        apply_all(changes)
    assert path.read_text() == '{"model": "opus"}'


def test_with_no_client_it_lists_what_is_there_and_changes_nothing(repo: GitRepo, cm: Cm, home: Path) -> None:
    shutil.rmtree(home / ".gemini")
    (home / ".codex/hooks.json").write_text("{")
    before = state(home)
    done = cm(repo.path, "install").ok()
    assert "claude (user): would" in done.out
    assert "cm-hook claude" in done.out
    assert "codex: " in done.out
    assert "is broken" in done.out
    assert "not found here: gemini" in done.out
    assert state(home) == before
    assert not (repo.path / ".git/hooks/post-commit").exists()
    told = cm(repo.path, "install", "--json").ok().json
    assert told["found"] == ["git", *(name for name in AGENTS if name != "gemini")]
    assert list(told["refused"]) == ["codex"]
    assert not told["applied"]


def test_nothing_is_written_without_a_terminal_or_yes(repo: GitRepo, cm: Cm, home: Path) -> None:
    before = state(home)
    done = cm(repo.path, "install", "claude", "codex")
    assert done.code == 1
    assert "--yes" in done.err
    assert "cm-hook codex" in done.out
    assert state(home) == before


def test_settings_of_one_repository_hold_no_path_of_this_machine(repo: GitRepo, cm: Cm, home: Path) -> None:
    before = state(home)
    names = [name for name in AGENTS if name != "dsh"]
    cm(repo.path, "install", *names, "--scope", "project", "--mcp", "--yes").ok()
    assert state(home) == before
    written = [path for path in repo.path.rglob("*") if path.is_file() and ".git/" not in str(path)]
    assert {str(path.relative_to(repo.path)) for path in written} == {
        ".claude/settings.json", ".mcp.json", ".codex/hooks.json", ".codex/config.toml", ".gemini/settings.json",
        ".opencode/plugins/cmgit.js", "opencode.json", ".cursor/hooks.json", ".cursor/mcp.json",
        ".github/hooks/cmgit.json", ".vscode/mcp.json",
    }  # fmt: skip
    for path in written:
        text = path.read_text()
        assert str(repo.path) not in text
        assert "/bin/" not in text
        if "cm-hook" in text and path.suffix == ".json":
            assert "command -v cm-hook" in text, "a colleague without cmgit must see nothing of it"
    cm(repo.path, "uninstall", *names, "--scope", "project", "--yes").ok()
    assert [path.name for path in repo.path.iterdir()] == [".git"]


def test_dsh_has_no_settings_of_one_repository(repo: GitRepo, cm: Cm, home: Path) -> None:
    done = cm(repo.path, "install", "dsh", "--scope", "project", "--yes")
    assert done.code == 1
    assert "--scope user" in done.err


def test_variables_that_move_settings_count(
    repo: GitRepo, cm: Cm, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "DSH_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    cm(repo.path, "install", "claude", "codex", "dsh", "--mcp", "--yes").ok()
    assert (tmp_path / "CLAUDE_CONFIG_DIR/settings.json").exists()
    assert (tmp_path / "CLAUDE_CONFIG_DIR/.claude.json").exists()
    assert (tmp_path / "CODEX_HOME/config.toml").exists()
    assert (tmp_path / "DSH_HOME/cordis.patch.yml").exists()


def test_a_hook_command_runs_nothing_once_cmgit_is_gone(repo: GitRepo, cm: Cm, home: Path) -> None:
    import subprocess

    cm(repo.path, "install", "claude", "--yes").ok()
    command = hooks_of(home / ".claude/settings.json")["UserPromptSubmit"][0]["hooks"][0]["command"]
    gone = command.replace("/cm-hook", "/no-longer-there")
    for text in (gone, "command -v cm-hook >/dev/null 2>&1 || exit 0; exec cm-hook claude"):
        done = subprocess.run(["/bin/sh", "-c", text], capture_output=True, input=b"{}", check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


YAML = """\
# mine
llm-deepseek:
  thinking: enabled
llm-pi-ai:
  providers:
    anthropic:
      apiKeyEnv: ANTHROPIC_API_KEY  # from the keychain
      models:
        - id: claude-sonnet-4-5
    openai:
      # the proxy
      cacheRetention: short
      apiKeyEnv: OPENAI_API_KEY
other: {}
"""


def test_cache_retention_is_explained_set_and_taken_away(repo: GitRepo, cm: Cm, home: Path) -> None:
    path = home / ".dsh/settings.yaml"
    path.write_text(YAML)
    assert "cacheRetention is not set for anthropic" in cm(repo.path, "install", "dsh", "--yes").ok().err
    assert path.read_text() == YAML
    cm(repo.path, "install", "dsh", "--cache-retention", "long", "--yes").ok()
    added = "      cacheRetention: long # git-cm\n"
    assert path.read_text() == YAML.replace("    anthropic:\n", "    anthropic:\n" + added)
    assert "nothing to change" in cm(repo.path, "install", "dsh", "--cache-retention", "long", "--yes").ok().out
    cm(repo.path, "install", "dsh", "--cache-retention", "none", "--yes").ok()
    assert path.read_text().count("cacheRetention: none") == 1
    cm(repo.path, "uninstall", "dsh", "--yes").ok()
    assert path.read_text() == YAML


def test_cache_retention_without_a_provider_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("llm-pi-ai: {providers: {anthropic: {}}}\n")
    changes, told = retention.install_changes(tmp_path, "long")
    assert not changes
    assert "nothing to set" in told[0]
    assert retention.install_changes(tmp_path / "nowhere", None) == ([], [])


def test_the_skill_comes_where_there_are_notes(repo: GitRepo, cm: Cm, home: Path) -> None:
    from cmgit.agents.setup import SKILL
    from cmgit.cli.install_steps import places

    source = places().plugins / "skills" / SKILL / "SKILL.md"
    if not source.is_file():
        pytest.skip("no skill is shipped")
    cm(repo.path, "install", "claude", "--yes").ok()
    target = home / ".claude/skills" / SKILL / "SKILL.md"
    assert not target.exists()
    (repo.path / ".memory").mkdir()
    cm(repo.path, "install", "claude", "--yes").ok()
    assert target.read_bytes() == source.read_bytes()
    cm(repo.path, "uninstall", "claude", "--yes").ok()
    assert not target.parent.exists()


def test_the_clients_limit_and_the_hooks_own_never_meet(repo: GitRepo, cm: Cm, home: Path) -> None:
    """A client drops what comes late, often without a word (anthropics/claude-code#66649)."""
    from cmgit.cli.agent_hook import DEADLINE

    cm(repo.path, "install", "claude", "codex", "gemini", "copilot", "--yes").ok()
    for name, second in (
        (".claude/settings.json", 1), (".codex/hooks.json", 1), (".gemini/settings.json", 1000),
        (".copilot/hooks/cmgit.json", 1),
    ):  # fmt: skip
        for groups in hooks_of(home / name).values():
            for handler in groups[0].get("hooks", groups):
                assert handler["timeout"] >= 4 * DEADLINE * second
