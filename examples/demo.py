"""`make demo`: index a repository and let three prompts be answered by the three routes.

Without an argument it builds the example shop, with its history, in a temporary folder. With `--repo PATH` it uses
that repository and takes the prompts from its own code; it writes nothing but the git directory's `cm/` folder and the
user's cache, and shows at the end that git sees no difference.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from demo_prompts import EXAMPLE_PROMPTS, ROUTES, Prompt, prompts_of
from demo_screen import DemoFailed, Json, Tool, bold, heading, say, shell_words, show_shortened, show_wrapped
from shop_repo import build_shop_repository, read_history

STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=all")
NUL = b"\0"

NOTHING_FITS = {
    "direct": "This repository has no file that is short, imports nothing and declares a function.",
    "named": "This repository has no function whose name is like no other.",
    "search": "This repository has neither doc comments in plain words nor commits to take a question from.",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, metavar="PATH", help="show it on this repository, not on the example")
    arguments = parser.parse_args()
    program = Path(sys.executable).with_name("git-cm")
    if not program.exists():
        say(f"demo: {program} is missing; `make demo` installs it")
        return 1
    started = time.perf_counter()
    try:
        if arguments.repo is None:
            demo_example(program)
        else:
            demo_repository(program, arguments.repo)
    except DemoFailed as failed:
        say(f"\ndemo: {failed}")
        return 1
    except KeyboardInterrupt:
        return 130
    say()
    say(f"Done in {time.perf_counter() - started:.1f} s. On your own code: make demo REPO=path/to/repository")
    return 0


def demo_example(program: Path) -> None:
    """The whole line on a new repository. Settings of git that are the user's stay out of it."""
    with tempfile.TemporaryDirectory(prefix="cmgit-demo-") as folder:
        repository = Path(folder) / "shop"
        heading(1, "An example repository")
        build_shop_repository(repository)
        show_history(repository)
        env = git_free(os.environ) | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        tool = Tool(program, repository, env)
        before = git(repository, *STATUS)
        show_init(tool, 2)
        for number, prompt in enumerate(EXAMPLE_PROMPTS, start=3):
            value = show_prompt(tool, number, [prompt])
            if value["route"] != prompt.expected or not value["items"]:
                raise DemoFailed(f"the route {prompt.expected} did not answer")
        show_history_is_cheap(tool, 6)
        show_status(tool, 7)
        show_untouched(repository, before, 8)


def demo_repository(program: Path, path: Path) -> None:
    """The same on a repository of the user's, with their settings."""
    if not path.is_dir():
        raise DemoFailed(f"{path} is no folder")
    repository = Path(os.fsdecode(git(path, "rev-parse", "--show-toplevel")).rstrip("\n"))
    tool = Tool(program, repository, git_free(os.environ))
    heading(1, f"Your repository: {repository}")
    before = git(repository, *STATUS)
    changed = before.count(NUL)
    say(f"   Changed or untracked files: {changed}. Answers are about the files as they are now.")
    show_init(tool, 2)
    found = prompts_of(tool)
    for number, route in enumerate(ROUTES, start=3):
        if found[route]:
            show_prompt(tool, number, found[route])
        else:
            heading(number, f"A prompt for the route {route}")
            say(f"   {NOTHING_FITS[route]}")
    show_status(tool, 6)
    show_untouched(repository, before, 7)


def git_free(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without variables that point git at another repository."""
    return {name: value for name, value in environ.items() if not name.startswith("GIT_")}


def git(folder: Path, *args: str) -> bytes:
    env = git_free(os.environ) | {"GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(["git", *args], cwd=folder, env=env, capture_output=True, check=False)
    except OSError as error:
        raise DemoFailed(str(error)) from error
    if done.returncode != 0:
        raise DemoFailed(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout


def show_history(repository: Path) -> None:
    count = len(git(repository, "ls-files", "-z").split(NUL)) - 1
    say(f"   A tea shop in TypeScript, JavaScript and Vue: {count} files, {len(read_history())} commits")
    for line in git(repository, "log", "--reverse", "--format=%h %s").decode().splitlines():
        say(f"   {line}")


def show_init(tool: Tool, number: int) -> None:
    heading(number, "Build the index")
    say(bold("   $ git cm init"))
    seconds = tool.run_visibly("init")
    say(f"   took {seconds:.2f} s")


def show_prompt(tool: Tool, number: int, prompts: list[Prompt]) -> Json:
    """Ask the prompts until one is answered by the route that it is meant for; show that answer, or the last one."""
    for prompt in prompts:
        answer = tool.run("retrieve", "--json", prompt.text)
        value = answer.json()
        if value["route"] == prompt.expected:
            break
    show_context(number, prompt, value, answer.seconds)
    return value


def show_context(number: int, prompt: Prompt, value: Json, seconds: float) -> None:
    heading(number, f"The route {value['route']}")
    if value["route"] == prompt.expected:
        show_wrapped(prompt.why)
    else:
        show_wrapped(f"No prompt made from this repository took the route {prompt.expected}; this is the nearest.")
    say()
    say(bold(f"   $ git cm {shell_words(('retrieve', prompt.text))}"))
    text, items = str(value["text"]), value["items"]
    assert isinstance(items, list)
    show_shortened(text)
    roles = ", ".join(f"{item['role']} {item['qualname'] or item['path']}" for item in items[:4])
    more = f" and {len(items) - 4} more" if len(items) > 4 else ""
    say(f"   items: {roles or 'none, because nothing fits well enough'}{more}")
    say(f"   {value['bytes']:,} bytes of source, {len(text):,} characters in all, {seconds:.2f} s with the start")


def show_history_is_cheap(tool: Tool, number: int) -> None:
    """The tree of the commit before shares all blobs but a few with the last one."""
    heading(number, "Another commit costs what it changed")
    command = ("index", "--rev", "HEAD~1", "--json")
    answer = tool.run(*command)
    value = answer.json()
    blobs = value["blobs"]
    assert isinstance(blobs, dict)
    say(bold(f"   $ git cm {shell_words(command)}"))
    say(
        f"   {blobs['parsed']} blobs parsed, {blobs['reused']} reused; "
        f"{value['embedded']} vectors made, {value['vectors_reused']} reused; {answer.seconds:.2f} s"
    )


def show_status(tool: Tool, number: int) -> None:
    heading(number, "What is indexed")
    say(bold("   $ git cm status"))
    for line in tool.run("status").text.splitlines():
        say("   " + line)


def show_untouched(repository: Path, before: bytes, number: int) -> None:
    heading(number, "Git sees no difference")
    say(bold("   $ git status --porcelain"))
    after = git(repository, *STATUS)
    if after != before:
        raise DemoFailed("`git status` is not what it was before")
    say(f"   (as before; lines: {before.count(NUL)})" if before else "   (nothing, as before)")
    store = Path(os.fsdecode(git(repository, "rev-parse", "--git-common-dir")).rstrip("\n")) / "cm"
    say(f"   Everything that was written lies in {repository / store} and in your cache folder.")
    say("   That folder may be deleted at any time.")


if __name__ == "__main__":
    sys.exit(main())
