"""JSON settings edited in place and restored to the byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmgit.agents import jsonc

ITEM = {"hooks": [{"type": "command", "command": "cm-hook claude"}]}

TEXTS = {
    "an empty object": "{}",
    "a space in it": "{ }\n",
    "a line in it": "{\n}\n",
    "one line": '{"a": 1, "b": [1, 2]}\n',
    "no spaces": '{"a":1,"b":[1,2]}',
    "two spaces": '{\n  "a": 1,\n  "b": {\n    "c": []\n  }\n}\n',
    "tabs": '{\n\t"a": 1\n}\n',
    "no line break at the end": '{\n    "a": 1\n}',
    "CRLF": '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n',
    "trailing commas": '{\n  "a": [1, 2,],\n  "b": 2,\n}\n',
    "comments": '// top\n{\n  // one\n  "a": 1, // two\n  /* three */ "b": 2 // four\n  // five\n}\n// six\n',
    "a comment alone": "{\n  // nothing yet\n}\n",
    "a byte order mark": '\ufeff{"a": 1}',
    "slashes in strings": '{\n  "url": "https://x/*y*/", "b": "// \\" no comment"\n}\n',
    "a comment after one line": '{"a": 1 // one\n}\n',
    "two in a line": '{\n  "a": 1, "b": 2\n}\n',
    "hooks that are empty": '{\n  "hooks": {}\n}\n',
    "an event that is empty": '{"hooks": {"E": []}}\n',
    "hooks of others": '{\n  "hooks": {\n    "E": [\n      {"hooks": [{"command": "x"}]}\n    ]\n  },\n  "z": 0\n}\n',
    "hooks of others with commas": '{\n "hooks": {\n  "E": [\n   {"x": 1},\n  ], // c\n },\n}\n',
    "hooks of others in a line": '{"hooks": {"E": [{"x": 1}], "F": []}}',
}


def is_ours(value: object) -> bool:
    return value == ITEM


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_added_is_there_and_comes_away_to_the_byte(name: str) -> None:
    text = TEXTS[name]
    added = jsonc.add(text, ("hooks", "E"), ITEM, item=True)
    twice = jsonc.add(added, ("hooks", "G"), ITEM, item=True)
    value = jsonc.parse(twice).value
    assert isinstance(value, dict)
    assert value["hooks"]["E"][-1] == value["hooks"]["G"][-1] == ITEM
    before = jsonc.parse(text).value
    assert isinstance(before, dict)
    assert {key: value[key] for key in before if key != "hooks"} == {k: v for k, v in before.items() if k != "hooks"}
    once = jsonc.remove(twice, ("hooks", "G"), is_ours)
    assert once == added
    assert jsonc.remove(added, ("hooks", "E"), is_ours) == text


@pytest.mark.parametrize("name", TEXTS)
def test_a_member_comes_away_to_the_byte(name: str) -> None:
    text = TEXTS[name]
    added = jsonc.add(text, ("servers", "cmgit"), {"command": "git-cm", "args": ["mcp"]})
    assert jsonc.remove(added, ("servers", "cmgit")) == text


PLAIN = [name for name in TEXTS if not any(word in name for word in ("comma", "comment", "mark"))]


@pytest.mark.parametrize("name", PLAIN)
def test_plain_json_stays_plain(name: str) -> None:
    json.loads(TEXTS[name])
    json.loads(jsonc.add(TEXTS[name], ("hooks", "E"), ITEM, item=True))


def test_what_a_person_changed_meanwhile_stays() -> None:
    added = jsonc.add('{\n  "a": 1\n}\n', ("hooks", "E"), ITEM, item=True)
    changed = added.replace('"a": 1,', '"a": 2, // mine').replace("\n}\n", ',\n  "b": 3\n}\n')
    assert jsonc.parse(changed).value == {"a": 2, "hooks": {"E": [ITEM]}, "b": 3}
    assert jsonc.remove(changed, ("hooks", "E"), is_ours) == '{\n  "a": 2, // mine\n  "b": 3\n}\n'


def test_a_file_of_ours_alone_is_nothing_without_us() -> None:
    text = jsonc.new_text({"hooks": {"E": [ITEM]}})
    assert jsonc.remove(text, ("hooks", "E"), is_ours) is None
    assert jsonc.remove(text.replace("{\n", '{\n  "mine": 1,\n', 1), ("hooks", "E"), is_ours) == '{\n  "mine": 1\n}\n'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1, column 1"), ("{", "line 1, column 2"), ('{"a": 1', "line 1"), ('{\n  "a" 1}', "line 2, column 7"),
        ('{"a": 1 "b": 2}', "a comma or }"), ("{a: 1}", "a key is missing"), ("[1, 2}", "a comma or ]"),
        ('{"a": tru}', "no value"), ('{"a": 1} x', "after the end"), ("{,}", "a key is missing"),
        ('{"a": "x\ny"}', "no value"), ("[" * 500, "too deep"),
        ('{"a": 01}', "a comma"), ("{'a': 1}", "a key"), ('{"a": ' + "1" * 5000 + "}", "digits"),
        ('{"a": 1,, "b": 2}', "a key"),
    ],
)  # fmt: skip
def test_what_is_broken_is_refused_with_the_place(text: str, where: str) -> None:
    with pytest.raises(jsonc.Broken, match=where):
        jsonc.add(text, ("hooks", "E"), ITEM, item=True)


@pytest.mark.parametrize(
    "text", ['{"hooks": []}', '{"hooks": "x"}', '{"hooks": {"E": {}}}', "[]", '"x"', '{"hooks": {}, "hooks": {}}']
)
def test_what_stands_in_the_way_is_refused(text: str) -> None:
    with pytest.raises(jsonc.Unfit):
        jsonc.add(text, ("hooks", "E"), ITEM, item=True)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(
    document=st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), values, max_size=5),
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    crlf=st.booleans(),
    ascii_only=st.booleans(),
)
def test_any_json_is_read_as_it_is_and_restored(
    document: dict[str, object], indent: int | str | None, crlf: bool, ascii_only: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    text = text.replace("\n", "\r\n") if crlf else text
    assert jsonc.parse(text).value == document
    added = jsonc.add(text, ("hooks", "E"), ITEM, item=True)
    assert json.loads(added) == {**document, "hooks": {"E": [ITEM]}}
    assert jsonc.remove(added, ("hooks", "E"), is_ours) == text
