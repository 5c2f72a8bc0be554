"""Makes a picture of terminal output: plain text on stdin, an SVG on stdout.

    .venv/bin/git-cm retrieve '…' | .venv/bin/python docs/terminal_svg.py > docs/retrieve.svg

A line that starts with `$ ` is a command and is shown brighter; a line of the shape `### …` or `[…]` is a remark.
"""

from __future__ import annotations

import sys
from xml.sax.saxutils import escape

CHARACTER_WIDTH = 7.8
LINE_HEIGHT = 18
MARGIN = 16
COLUMNS = 112

PAPER, TEXT, COMMAND, REMARK = "#15201b", "#d3ddd6", "#9ed8b1", "#8a9a91"


def colour_of(line: str) -> str:
    if line.startswith("$ "):
        return COMMAND
    return REMARK if line.startswith(("#", "[", "```", "~~~")) else TEXT


def svg_of(text: str) -> str:
    """The whole picture. Lines beyond COLUMNS characters are cut and say so by an ellipsis."""
    lines = [line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…" for line in text.expandtabs(4).splitlines()]
    width = round(2 * MARGIN + CHARACTER_WIDTH * max((len(line) for line in lines), default=0))
    height = 2 * MARGIN + LINE_HEIGHT * len(lines)
    rows = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + 13 + LINE_HEIGHT * row}" fill="{colour_of(line)}">{escape(line)}</text>'
        for row, line in enumerate(lines)
        if line.strip()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">\n'
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>\n{rows}\n</svg>\n'
    )


if __name__ == "__main__":
    sys.stdout.write(svg_of(sys.stdin.read()))
