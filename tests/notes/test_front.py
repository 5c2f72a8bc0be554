"""Front matter: read in every way of writing it, and edited without touching anything else."""

# Tables of texts:
# ruff: noqa: E501
from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmgit.core.errors import CmgitError
from cmgit.notes.edit import Editor, new_text, scalar
from cmgit.notes.front import _from_yaml, _read_quickly, cut, read_front
from cmgit.notes.model import Anchor, Note, Unreadable
from cmgit.notes.parse import parse_note
from cmgit.notes.yaml_door import BadYaml, read_yaml

ORDINARY = new_text(
    {"id": "abcde", "summary": "Plain", "status": "current", "created": "2026-01-02", "updated": "2026-01-02"},
    [Anchor("file:src/a.ts", "core", "blob:" + "1" * 40), Anchor("entity:Cart", "supporting")],
    "Body with --- inside.\n",
)
WRITTEN_OTHERWISE = {
    "quoted": ORDINARY.replace("summary: Plain", "summary: 'It''s plain'  # a remark"),
    "folded": ORDINARY.replace("summary: Plain", "summary: >-\n  Plain and\n  long"),
    "literal": ORDINARY.replace("summary: Plain", "summary: |\n  Plain"),
    "flow items": ORDINARY.replace("  - uri: entity:Cart\n    weight: supporting\n", '  - {uri: "entity:Cart", weight: core}\n'),
    "flow list": ORDINARY[: ORDINARY.index("anchors:")] + "anchors: [{uri: file:src/a.ts}, {uri: entity:Cart}]\n---\nBody\n",
    "bare uris": ORDINARY[: ORDINARY.index("anchors:")] + "anchors:\n- file:src/a.ts\n- entity:Cart\n---\nBody\n",
    "unknown keys": ORDINARY.replace("status: current", "tags: [a, b]\nstatus: current\nauthor:\n  name: Ada\n"),
    "no status": ORDINARY.replace("status: current\n", ""),
    "windows": ORDINARY.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + ORDINARY,
    "no newline at the end": ORDINARY.rstrip("\n"),
    "remarks between": ORDINARY.replace("anchors:", "# why these\nanchors:").replace("  - uri: entity", "  # and\n  - uri: entity"),
    "deep list": ORDINARY.replace("\n  - ", "\n      - ").replace("\n    weight", "\n        weight").replace("\n    hash", "\n        hash"),
}  # fmt: skip


def values_of(text: str) -> tuple[dict[str, str], tuple[tuple[str, str, str], ...]]:
    front = read_front(cut(text).yaml)
    return front.values, front.anchors


@pytest.mark.parametrize("name", WRITTEN_OTHERWISE)
def test_every_edit_changes_its_own_value_and_no_other_line(name: str) -> None:
    text = WRITTEN_OTHERWISE[name]
    values, anchors = values_of(text)
    uri = anchors[0][0]

    def edited(change: str) -> str:
        editor = Editor(text)
        if change == "summary":
            editor.set_value("summary", "Other: with a colon #1")
        elif change == "status":
            editor.set_value("status", "outdated")
        elif change == "uri":
            editor.set_anchor(uri, new_uri="symbol:src/b.ts::Cart.add")
        elif change == "hash":
            editor.set_anchor("entity:Cart", digest="text:" + "0" * 32)
        elif change == "add":
            editor.add_anchor(Anchor("env:PORT", "incidental"))
        elif change == "drop":
            editor.drop_anchor("entity:Cart")
        return editor.text

    assert values_of(edited("summary")) == (values | {"summary": "Other: with a colon #1"}, anchors)
    assert values_of(edited("status")) == (values | {"status": "outdated"}, anchors)
    assert values_of(edited("uri"))[1] == (("symbol:src/b.ts::Cart.add", *anchors[0][1:]), *anchors[1:])
    assert values_of(edited("hash"))[1] == (*anchors[:1], (*anchors[1][:2], "text:" + "0" * 32))
    assert values_of(edited("add")) == (values, (*anchors, ("env:PORT", "incidental", "")))
    assert values_of(edited("drop")) == (values, anchors[:1])
    for change in ("summary", "status", "uri", "hash", "add", "drop"):
        before, after = text.splitlines(keepends=True), edited(change).splitlines(keepends=True)
        kept = [line for line in before if line in after]
        assert len(before) - len(kept) <= (3 if change in ("summary", "drop") else 1), change
        assert after[0] == before[0]
        assert after[-1] == before[-1]
        assert edited(change).count("\r\n") == (len(after) if name == "windows" else 0)


def test_a_note_that_is_edited_back_is_the_same_bytes() -> None:
    for text in WRITTEN_OTHERWISE.values():
        editor = Editor(text)
        editor.add_anchor(Anchor("env:PORT", "incidental"))
        editor.drop_anchor("env:PORT")
        assert editor.text == text


