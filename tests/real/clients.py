"""The real clients from npm, each in a home folder of its own, run against a scripted model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.real.scripted import ScriptedModel

CACHE = Path(os.environ.get("CMGIT_TEST_CACHE", "/tmp/cmgit-test-cache")) / "clients"
BIN = Path(sys.executable).parent
SECONDS = 240

PACKAGES: dict[str, dict[str, object]] = {
    "claude": {"dependencies": {"@anthropic-ai/claude-code": "2.1.332"}},
    "codex": {"dependencies": {"@openai/codex": "0.171.0"}},
    "opencode": {"dependencies": {"opencode-ai": "1.18.33"}},
    # Its ranges admit later releases of the cordis plugins that this one does not boot with; npm spends more than ten
    # minutes on its peers, pnpm one. It needs Node 22, the one of npm's `node` package.
    "dsh": {
        "dependencies": {"@deepseek-ai/dsh": "0.1.0-rc.8", "node": "24"},
        "pnpm": {
            "overrides": {
                "@deepseek-ai/cordis": "4.0.1",
                "@deepseek-ai/cordis-plugin-hmr": "1.0.16",
                "@deepseek-ai/cordis-plugin-include": "1.0.6",
                "@deepseek-ai/cordis-plugin-loader": "1.0.2",
            },
            "onlyBuiltDependencies": ["node"],
        },
    },
}


def install(name: str) -> Path:
    """The folder with a client's programs; installed once for a machine."""
    wanted = json.dumps({"private": True, **PACKAGES[name]})
    folder = CACHE / name
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(wanted)
        pnpm = [
            "npx", "--yes", "pnpm@10", "install", "--config.node-linker=hoisted", "--config.auto-install-peers=true",
        ]  # fmt: skip
        command = pnpm if name == "dsh" else ["npm", "install", "--no-audit", "--no-fund"]
        home = os.environ | {"HOME": str(CACHE), "XDG_CACHE_HOME": str(CACHE / ".cache")}
        done = subprocess.run(command, cwd=folder, env=home, capture_output=True, text=True, timeout=900, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        stamp.write_text(wanted)
    return folder / "node_modules" / ".bin"


@dataclass
class Agent:
    """One client in a home of its own, working in a repository."""

    name: str
    home: Path
    repo: Path
    model: ScriptedModel
    reader: bool
    env: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        for folder in (self.home, self.home / "run"):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
        keep = {key: value for key, value in os.environ.items() if key in ("LANG", "XDG_CACHE_HOME", "TMPDIR")}
        search = os.pathsep.join([str(install(self.name)), str(BIN), os.environ["PATH"]])
        self.env = keep | {
            "HOME": str(self.home), "PATH": search, "XDG_RUNTIME_DIR": str(self.home / "run"),
            "GIT_CONFIG_NOSYSTEM": "1", "CMGIT_SERVE": "on" if self.reader else "off",
            "CMGIT_HOOK_SECONDS": "8",  # the machine may be busy: what is in time is for other tests
        }  # fmt: skip

    def cm(self, *args: str) -> str:
        return self._run([str(BIN / "git-cm"), *args], self.env)

    def log(self) -> str:
        path = self.repo / ".git" / "cm" / "agent.log"
        return path.read_text() if path.exists() else ""

    def ask(self, prompt: str, *, again: bool = False, model: str = "") -> str:
        """Give the client a prompt. again: in the conversation of the last one."""
        return getattr(self, f"_ask_{self.name}")(prompt, again, model)

    def _ask_claude(self, prompt: str, again: bool, model: str) -> str:
        env = self.env | {
            "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ANTHROPIC_BASE_URL": self.model.url, "ANTHROPIC_API_KEY": "unused",
        }  # fmt: skip
        args = [
            "claude",
            "-p",
            prompt,
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            "Agent",
            "Read",
            "Edit",
            "Grep",
        ]
        return self._run([*args, *(["--model", model] if model else []), *(["--continue"] if again else [])], env)

    def _ask_codex(self, prompt: str, again: bool, model: str) -> str:
        config = self.home / ".codex" / "config.toml"
        provider = f'name = "stub"\nbase_url = "{self.model.url}/v1"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
        text = f'model = "{model or "test"}"\nmodel_provider = "stub"\n[model_providers.stub]\n{provider}'
        config.parent.mkdir(exist_ok=True)
        if not config.exists():
            config.write_text(text)
        flags = ["--dangerously-bypass-hook-trust", "--skip-git-repo-check"]
        tail = ["resume", "--last", prompt] if again else [prompt]
        # The sandbox of a container that may make no namespaces: none.
        mode = ["--sandbox", "danger-full-access"]
        return self._run(["codex", "exec", *flags, *mode, *tail], self.env | {"STUB_KEY": "unused"})

    def _ask_opencode(self, prompt: str, again: bool, model: str) -> str:
        provider = {
            "npm": "@ai-sdk/openai-compatible", "name": "stub",
            "options": {"baseURL": f"{self.model.url}/v1", "apiKey": "unused"}, "models": {"test": {"name": "test"}},
        }  # fmt: skip
        config = {"provider": {"stub": provider}, "model": "stub/test", "autoupdate": False}
        folder = self.home / ".config" / "opencode"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "opencode.json").write_text(json.dumps(config))
        return self._run(["opencode", "run", *(["--continue"] if again else []), prompt], self.env)

    def _ask_dsh(self, prompt: str, again: bool, model: str) -> str:
        assert not again, "its one-shot profile starts a new conversation for each prompt"
        node = install("dsh") / "node"
        program = install("dsh").parent / "@deepseek-ai" / "dsh" / "lib" / "bin.js"
        env = self.env | {
            "DSH_HOME": str(self.home / ".dsh"), "DEEPSEEK_BASE_URL": self.model.url, "DEEPSEEK_API_KEY": "unused",
        }  # fmt: skip
        return self._run([str(node), "--expose-internals", str(program), "--profile", "headless", prompt], env)

    def _run(self, command: list[str], env: Mapping[str, str]) -> str:
        done = subprocess.run(
            command, cwd=self.repo, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command[0]} ended with {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout
