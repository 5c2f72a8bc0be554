"""The front matter of a note: found, and read into plain text.

Notes in the shape that this program writes are read by a few patterns, 5,000 of them in a tenth of a second; every
other shape goes through YAML, with the same result (a test holds the two together).
"""

from __future__ import annotations

import re

from cmgit.core.record import record
from cmgit.notes.yaml_door import LONGEST, BadYaml, Mapping, Node, Scalar, Sequence, read_yaml

BOM = "\ufeff"
_OPEN = re.compile(r"---[ \t]*\r?\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)

# A plain scalar that means itself in YAML, or a quoted one without escapes.
_VALUE = r"""(?:"(?P<{0}q>[^"\\\r\n]*)"|(?P<{0}p>[\w/.$(<+^][^#:]*(?:(?::(?!\s)|(?<! )#)[^#:]*)*))"""
# Characters that YAML refuses, or takes for the end of a line, or that need its rules for blanks.
_ODD = re.compile("[^\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)")
_TOP = re.compile(rf"(?P<key>[a-z]+): {_VALUE.format('t')}[ ]*")
_ITEM = re.compile(rf"(?P<dash>[ ]*- |[ ]+)(?P<key>uri|weight|hash): {_VALUE.format('i')}[ ]*")
_TOP_KEYS = ("id", "summary", "status", "created", "updated")
_ANCHOR_KEYS = ("uri", "weight", "hash")


@record
class Parts:
    """A note's text cut in three: start, end of the YAML, and where the body begins. newline: as the file has it."""

    text: str
    start: int
    end: int
    body: int

    @property
    def yaml(self) -> str:
        return self.text[self.start : self.end]

    @property
    def newline(self) -> str:
        return "\r\n" if self.text[: self.start].endswith("\r\n") else "\n"


@record
class Front:
    """Values as they were written, "" where there is none. anchors: uri, weight, hash of each."""

    values: dict[str, str]
    anchors: tuple[tuple[str, str, str], ...]
    problems: tuple[str, ...] = ()


def cut(text: str) -> Parts:
    """Find the front matter.

    Raises:
        BadYaml: there is none, or it does not end.
    """
    at = len(BOM) if text.startswith(BOM) else 0
    opening = _OPEN.match(text, at)
    if opening is None:
        raise BadYaml("no front matter: the first line is not `---`")
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        raise BadYaml("the front matter does not end: no second `---`")
    return Parts(text, opening.end(), closing.start(), closing.end())


def read_front(yaml: str) -> Front:
    """The front matter's values.

    Raises:
        BadYaml: it cannot be read, or is longer than any note needs: each anchor may cost a look into the history.
    """
    if len(yaml) > LONGEST:
        raise BadYaml(f"the front matter is longer than {LONGEST} characters")
    return _read_quickly(yaml) or _from_yaml(read_yaml(yaml))


def _value(match: re.Match[str], prefix: str) -> str | None:
    """The text of a scalar; None for what YAML might take for something else."""
    quoted = match[prefix + "q"]
    if quoted is not None:
        return quoted
    plain = match[prefix + "p"].rstrip(" ")
    return None if not plain or plain.endswith(":") else plain


def _read_quickly(yaml: str) -> Front | None:
    """The ordinary shape, else None."""
    if _ODD.search(yaml):
        return None
    values: dict[str, str] = {}
    anchors: list[dict[str, str]] = []
    indent: int | None = None
    within = False
    for line in yaml.splitlines():
        if within and line.startswith((" ", "-")):
            item = _ITEM.fullmatch(line)
            if item is None:
                return None
            dash, key, value = item["dash"], item["key"], _value(item, "i")
            if dash.endswith("- "):
                if indent is not None and len(dash) != indent:
                    return None
                indent = len(dash)
                anchors.append({})
            if value is None or len(dash) != indent or not anchors or key in anchors[-1]:
                return None
            anchors[-1][key] = value
            continue
        if line.rstrip(" \t") == "anchors:" and "anchors" not in values:
            within, values["anchors"] = True, ""
            continue
        within = False
        top = _TOP.fullmatch(line)
        value = _value(top, "t") if top is not None else None
        if top is None or value is None or top["key"] not in _TOP_KEYS or top["key"] in values:
            return None
        values[top["key"]] = value
    if "anchors" in values and not anchors:
        return None
    values.pop("anchors", None)
    return _front(values, anchors, [])


def _from_yaml(root: Mapping) -> Front:
    values: dict[str, str] = {}
    problems: list[str] = []
    for key in _TOP_KEYS:
        node = root.get(key)
        if isinstance(node, Scalar):
            values[key] = node.value
        elif node is not None:
            problems.append(f"{key} is no text")
    found: list[dict[str, str]] = []
    listed = root.get("anchors")
    if isinstance(listed, Sequence):
        for number, item in enumerate(listed.items, 1):
            read = _anchor(item)
            if read is None:
                problems.append(f"anchor {number} has no uri")
            else:
                found.append(read)
    elif listed is not None and not (isinstance(listed, Scalar) and listed.value in ("", "~", "null")):
        problems.append("anchors is no list")
    return _front(values, found, problems)


def _anchor(item: Node) -> dict[str, str] | None:
    """An anchor written as a mapping, or as its bare URI."""
    if isinstance(item, Scalar):
        return {"uri": item.value} if item.value else None
    if not isinstance(item, Mapping):
        return None
    found = {key: value.value for key in _ANCHOR_KEYS if isinstance(value := item.get(key), Scalar)}
    return found if found.get("uri") else None


def _front(values: dict[str, str], anchors: list[dict[str, str]], problems: list[str]) -> Front:
    rows = tuple((a.get("uri", ""), _null(a.get("weight", "")), _null(a.get("hash", ""))) for a in anchors)
    if any(not uri for uri, _, _ in rows):
        problems.append("an anchor has no uri")
    return Front(values, tuple(row for row in rows if row[0]), tuple(problems))


def _null(value: str) -> str:
    return "" if value in ("~", "null") else value