@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_that_can_be_written_reads_back(text: str) -> None:
    value = " ".join(text.split())
    try:
        front = read_yaml(f"summary: {scalar(value)}\n")
    except BadYaml:
        assert any(not character.isprintable() for character in value)
        return
    assert front.get("summary").value == value  # type: ignore[union-attr]


def test_the_quick_reader_and_yaml_agree_wherever_the_quick_one_answers() -> None:
    lines = [
        *("id: abcde", "summary: Plain text here", "summary: a: b", "summary: a #b", "summary: a#b", "summary: 'q'"),
        *('summary: "q # x: y"', "summary: x:", "summary: - y", "summary: a:b c", "status: current", "anchors:"),
        *("  - uri: file:a.ts", "    weight: core", "    hash: blob:abc", "- uri: entity:X", "  weight: critical"),
        *(
            "  more text",
            '    hash: ""',
            "",
            "# c",
            "  - uri: symbol:a.ts::B.c",
            "summary: проверка слова",
            "anchors: []",
        ),
        *("    uri: x", "summary: & x", "summary: a & [b] {c}", "summary: <x>", "summary: *x", "summary: a\tb"),
        *("summary: ~", "    hash: ~", "summary: a , b:", "summary: \u2028x", "summary: x\x85y", "summary: \ufeffx"),
    ]
    dice = random.Random(1)
    answered = 0
    for _ in range(6_000):
        tail = dice.sample(lines, dice.randint(0, 3))
        text = "\n".join(["id: abcde", dice.choice(lines), "anchors:", "  - uri: file:a.ts", *tail, ""])
        quick = _read_quickly(text)
        if quick is None:
            continue
        answered += 1
        assert _from_yaml(read_yaml(text)) == quick, text
    assert answered > 200


HOSTILE = {
    "aliases": "id: abcde\na: &a [x]\nb: [*a, *a]\n",
    "a bomb": "a: &a [lol]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)),
    "a tag": "id: !!python/object/apply:os.system ['true']\n",
    "depth": "id: " + "[" * 5_000 + "\n",
    "size": "summary: " + "x" * 100_000 + "\n",
    "many keys": "".join(f"k{n}: v\n" for n in range(5_000)),
    "a key twice": "id: abcde\nid: fghij\n",
    "control characters": "summary: a\x07b\n",
    "no mapping": "- a\n- b\n",
    "merge": "<<: {id: abcde}\n<<: {id: abcde}\n",
    "unclosed quote": 'summary: "abc\n',
    "tabs": "summary:\t\tx\n\t- y\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_front_matter_is_a_stated_reason_and_quick(name: str) -> None:
    found = parse_note(".memory/notes/abcde.md", f"---\n{HOSTILE[name]}---\nbody\n".encode(), "sha1")
    assert isinstance(found, Unreadable) or found.head.problems
    if isinstance(found, Unreadable):
        assert len(found.reason) < 300


@pytest.mark.parametrize(
    "data", [b"", b"---", b"---\n", b"--- \nid: abcde\n", b"\xff\xfe---\n", b"no front matter", b"\x00" * 99]
)
def test_what_is_no_note_says_why(data: bytes) -> None:
    assert isinstance(parse_note(".memory/notes/abcde.md", data, "sha1"), Unreadable)


def test_a_body_of_any_bytes_is_kept() -> None:
    text = ORDINARY.encode() + b"\xff\xfe\x00 bytes \r\n"
    note = parse_note(".memory/notes/abcde.md", text, "sha1")
    assert isinstance(note, Note)
    editor = Editor(text.decode("utf-8", "surrogateescape"))
    editor.set_value("status", "draft")
    assert editor.text.encode("utf-8", "surrogateescape") == text.replace(b"status: current", b"status: draft")


def test_the_last_anchor_cannot_be_dropped() -> None:
    editor = Editor(ORDINARY)
    editor.drop_anchor("entity:Cart")
    with pytest.raises(CmgitError, match="at least one anchor"):
        editor.drop_anchor("file:src/a.ts")


def test_a_file_whose_name_is_no_id_takes_it_from_its_front_matter() -> None:
    note = parse_note(".memory/notes/why-we-lock.md", ORDINARY.encode(), "sha1")
    assert isinstance(note, Note)
    assert note.head.id == "abcde"
    other = parse_note(".memory/notes/zzzzz.md", ORDINARY.encode(), "sha1")
    assert isinstance(other, Note)
    assert other.head.id == "zzzzz"
    assert "file name counts" in other.head.problems[0]


def test_front_matter_of_any_shape_is_bounded() -> None:
    """Each anchor may cost a look into the history."""
    anchors = "".join(f"  - uri: file:src/f{i}.ts\n" for i in range(2_000))
    with pytest.raises(BadYaml, match="longer than"):
        read_front(f"id: abcde\nsummary: s\nanchors:\n{anchors}")
