"""Write a repository of any size: `python bench/synthetic.py FOLDER FILES`, for measuring growth.

Each file declares three functions, a class and an interface, and uses what three others export, so that units,
references and edges grow with the files. Names and words are spread over as many as files, as in real code; the same
numbers give the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WORDS = (  # noqa: SIM905
    "account batch cache channel client cursor delta device event feature filter folder graph handle invoice job "
    "key ledger lease link message meter model node order packet parser patch policy queue record region report "
    "request route rule schema scope segment session shard signal source stage state stream table task ticket token "
    "trace tree trigger tuple update user value vector view window worker zone"
).split()
VERBS = """apply build check close collect create decode encode find flush load merge open parse read resolve
    send""".split()  # noqa: SIM905
FILES_IN_FOLDER = 50


def write_repository(folder: Path, files: int, *, flat: bool = False) -> None:
    """A git repository with one commit.

    Args:
        flat: all files in one folder.
    """
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    for number in range(files):
        path = folder / file_path(number, flat)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file_text(number, files, flat))
    (folder / "package.json").write_text('{"name": "synthetic", "type": "module"}\n')
    git(folder, "add", "-A")
    commit(folder, "first")


def file_path(number: int, flat: bool = False) -> str:
    name = f"{noun(number)}-{number}.ts"
    return f"src/{name}" if flat else f"src/{WORDS[number // FILES_IN_FOLDER % 61]}{number // FILES_IN_FOLDER}/{name}"


def noun(number: int) -> str:
    return WORDS[number * 7 % len(WORDS)]


def function_name(number: int, part: int) -> str:
    verb = VERBS[(number + part) % len(VERBS)]
    return f"{verb}{noun(number).title()}{WORDS[(number // 61 + part) % 61].title()}{number}"


def file_text(number: int, files: int, flat: bool) -> str:
    here = os.path.dirname(file_path(number, flat))  # noqa: PTH120
    used = sorted({(number * 31 + 1) % files, (number * 17 + 5) % files, (number + 1) % files} - {number})
    lines = []
    for other in used:
        target = os.path.relpath(file_path(other, flat), here)
        lines.append(f"import {{ {function_name(other, 0)} }} from './{target.removesuffix('.ts')}'")
    title = noun(number).title()
    lines += ["", f"export interface {title}Options{number} {{ limit: number; {noun(number + 1)}?: string }}", ""]
    for part in range(3):
        name = function_name(number, part)
        lines += [
            f"/** {VERBS[(number + part) % len(VERBS)].title()}s the {noun(number)} of a {noun(number + part + 3)}. */",
            f"export function {name}(input: {title}Options{number}, rest: string[] = []): number {{",
            f"  const {noun(number + part)}Count = rest.length + input.limit",
            f"  if ({noun(number + part)}Count > {number % 97}) {{",
            f"    throw new Error('too many {noun(number + part)}s')",
            "  }",
            *([f"  {function_name(used[part % len(used)], 0)}({{ limit: {part} }}, rest)"] if used else []),
            f"  return {noun(number + part)}Count",
            "}",
            "",
        ]
    lines += [
        f"export class {title}Store{number} {{",
        f"  load(options: {title}Options{number}) {{",
        f"    return {function_name(number, 1)}(options)",
        "  }",
        "}",
        "",
    ]
    return "\n".join(lines)


def commit(folder: Path, message: str) -> None:
    who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.com")
    git(folder, *who, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", message)


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)


if __name__ == "__main__":
    write_repository(Path(sys.argv[1]), int(sys.argv[2]), flat="--flat" in sys.argv)
