"""What the hooks cost in the foreground: `python bench/hooks.py [--rounds 15] [--part git|frameworks|rebase …]`.

Each variant of hooks (none, empty ones, these) has a clone of its own, and they are measured in alternation within one
run, so that a busy machine slows all of them alike. What is told is the median of the differences between the two
commands of one round, with the bounds that hold the true median in 95 of 100 runs; of wall time, and of the CPU time of
git and of all that it waited for, which a busy machine hardly changes (a hook neither sleeps nor waits, so the two
agree). Before each command that is timed the background has come to rest. Tables are printed as Markdown.

    python bench/hooks.py --git /usr/bin/git --git ~/git-2.55/bin/git --repo PATH
    python bench/hooks.py --part frameworks --frameworks FOLDER    # FOLDER/pre-commit, FOLDER/prek; made when left out
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
EVENTS = ("pre-commit", "post-commit", "post-checkout", "post-merge", "post-rewrite")
OFF = ("-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0")
PICKS = 50
FILES = 40

PYTHON_HOOK = """\
- id: empty-{kind}
  name: empty
  entry: "true"
  language: python
  stages: [{stages}]
  always_run: true
  pass_filenames: false
"""


@dataclass
class Variant:
    """A clone with one kind of hooks."""

    name: str
    path: Path
    env: dict[str, str]
    git: str
    times: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, list[float]] = field(default_factory=dict)

    def quiet(self, *args: str) -> None:
        """git without hooks, not timed."""
        off = [*OFF]
        for event in EVENTS if has_config_hooks(self.git) else ():
            for name in ("cm", "empty"):
                off += ["-c", f"hook.{name}-{event}.enabled=false"]
        subprocess.run([self.git, *off, *args], cwd=self.path, env=self.env, check=True, capture_output=True)

    def timed(self, what: str, *args: str, captured: bool = False) -> None:
        self.rest()
        pipe = subprocess.PIPE if captured else subprocess.DEVNULL
        command = [self.git, "-c", "gc.auto=0", *args]
        started = time.perf_counter()
        with subprocess.Popen(
            command, cwd=self.path, env=self.env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT
        ) as done:
            said = done.stdout.read() if done.stdout is not None else b""  # until nobody holds the pipe
            _, status, usage = os.wait4(done.pid, 0)
            seconds = time.perf_counter() - started
            done.returncode = os.waitstatus_to_exitcode(status)
        if done.returncode:
            raise SystemExit(f"{what} failed in {self.path}: {said!r}")
        self.times.setdefault(what, []).append(seconds * 1_000)
        self.cpu.setdefault(what, []).append((usage.ru_utime + usage.ru_stime) * 1_000)

    def forget(self) -> None:
        """The first round fills caches."""
        self.times.clear()
        self.cpu.clear()

    def rest(self) -> None:
        """Wait until the background has nothing to do."""
        cm, end = self.path / ".git/cm", time.monotonic() + 120
        while any(cm.glob("queue/*.request")) or any(cm.glob("staged/*.ready")) or (cm / "queue/runner").exists():
            if time.monotonic() > end:
                raise SystemExit(f"{self.name}: the background does not come to rest in {self.path}")
            time.sleep(0.05)

    def builds(self) -> int:
        log = self.path / ".git/cm/build.log"
        return log.read_text().count(" published: ") if log.exists() else 0

    def median(self, what: str) -> float:
        return statistics.median(self.times[what])


def more(ours: list[float], base: list[float], hooks: int) -> str:
    """Median of what one hook adds, over rounds, and its bounds: the order statistics of the sign test."""
    differences = sorted((a - b) / hooks for a, b in zip(ours, base, strict=True))
    count = len(differences)
    inner = max(0, int((count - 1.96 * count**0.5) / 2))
    low, high = differences[inner], differences[count - 1 - inner]
    return f"{statistics.median(differences):+.0f} ms ({low:+.0f} … {high:+.0f})"


def has_config_hooks(git: str) -> bool:
    words = subprocess.run([git, "version"], capture_output=True, check=True, text=True).stdout.split()[2].split(".")
    return (int(words[0]), int(words[1])) >= (2, 54)


def environment(folder: Path, *paths: Path) -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    person = {f"GIT_{who}_{what}": "bench@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    homes = {name: str(folder / "home") for name in ("HOME", "PRE_COMMIT_HOME", "PREK_HOME")}
    (folder / "home").mkdir(exist_ok=True)
    path = os.pathsep.join([*map(str, paths), str(BIN), os.environ["PATH"]])
    return env | person | homes | {"GIT_CONFIG_NOSYSTEM": "1", "PATH": path}


def clone(name: str, folder: Path, source: Path | None, env: dict[str, str], git: str) -> Variant:
    path = folder / name
    if source is None:
        subprocess.run([git, "init", "-q", str(path)], env=env, check=True)
        for number in range(FILES):
            text = f"export function f{number}(n) {{\n  return f{number + 1}(n) + {number}\n}}\n"
            (path / f"file{number}.js").write_text(text)
    else:
        subprocess.run([git, "clone", "-q", str(source), str(path)], env=env, check=True)
    variant = Variant(name, path, env, git)
    variant.quiet("config", "cm.vectors", "false")
    (path / "measured.js").write_text("export const measured = 0\n")
    variant.quiet("add", "-A")
    variant.quiet("commit", "-qm", "measured")
    variant.quiet("branch", "-M", "measured")
    return variant


def cm(variant: Variant, *args: str) -> None:
    subprocess.run([str(BIN / "git-cm"), *args], cwd=variant.path, env=variant.env, check=True, capture_output=True)


def put_empty_hooks(variant: Variant) -> None:
    for event in EVENTS:
        if has_config_hooks(variant.git):
            variant.quiet("config", f"hook.empty-{event}.event", event)
            variant.quiet("config", f"hook.empty-{event}.command", "exit 0 #")
        else:
            path = variant.path / ".git/hooks" / event
            path.parent.mkdir(exist_ok=True)
            path.write_text("#!/bin/sh\n")
            path.chmod(0o755)


def three(folder: Path, source: Path | None, git: str) -> list[Variant]:
    env = environment(folder, Path(git).parent)
    variants = [clone(name, folder, source, env, git) for name in ("none", "empty", "cm")]
    put_empty_hooks(variants[1])
    cm(variants[2], "index")
    cm(variants[2], "install", "git", "--yes")
    return variants


def turns(variants: Sequence[Variant], rounds: int) -> Iterator[tuple[int, Variant]]:
    for number in range(rounds):
        shift = number % len(variants)
        for variant in (*variants[shift:], *variants[:shift]):
            yield number, variant


def one_round(variant: Variant, number: int, *, whole: bool = True) -> None:
    """The commands that people and editors give, each from a state that no hook made."""
    text = variant.path / "measured.js"

    def edit(what: str) -> None:
        with text.open("a") as stream:
            stream.write(f"export const {what}{number} = {number}\n")

    edit("a")
    variant.quiet("add", "measured.js")
    variant.timed("commit", "commit", "-qm", "a")
    edit("b")
    variant.timed("commit -a, captured pipes", "commit", "-qam", "b", captured=True)
    if not whole:
        return
    edit("c")
    variant.timed("commit -a", "commit", "-qam", "c")
    variant.timed("commit --amend", "commit", "-q", "--amend", "-m", "d")
    variant.timed("checkout BRANCH", "checkout", "-q", "-B", "side", "HEAD~2")
    variant.timed("merge, fast-forward", "merge", "-q", "measured")
    variant.quiet("reset", "-q", "--hard", "HEAD~1")
    (variant.path / "other.js").write_text(f"export const other = {number}\n")
    variant.quiet("add", "other.js")
    variant.quiet("commit", "-qm", "e")
    variant.timed("merge, with a commit", "merge", "-q", "--no-edit", "measured")
    variant.quiet("checkout", "-q", "measured")


HOOKS_RUN = {
    "commit": 2, "commit -a, captured pipes": 2, "commit -a": 2, "commit --amend": 3, "checkout BRANCH": 1,
    "merge, fast-forward": 1, "merge, with a commit": 1,
}  # fmt: skip


def measure_git(folder: Path, source: Path | None, git: str, rounds: int) -> None:
    variants = three(folder, source, git)
    for number, variant in turns(variants, rounds + 1):
        one_round(variant, number)
        if number == 0:
            variant.forget()
    none, empty, ours = variants
    print(
        f"\n| {version(git)}, median of {rounds} | hooks | none | empty | cm | cm − empty for each hook | CPU of it |"
    )
    print("|---|---|---|---|---|---|---|")
    for what, hooks in HOOKS_RUN.items():
        row = [f"{variant.median(what):.0f} ms" for variant in (none, empty, ours)]
        row += [more(ours.times[what], empty.times[what], hooks), more(ours.cpu[what], empty.cpu[what], hooks)]
        print(f"| `{what}` | {hooks} | {' | '.join(row)} |", flush=True)


def version(git: str) -> str:
    return subprocess.run([git, "version"], capture_output=True, check=True, text=True).stdout.strip()


def measure_rebase(folder: Path, source: Path | None, git: str, rounds: int) -> None:
    variants = three(folder, source, git)
    for variant in variants:
        variant.quiet("checkout", "-q", "-b", "topic")
        for number in range(PICKS):
            (variant.path / f"topic{number}.js").write_text(f"export const t{number} = {number}\n")
            variant.quiet("add", f"topic{number}.js")
            variant.quiet("commit", "-qm", f"t{number}")
        variant.quiet("tag", "start")
    builds: list[int] = []
    for number, variant in turns(variants, rounds):
        variant.quiet("checkout", "-q", "-f", "measured")  # which goes on: each rebase ends in a tree of its own
        (variant.path / "base.js").write_text(f"export const base = {number}\n")
        variant.quiet("add", "base.js")
        variant.quiet("commit", "-qm", "base")
        variant.quiet("checkout", "-q", "-B", "topic", "start")
        before = variant.builds()
        variant.timed("rebase", "rebase", "-q", "measured")
        variant.rest()
        if variant.name == "cm":
            time.sleep(0.5)
            variant.rest()
            builds.append(variant.builds() - before)
    head = f"{version(git)}, rebase of {PICKS} commits, median of {rounds}"
    print(f"\n| {head} | none | empty | cm | cm/none | empty/none |")
    print("|---|---|---|---|---|---|")
    for what in ("times", "cpu"):
        seen = [getattr(variant, what)["rebase"] for variant in variants]
        row = [f"{statistics.median(values):.0f} ms" for values in seen]
        row += [quotient(seen[2], seen[0]), quotient(seen[1], seen[0])]
        print(f"| {'wall time' if what == 'times' else 'CPU time'} | {' | '.join(row)} |")
    print(f"\nbuilds for each rebase: {sorted(set(builds))}", flush=True)


def quotient(ours: list[float], base: list[float]) -> str:
    """Median of the quotients of one round each, and their middle half."""
    found = sorted(a / b for a, b in zip(ours, base, strict=True))
    return f"{statistics.median(found):.2f} ({found[len(found) // 4]:.2f} … {found[(3 * len(found) - 1) // 4]:.2f})"


def local_hooks(entry: str) -> str:
    return "repos:\n- repo: local\n  hooks:\n" + "".join(
        f"  - id: {kind}\n    name: {kind}\n    entry: {entry}\n    language: system\n    stages: [{stages}]\n"
        "    always_run: true\n    pass_filenames: false\n"
        for kind, stages in (("first", "pre-commit"), ("second", ", ".join(EVENTS[1:])))
    )


def repo_hooks(where: Path, rev: str, ids: Sequence[str]) -> str:
    return f"repos:\n- repo: {where}\n  rev: {rev}\n  hooks:\n" + "".join(f"  - id: {name}\n" for name in ids)


def hook_repository(folder: Path, env: dict[str, str]) -> tuple[Path, str]:
    """A repository that offers empty hooks in the same language as this one's."""
    path = folder / "empty-hooks"
    path.mkdir()
    (path / "pyproject.toml").write_text('[project]\nname = "nothing"\nversion = "1"\n[tool.setuptools]\npackages=[]\n')
    kinds = (("one", "pre-commit"), ("two", ", ".join(EVENTS[1:])))
    (path / ".pre-commit-hooks.yaml").write_text("".join(PYTHON_HOOK.format(kind=k, stages=s) for k, s in kinds))
    for args in (("init", "-q"), ("add", "."), ("commit", "-qm", "empty")):
        subprocess.run(["git", *args], cwd=path, env=env, check=True)
    return path, revision(path)


