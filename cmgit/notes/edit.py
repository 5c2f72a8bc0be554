"""Changes to a note's text that touch nothing else: values are replaced where they stand, byte for byte.

The places come from YAML's own parser, so every way of writing a value is understood; what is written is checked by
reading it again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence as Rows

from cmgit.core.errors import CmgitError
from cmgit.notes.front import Front, cut, read_front
from cmgit.notes.model import Anchor
from cmgit.notes.yaml_door import BadYaml, Mapping, Node, Scalar, Sequence, read_yaml

_PLAIN = re.compile(r"[\w/.$(<+^][^\r\n\t]*")
_OTHER_TYPE = re.compile(
    r"[-+.0-9][-+.0-9_:eExXobaA-Fa-f]*|true|false|yes|no|on|off|null|\.inf|\.nan|[yn]", re.IGNORECASE
)
_FLOW_SIGNS = re.compile(r"[\[\]{},]")
ORDER = ("id", "summary", "status", "created", "updated", "anchors")


def scalar(value: str, *, flow: bool = False) -> str:
    """A value as YAML, without quotes where every reader takes it for the same text."""
    plain = (
        _PLAIN.fullmatch(value)
        and not value.endswith((" ", ":"))
        and ": " not in value
        and " #" not in value
        and not _OTHER_TYPE.fullmatch(value)
        and not (flow and _FLOW_SIGNS.search(value))
    )
    return value if plain else json.dumps(value, ensure_ascii=False)


def stamp(value: str) -> str:
    """A date as YAML: the one kind of value that is meant to be read as more than text."""
    return value if re.fullmatch(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?", value) else scalar(value)


def new_text(values: dict[str, str], anchors: Rows[Anchor], body: str) -> str:
    """The file of a new note."""
    lines = ["---"]
    lines += [
        f"{key}: {stamp(values[key]) if key in ('created', 'updated') else scalar(values[key])}"
        for key in ORDER
        if key in values
    ]
    lines.append("anchors:")
    for anchor in anchors:
        lines += _item_lines(anchor, "  ")
    text = body.strip("\n")
    return "\n".join([*lines, "---", *(["", text] if text else []), ""])


def _item_lines(anchor: Anchor, indent: str) -> list[str]:
    lines = [f"{indent}- uri: {scalar(anchor.uri)}", f"{indent}  weight: {scalar(anchor.weight)}"]
    return [*lines, f"{indent}  hash: {scalar(anchor.hash)}"] if anchor.hash else lines


class Editor:
    """One note's text in the making. Each method leaves a text that reads back as what was asked for.

    Raises (all methods):
        CmgitError: the front matter cannot be read, or is written in a way that cannot be changed safely.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        _ = self.front  # it must be readable

    def _parts(self) -> tuple[Mapping, int, int]:
        """The front matter's nodes, and where it begins and ends in the text."""
        try:
            parts = cut(self.text)
            return read_yaml(parts.yaml), parts.start, parts.end
        except BadYaml as error:
            raise CmgitError(f"the note cannot be edited: {error}", "mend its front matter by hand first") from error

    @property
    def front(self) -> Front:
        try:
            return read_front(cut(self.text).yaml)
        except BadYaml as error:
            raise CmgitError(f"the note cannot be edited: {error}", "mend its front matter by hand first") from error

    @property
    def newline(self) -> str:
        return cut(self.text).newline

    def set_value(self, key: str, value: str) -> None:
        """One of the front matter's own values."""
        root, start, _ = self._parts()
        text = stamp(value) if key in ("created", "updated") else scalar(value, flow=root.flow)
        node = root.get(key)
        if isinstance(node, Scalar):
            self._replace(start, node, text)
        elif node is not None:
            raise CmgitError(f"{key} is no plain text in this note", "change it by hand")
        elif root.flow:
            raise CmgitError(f"this note has no {key}, and its front matter is on one line", "add it by hand")
        else:
            after = [value for name, value in root.pairs if name.value in ORDER[: ORDER.index(key)]]
            self._insert_line(self._line_after(start + after[-1].end) if after else start, f"{key}: {text}")
        if self.front.values.get(key) != value:
            raise CmgitError(f"{key} cannot be written safely here", "change it by hand")

    def set_body(self, body: str) -> None:
        """Everything below the front matter; its line ends become the file's."""
        at = cut(self.text).body
        text = body.replace("\r\n", "\n").strip("\n")
        kept = self.newline
        head = self.text[:at] if self.text[:at].endswith("\n") else self.text[:at] + kept
        self.text = head + (kept + text.replace("\n", kept) + kept if text else "")

    def append(self, addition: str) -> None:
        """A paragraph at the end; what stands before it stays as it is."""
        kept = self.newline
        text = addition.replace("\r\n", "\n").strip("\n").replace("\n", kept)
        between = "" if self.text.endswith("\n") else kept
        self.text += f"{between}{kept}{text}{kept}"

    def set_anchor(
        self, uri: str, *, new_uri: str | None = None, weight: str | None = None, digest: str | None = None
    ) -> None:
        """Values of the anchor that has this URI; None leaves one as it is."""
        wanted = {"uri": new_uri, "weight": weight, "hash": digest}
        for key in ("hash", "weight", "uri"):  # the URI last: it is how the anchor is found
            value = wanted[key]
            if value is not None:
                self._set_in_anchor(uri, key, value)

    def _set_in_anchor(self, uri: str, key: str, value: str) -> None:
        _, item, start = self._find(uri)
        if isinstance(item, Scalar):  # a bare URI in the list
            weighted = "" if key == "uri" else f", {key}: {scalar(value, flow=True)}"
            self._replace(start, item, f"{{uri: {scalar(uri, flow=True)}{weighted}}}" if weighted else scalar(value))
            return
        assert isinstance(item, Mapping)
        node = item.get(key)
        text = scalar(value, flow=item.flow)
        if isinstance(node, Scalar):
            self._replace(start, node, text)
        elif item.flow:
            last = item.pairs[-1][1]
            self.text = f"{self.text[: start + last.end]}, {key}: {text}{self.text[start + last.end :]}"
        else:
            first = start + item.pairs[0][0].start
            column = first - (self.text.rfind("\n", 0, first) + 1)
            at = self._line_after(start + item.pairs[-1][1].end)
            self._insert_line(at, " " * column + f"{key}: {text}")

    def add_anchor(self, anchor: Anchor) -> None:
        """One more anchor, behind the others and written like them."""
        root, start, end = self._parts()
        listed = root.get("anchors")
        if isinstance(listed, Sequence) and listed.items and not listed.flow:
            last = listed.items[-1]
            first = start + _first(last)
            line = self.text.rfind("\n", 0, first) + 1
            indent = " " * (len(self.text[line:first]) - len(self.text[line:first].lstrip(" ")))
            at = self._line_after(start + _last(last))
        elif isinstance(listed, Sequence) and listed.flow:
            inner = [f"uri: {scalar(anchor.uri, flow=True)}", f"weight: {anchor.weight}"]
            inner += [f"hash: {scalar(anchor.hash, flow=True)}"] if anchor.hash else []
            at = start + listed.end - 1
            comma = ", " if listed.items else ""
            self.text = f"{self.text[:at].rstrip(' ')}{comma}{{{', '.join(inner)}}}{self.text[at:]}"
            return self._must_have(anchor)
        elif isinstance(listed, Scalar) and listed.value in ("", "~", "null"):
            self.text = self.text[: start + listed.start].rstrip(" ") + self.text[start + listed.end :]
            indent, at = "  ", self._line_after(start + listed.start)
        elif listed is None and not root.flow:
            indent, at = "  ", self._insert_line(end, "anchors:")
        else:
            raise CmgitError("this note's anchors are no list", "mend its front matter by hand first")
        for text in _item_lines(anchor, indent):
            at = self._insert_line(at, text)
        return self._must_have(anchor)

    def drop_anchor(self, uri: str) -> None:
        listed, item, start = self._find(uri)
        if len(listed.items) == 1:
            raise CmgitError("a note has at least one anchor", "add another one first, or delete the note")
        number = listed.items.index(item)
        if listed.flow:
            low = listed.items[number - 1].end if number else item.start
            high = item.end if number else listed.items[1].start
            self.text = self.text[: start + low] + self.text[start + high :]
            return
        low = self.text.rfind("\n", 0, start + _first(item)) + 1
        self.text = self.text[:low] + self.text[self._line_after(start + _last(item)) :]

    def _find(self, uri: str) -> tuple[Sequence, Node, int]:
        root, start, _ = self._parts()
        listed = root.get("anchors")
        if isinstance(listed, Sequence):
            for item in listed.items:
                node = item.get("uri") if isinstance(item, Mapping) else item
                if isinstance(node, Scalar) and node.value == uri:
                    return listed, item, start
        raise CmgitError(f"this note has no anchor {uri}")

    def _must_have(self, anchor: Anchor) -> None:
        if (anchor.uri, anchor.weight, anchor.hash) not in self.front.anchors:
            raise CmgitError(f"the anchor {anchor.uri} cannot be written safely here", "add it by hand")

    def _replace(self, start: int, node: Scalar, text: str) -> None:
        if node.block:
            text += self.newline
        elif node.start == node.end:
            text = " " + text
        self.text = self.text[: start + node.start] + text + self.text[start + node.end :]

    def _line_after(self, at: int) -> int:
        """Where the line behind the one that holds the character before `at` begins."""
        if at and self.text[at - 1] == "\n":
            return at
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found + 1

    def _insert_line(self, at: int, line: str) -> int:
        """Where the next line begins."""
        whole = line + self.newline
        self.text = self.text[:at] + whole + self.text[at:]
        return at + len(whole)


def _first(node: Node) -> int:
    return node.pairs[0][0].start if isinstance(node, Mapping) and not node.flow else node.start


def _last(node: Node) -> int:
    """The end of what is written; the end of a block collection is where the next thing begins."""
    if isinstance(node, Mapping) and not node.flow:
        return _last(node.pairs[-1][1])
    if isinstance(node, Sequence) and not node.flow:
        return _last(node.items[-1])
    return node.end
