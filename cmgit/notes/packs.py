"""What is known of the notes of one tree, kept in `cm/notes/` so that a look-up reads no note.

A pack is named by git's id of the `.memory` tree that it was made from, so it can never be out of date; it is
checksummed, and whatever is shown is read from the note itself again. Anything may be deleted here at any time.

`<id>-<recipe>.heads`: a JSON line (sizes, checksum, registry of entities, what cannot be read), one status letter for
each row, the five of its id, row offsets (uint32), sorted lines `key TAB row:weight,…` (keys: anchors' URIs, `id:`,
`path:`), and one JSON line for each row. `<id>-<recipe>.words`: a JSON line, sorted lines `term TAB start:count`, then
postings (uint32). `<tree>.at`: which pack serves a commit's tree, and which notes differ from it.
"""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cmgit.core.record import record
from cmgit.notes.model import STATUSES, WEIGHTS, Anchor, Head, Unreadable
from cmgit.notes.packed import lines_from

_LETTERS = {status: status[0] for status in STATUSES}
_STATUS = {letter: status for status, letter in _LETTERS.items()}


def text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@record
class Pack:
    """Rows 0 … len-1 in path order. keys: the sorted lines. entities: text of the registry."""

    name: str
    statuses: str
    ids: str
    offsets: memoryview
    keys: bytes
    rows: bytes
    entities: str
    unreadable: tuple[Unreadable, ...]

    def __len__(self) -> int:
        return len(self.statuses)

    def ident(self, row: int) -> str:
        return self.ids[5 * row : 5 * row + 5]

    def status(self, row: int) -> str:
        return _STATUS[self.statuses[row]]

    def lines(self, prefix: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
        """Keys that begin so, with the rows that have them and the weight that each gives."""
        for line in lines_from(self.keys, text_bytes(prefix)):
            key, _, rows = line.rpartition(b"\t")
            pairs = (pair.split(b":") for pair in rows.split(b","))
            yield key.decode("utf-8", "surrogateescape"), [(int(row), WEIGHTS[int(weight)]) for row, weight in pairs]

    def rows_of(self, key: str) -> list[tuple[int, str]]:
        return next((rows for found, rows in self.lines(key + "\t") if found == key), [])

    def head(self, row: int) -> Head:
        start, end = self.offsets[row], self.offsets[row + 1]
        return head_of(self.rows[start:end])


def head_of(line: bytes) -> Head:
    path, ident, oid, summary, status, created, updated, anchors, links, problems = json.loads(line)
    return Head(
        ident, path, oid, summary, status, created, updated,
        tuple(Anchor(*anchor) for anchor in anchors), tuple(links), tuple(problems),
    )  # fmt: skip


def _line(head: Head) -> bytes:
    anchors = [[anchor.uri, anchor.weight, anchor.hash] for anchor in head.anchors]
    row = [head.path, head.id, head.oid, head.summary, head.status, head.created, head.updated, anchors]
    return json.dumps([*row, head.links, head.problems], separators=(",", ":")).encode() + b"\n"


def make_pack(name: str, heads: Iterable[Head], entities: str, unreadable: Iterable[Unreadable]) -> bytes:
    """A pack's file."""
    ordered = sorted(heads, key=lambda head: text_bytes(head.path))
    lines = [_line(head) for head in ordered]
    offsets = array("I", [0])
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    keys: dict[str, dict[int, str]] = {}
    for row, head in enumerate(ordered):
        keys.setdefault(f"id:{head.id}", {})[row] = "incidental"
        keys.setdefault(f"path:{head.path}", {})[row] = "incidental"
        for anchor in head.anchors:
            if "\n" not in anchor.uri and "\t" not in anchor.uri:
                known = keys.setdefault(anchor.uri, {})
                known[row] = min(known.get(row, anchor.weight), anchor.weight, key=WEIGHTS.index)
    index = b"".join(
        sorted(
            text_bytes(f"{key}\t{','.join(f'{row}:{WEIGHTS.index(w)}' for row, w in rows.items())}\n")
            for key, rows in keys.items()
        )
    )
    statuses = "".join(_LETTERS[head.status] for head in ordered).encode()
    content = statuses + "".join(head.id for head in ordered).encode() + offsets.tobytes() + index + b"".join(lines)
    header = {
        "name": name,
        "rows": len(ordered),
        "keys": len(index),
        "crc": zlib.crc32(content),
        "entities": entities,
        "unreadable": [[one.path, one.reason] for one in unreadable],
    }
    return json.dumps(header).encode() + b"\n" + content


def read_pack_bytes(data: bytes) -> Pack | None:
    """A pack, or None where its bytes are not those that were written."""
    header, content = _checked(data)
    if header is None:
        return None
    rows, keys = int(header["rows"]), int(header["keys"])
    start = 6 * rows
    at = start + 4 * (rows + 1)
    return Pack(
        name=header["name"],
        statuses=content[:rows].decode(),
        ids=content[rows:start].decode(),
        offsets=memoryview(content[start:at]).cast("I"),
        keys=content[at : at + keys],
        rows=content[at + keys :],
        entities=header["entities"],
        unreadable=tuple(Unreadable(path, reason) for path, reason in header["unreadable"]),
    )


def _checked(data: bytes) -> tuple[dict[str, Any] | None, bytes]:
    """Header and content of a file; None where its bytes are not those that were written."""
    try:
        end = data.index(b"\n")
        header = json.loads(data[:end])
        content = data[end + 1 :]
        if zlib.crc32(content) == header["crc"]:
            return header, content
    except (ValueError, KeyError, TypeError):
        pass
    return None, b""


@record
class Words:
    """terms: sorted lines `term TAB start:count`. postings: the rows that have each, see `pack_posting`."""

    terms: bytes
    postings: memoryview

    def lines(self, prefix: str) -> Iterator[tuple[str, memoryview]]:
        """Terms that begin so, with their postings (uint32)."""
        for line in lines_from(self.terms, text_bytes(prefix)):
            term, _, place = line.rpartition(b"\t")
            start, count = map(int, place.split(b":"))
            yield term.decode("utf-8", "surrogateescape"), self.postings[start : start + count]


def pack_posting(row: int, announced: int, body: int) -> int:
    """One note that has a term, in 32 bits: the row in 20, how often in the announcement in 4, in the body in 8."""
    return row << 12 | min(announced, 15) << 8 | min(body, 255)


MOST_ROWS = 1 << 20


def make_words(rows: Iterable[tuple[int, Mapping[str, tuple[int, int]]]]) -> bytes:
    """A words file from each row's terms."""
    terms: dict[str, array[int]] = {}
    for row, counts in rows:
        if row < MOST_ROWS:
            high = row << 12  # `pack_posting`, without a call for each of a million
            for term, (announced, body) in counts.items():
                found = terms.get(term)
                if found is None:
                    found = terms[term] = array("I")
                low = (announced if announced < 15 else 15) << 8 | (body if body < 255 else 255)
                found.append(high | low)
    lines: list[bytes] = []
    postings = array("I")
    for key, term in sorted((text_bytes(term), term) for term in terms):
        lines.append(b"%b\t%d:%d\n" % (key, len(postings), len(terms[term])))
        postings.extend(terms[term])
    index = b"".join(lines)
    content = index + postings.tobytes()
    return json.dumps({"terms": len(index), "crc": zlib.crc32(content)}).encode() + b"\n" + content


def read_words_bytes(data: bytes) -> Words | None:
    """A words file, or None where its bytes are not those that were written."""
    header, content = _checked(data)
    if header is None:
        return None
    at = int(header["terms"])
    return Words(content[:at], memoryview(content[at:]).cast("I"))