def revision(path: Path) -> str:
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=path, check=True, capture_output=True, text=True).stdout[
        :-1
    ]


def measure_entries(variant: Variant, rounds: int) -> None:
    """What a framework starts for a hook, by itself: least wall time and the median of CPU time of the foreground."""
    entries = {"true": "true", "git-cm-hook": "git-cm-hook post-commit || exit 0", "git-cm": "git-cm hook post-commit"}
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in entries}
    for _ in range(rounds):
        for name, entry in entries.items():
            variant.rest()
            started = time.perf_counter()
            with subprocess.Popen(["/bin/sh", "-c", f"{entry}; exit 0"], cwd=variant.path, env=variant.env) as done:
                _, _, usage = os.wait4(done.pid, 0)
                done.returncode = 0
            seen[name].append((time.perf_counter() - started, usage.ru_utime + usage.ru_stime))
    print(f"\n| what a hook starts, {rounds} times | least wall time | median of CPU time |\n|---|---|---|")
    for name, times in seen.items():
        wall, cpu = min(w for w, _ in times) * 1_000, statistics.median(c for _, c in times) * 1_000
        print(f"| `{name}` | {wall:.1f} ms | {cpu:.1f} ms |", flush=True)


def measure_frameworks(folder: Path, source: Path | None, bin_dir: Path, rounds: int) -> None:
    env = environment(folder, bin_dir)
    for framework in ("pre-commit", "prek"):
        base = folder / framework
        base.mkdir()
        variants = [clone(name, base, source, env, "git") for name in ("empty", "cm", "empty-repo", "cm-repo")]
        empty, ours, empty_repo, our_repo = variants
        (empty.path / ".pre-commit-config.yaml").write_text(local_hooks("'true'"))
        where, rev = hook_repository(base, env)
        (empty_repo.path / ".pre-commit-config.yaml").write_text(repo_hooks(where, rev, ("empty-one", "empty-two")))
        (our_repo.path / ".pre-commit-config.yaml").write_text(
            repo_hooks(ROOT, revision(ROOT), ("cm-stage", "cm-index"))
        )
        cm(ours, "install", "pre-commit", "--yes")
        for variant in variants:
            variant.quiet("add", "-A")
            variant.quiet("commit", "-qm", "configuration")
            types = [word for event in EVENTS for word in ("-t", event)]
            command = [str(bin_dir / framework), "install", "--install-hooks", *types]
            subprocess.run(command, cwd=variant.path, env=env, check=True, capture_output=True)
        cm(ours, "index")
        cm(our_repo, "index")
        if framework == "pre-commit":
            measure_entries(ours, rounds)
        for number, variant in turns(variants, rounds + 1):
            one_round(variant, number, whole=False)
            if number == 0:
                variant.forget()
        print(f"\n| {framework}, median of {rounds} | hooks | empty | cm | cm − empty for each hook | CPU of it |")
        print("|---|---|---|---|---|---|")
        for a, b in ((empty, ours), (empty_repo, our_repo)):
            for what in ("commit", "commit -a, captured pipes"):
                row = [f"{variant.median(what):.0f} ms" for variant in (a, b)]
                row += [more(b.times[what], a.times[what], 2), more(b.cpu[what], a.cpu[what], 2)]
                print(f"| {b.name}: `{what}` | 2 | {' | '.join(row)} |", flush=True)
        for variant in (ours, our_repo):
            if not variant.builds():
                raise SystemExit(f"{variant.name}: the hooks of {framework} built nothing")
        sys.stdout.flush()


def make_frameworks(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run([str(folder / "bin/pip"), "install", "-q", "pre-commit", "prek"], check=True)
    return folder / "bin"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--part", action="append", choices=("git", "frameworks", "rebase"))
    parser.add_argument("--git", action="append", help="one or more programs; the one of the PATH when left out")
    parser.add_argument("--repo", type=Path, help="what to clone; a small made repository when left out")
    parser.add_argument("--frameworks", type=Path)
    given = parser.parse_args()
    parts = given.part or ["git", "rebase", "frameworks"]
    print(f"{os.uname().sysname} {os.uname().machine}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        for number, git in enumerate(given.git or ["git"]):
            for part, measure in (("git", measure_git), ("rebase", measure_rebase)):
                if part in parts:
                    (folder := Path(name) / f"{part}{number}").mkdir()
                    measure(folder, given.repo, git, given.rounds)
        if "frameworks" in parts:
            (folder := Path(name) / "frameworks").mkdir()
            bin_dir = given.frameworks or make_frameworks(Path(name) / "venv")
            measure_frameworks(folder, given.repo, bin_dir, given.rounds)


if __name__ == "__main__":
    main()
