"""What the prompt hook costs: `python bench/hook_latency.py REPOSITORY [--rounds 20] [--json]`.

REPOSITORY: a clone that `git cm index` has indexed, with vectors; the figures of the documentation are of vuejs/core.
Whole processes by the wall clock, one of each kind in turn, medians over the rounds: a slower moment hits all kinds.
`no-op` is a prompt that needs no context, `reader` one that the resident reader answers, `cold` one that the hook
answers by itself. What they may cost is said as a ratio or a difference to bare Python and to plain imports.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMED = "why does `queueFlush` run jobs twice?"
SEARCH = "the computed value is evaluated again although nothing that it depends on has changed"
NO_OP = "thanks, looks good"

PLAIN = {
    "python": "pass",
    "import lance": "import lance",
    "import lance, onnxruntime, tokenizers": "import lance, onnxruntime, tokenizers",
}


def payload(folder: Path, prompt: str) -> bytes:
    return json.dumps({"hook_event_name": "UserPromptSubmit", "cwd": str(folder), "prompt": prompt}).encode()


def seconds(argv: list[str], data: bytes, env: dict[str, str]) -> tuple[float, bytes]:
    started = time.perf_counter()
    done = subprocess.run(argv, input=data, env=env, capture_output=True, check=True)
    return time.perf_counter() - started, done.stdout


def measure(folder: Path, rounds: int) -> dict[str, float]:
    """Medians in seconds."""
    hook = [str(Path(sys.executable).with_name("cm-hook")), "claude"]
    # Installed packages have compiled files; with this variable each run would compile them anew.
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    cold = {**usual, "CMGIT_SERVE": "off", "CMGIT_HOOK_SECONDS": "20"}
    with tempfile.TemporaryDirectory(prefix="cm-") as run_dir:
        warm = {**usual, "XDG_RUNTIME_DIR": run_dir, "CMGIT_HOOK_SECONDS": "20"}
        warm.pop("CMGIT_SERVE", None)
        cm = [str(Path(sys.executable).with_name("git-cm"))]
        subprocess.run([*cm, "serve", "--background"], cwd=folder, env=warm, check=True, capture_output=True)
        kinds: dict[str, tuple[list[str], bytes, dict[str, str]]] = {
            name: ([sys.executable, "-c", code], b"", cold) for name, code in PLAIN.items()
        }
        kinds["no-op"] = (hook, payload(folder, NO_OP), warm)
        for name, prompt in (("named", NAMED), ("search", SEARCH)):
            kinds[f"reader, {name}"] = (hook, payload(folder, prompt), warm)
            kinds[f"cold, {name}"] = (hook, payload(folder, prompt), cold)
        found: dict[str, list[float]] = {name: [] for name in kinds}
        said: dict[str, set[bytes]] = {name: set() for name in kinds}
        try:
            for turn in range(rounds + 1):
                for name, (argv, data, env) in kinds.items():
                    spent, out = seconds(argv, data, env)
                    said[name].add(out)
                    if turn:  # the first round fills the caches of the disk
                        found[name].append(spent)
        finally:
            subprocess.run([*cm, "serve", "--stop"], cwd=folder, env=warm, check=False, capture_output=True)
    for name in ("named", "search"):
        assert said[f"reader, {name}"] == said[f"cold, {name}"], "the reader's answer is another"
        assert len(said[f"cold, {name}"]) == 1
        assert said[f"cold, {name}"] != {b""}
    assert said["no-op"] == {b""}
    return {name: statistics.median(times) for name, times in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    medians = measure(options.repository.resolve(), options.rounds)
    both = medians["import lance, onnxruntime, tokenizers"]
    goals = [
        ("no-op, above bare Python", medians["no-op"] - medians["python"], 0.015, "s"),
        ("reader, named", medians["reader, named"], 0.080, "s"),
        ("reader, search", medians["reader, search"], 0.080, "s"),
        ("cold, named / import lance", medians["cold, named"] / medians["import lance"], 0.8, ""),
        ("cold, search / import lance, onnxruntime, tokenizers", medians["cold, search"] / both, 0.8, ""),
    ]
    if options.json:
        print(json.dumps({"medians": medians, "goals": {name: [value, goal] for name, value, goal, _ in goals}}))
    else:
        for name, value in medians.items():
            print(f"{name:45} {value * 1000:8.1f} ms")
        for name, value, goal, unit in goals:
            shown = f"{value * 1000:.1f} ms of {goal * 1000:.0f}" if unit else f"{value:.2f} of {goal:.2f}"
            print(f"{name:55} {shown:>20}  {'met' if value <= goal else 'MISSED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
