"""The prompt hook as a client calls it, and repositories for it."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXED_ENV, GitRepo

FORKED = Path(__file__).with_name("forked.py")
LONGEST = 9_000


class Answer:
    """What one call of the hook gave."""

    def __init__(self, code: int, out: bytes, err: bytes, seconds: float) -> None:
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def check(self) -> Answer:
        """Whatever it was asked: leaves with 0, and prints one JSON object of the client's shape or nothing."""
        assert self.code == 0, (self.code, self.err)
        assert self.err == b""
        if self.out:
            text = self.out.decode("utf-8")
            assert text.count("\n") == 1
            assert text.endswith("}\n")
            assert len(text) <= LONGEST
            value = json.loads(text)
            assert list(value) == ["hookSpecificOutput"]
            assert value["hookSpecificOutput"]["hookEventName"]
        return self

    @property
    def output(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.out)["hookSpecificOutput"] if self.out else {}
        return value

    @property
    def text(self) -> str:
        """What the model gets, "" for nothing."""
        return str(self.output.get("additionalContext", ""))


class HookServer:
    """See `forked.py`."""

    def __init__(self, home: Path, warm: bool, **env: str) -> None:
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.env = {**kept, **FIXED_ENV, "HOME": str(home), "CMGIT_SERVE": "off", "CMGIT_HOOK_SECONDS": "60", **env}
        self.env["XDG_CACHE_HOME"] = os.environ.get("CMGIT_TEST_CACHE", "/tmp/cmgit-test-cache")
        arguments = [sys.executable, str(FORKED), *(["--warm"] if warm else [])]
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env, cwd=home, text=True
        )

    def raw(self, data: bytes, cwd: Path | None = None, client: str = "claude", **more: object) -> Answer:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        case = {"client": client, "data": base64.b64encode(data).decode(), "cwd": str(cwd or self.home), **more}
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        out, err = base64.b64decode(told["out"]), base64.b64decode(told["err"])
        return Answer(told["code"], out, err, told["seconds"])

    def __call__(self, payload: Mapping[str, object], client: str = "claude", **more: object) -> Answer:
        return self.raw(json.dumps(payload).encode(), client=client, **more).check()  # type: ignore[arg-type]

    def prompt(self, cwd: Path, text: str, session: str = "", client: str = "claude", **fields: object) -> Answer:
        payload = {"hook_event_name": "UserPromptSubmit", "cwd": str(cwd), "prompt": text, **fields}
        return self(payload | ({"session_id": session} if session else {}), client)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(120)


@pytest.fixture(scope="session")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HookServer]:
    """Answers in a tenth of a second: what it needs is in memory before."""
    server = HookServer(tmp_path_factory.mktemp("hook-home"), warm=True)
    yield server
    server.close()


@pytest.fixture
def cold_hook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HookServer]:
    """Loads what it needs when it needs it, as the real one does."""
    server = HookServer(tmp_path_factory.mktemp("hook-home"), warm=False)
    yield server
    server.close()


def index(folder: Path, *args: str) -> None:
    """Publish HEAD's snapshot, by the command."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | FIXED_ENV
    code = "from cmgit.cli.start import entry; entry()"
    subprocess.run([sys.executable, "-c", code, "index", *args], cwd=folder, env=env, check=True, capture_output=True)


SHOP = {
    "src/delivery.ts": """\
import { voucherDiscount } from "./voucher"

/** Free of charge above the limit; a voucher never lowers the fee. */
export function deliveryFee(totalCents: number, express: boolean): number {
  if (totalCents >= 5000 && !express) return 0
  const base = express ? 990 : 490
  return base - voucherDiscount("none")
}
""",
    "src/voucher.ts": """\
const codes = new Map<string, number>([["spring", 500]])

export function voucherDiscount(code: string): number {
  return codes.get(code) ?? 0
}

export function forgetVoucher(code: string): boolean {
  return codes.delete(code)
}
""",
    "src/session/idle.ts": """\
export class IdleSessions {
  private seen = new Map<string, number>()
  touch(id: string, now: number): void {
    this.seen.set(id, now)
  }
  /** Drops every session that nobody used for half an hour. */
  sweep(now: number): string[] {
    const gone = [...this.seen].filter(([, last]) => now - last > 1_800_000).map(([id]) => id)
    for (const id of gone) this.seen.delete(id)
    return gone
  }
}
""",
    "test/delivery.test.ts": """\
import { deliveryFee } from "../src/delivery"
test("express costs more than the ordinary way", () => {
  expect(deliveryFee(100, true)).toBe(990)
})
""",
}


@pytest.fixture
def shop(repo: GitRepo) -> GitRepo:
    """A small indexed repository without vectors."""
    repo.commit(SHOP)
    repo.git("config", "cm.vectors", "false")
    index(repo.path)
    return repo


def log_of(repo: Path) -> str:
    return (repo / ".git" / "cm" / "agent.log").read_text("utf-8")
