"""Takes the README's picture anew: a real answer on the example repository, as text and as an SVG.

.venv/bin/python examples/picture.py          # write docs/retrieve.svg and the block in README.md
.venv/bin/python examples/picture.py --check  # exit 1 when they are not what the tool answers today
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

from demo_screen import shell_words
from shop_repo import EXAMPLES, build_shop_repository, hermetic_git_env

ROOT = EXAMPLES.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "retrieve.svg"
BEGIN = "<!-- picture: examples/picture.py writes this -->\n"
END = "<!-- end of picture -->\n"

COMMAND = ("retrieve", "--budget", "1300", "Give `reserve` a limit for each customer")

CHARACTER_WIDTH = 7.83
LINE_HEIGHT = 18
MARGIN = 16
COLUMNS = 112
PAPER, TEXT, TYPED, REMARK = "#15201b", "#d3ddd6", "#9ed8b1", "#8a9a91"


def colour_of(line: str, *, source: bool) -> str:
    if line.startswith("$ "):
        return TYPED
    return TEXT if source else REMARK


def svg_of(text: str) -> str:
    """A terminal with this text; source between fences is brighter than what stands around it."""
    lines = [line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…" for line in text.expandtabs(4).splitlines()]
    width = round(2 * MARGIN + CHARACTER_WIDTH * max(len(line) for line in lines))
    height = 2 * MARGIN + LINE_HEIGHT * len(lines)
    rows = []
    source = False
    for row, line in enumerate(lines):
        fence = line.startswith("```")
        source = source != fence
        colour = colour_of(line, source=source and not fence)
        if line.strip():
            y = MARGIN + 13 + LINE_HEIGHT * row
            rows.append(f'<text x="{MARGIN}" y="{y}" fill="{colour}" xml:space="preserve">{escape(line)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">\n'
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>\n' + "\n".join(rows) + "\n</svg>\n"
    )


def answer() -> str:
    """What a user would see, the command first."""
    program = Path(sys.executable).with_name("git-cm")
    with tempfile.TemporaryDirectory(prefix="cmgit-picture-") as folder:
        repository = Path(folder) / "shop"
        build_shop_repository(repository)
        done = subprocess.run(
            [str(program), *COMMAND],
            cwd=repository,
            env=hermetic_git_env(os.environ),
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=True,
        )
    return f"$ git cm {shell_words(COMMAND)}\n\n{done.stdout.rstrip()}\n"


def block_of(text: str) -> str:
    return (
        f"{BEGIN}![An answer of git cm retrieve](docs/retrieve.svg)\n\n"
        f"<details><summary>The same as text</summary>\n\n````text\n{text}````\n\n</details>\n{END}"
    )


def main() -> int:
    text = answer()
    readme = README.read_text(encoding="utf-8")
    before, _, rest = readme.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        print(f"README.md lacks the lines {BEGIN.strip()} and {END.strip()}", file=sys.stderr)
        return 1
    wanted = {README: before + block_of(text) + after, PICTURE: svg_of(text)}
    stale = [path for path, content in wanted.items() if not path.exists() or path.read_text("utf-8") != content]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the tool answers today", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
