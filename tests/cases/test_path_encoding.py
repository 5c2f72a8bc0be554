"""Public reports about names, bytes and line ends: each with the value that is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo

ODD_NAMES = [
    "док/файл.ts",
    "测试/索引.tsx",
    "tab\there.js",
    "new\nline.js",
    'quo"te.js',
    "-dash.js",
    "[id].tsx",
    ":(glob)x.js",
    "back\\slash.js",
    " spaces both .ts",
]


def odd(number: int) -> str:
    return f"export function unit{number}() {{\n  return {number}\n}}\n"


def unit_text(repo: GitRepo, unit: dict[str, object]) -> str:
    data = (repo.path / str(unit["path"])).read_bytes()
    return data[int(str(unit["start_byte"])) : int(str(unit["end_byte"]))].decode()


def object_count(repo: GitRepo) -> bytes:
    return repo.git("count-objects", "-v")


def test_odd_names_are_seen_when_they_change_and_when_they_are_new(repo: GitRepo, cm: Cm) -> None:
    """Aider-AI/aider#82: names that git quotes were "not found"."""
    repo.commit({name: odd(i) for i, name in enumerate(ODD_NAMES)})
    cm(repo.path, "index", "--no-vectors").ok()
    repo.write({name: "// moved\n" + odd(i) for i, name in enumerate(ODD_NAMES)})
    repo.write({"new\tfolder/é.ts": odd(99)})
    units = {unit["name"]: unit for unit in cm(repo.path, "export", "--units").lines}
    for i, name in enumerate(ODD_NAMES):
        assert (units[f"unit{i}"]["path"], units[f"unit{i}"]["start_line"]) == (name, 2)
        assert unit_text(repo, units[f"unit{i}"]) == odd(i).rstrip("\n")
    assert units["unit99"]["path"] == "new\tfolder/é.ts"
    assert cm(repo.path, "status", "--json").json["dirty"] == len(ODD_NAMES) + 1
    for i, name in enumerate(ODD_NAMES):
        assert cm(repo.path, "retrieve", "--json", "--no-vectors", f"change `unit{i}`").json["items"][0]["path"] == name


def test_the_symbols_of_an_odd_name_are_listed(repo: GitRepo, cm: Cm) -> None:
    """Aider-AI/aider#82, as an argument of a command."""
    repo.write({name: odd(i) for i, name in enumerate(ODD_NAMES)})
    for i, name in enumerate(ODD_NAMES):
        listed = cm(repo.path, "symbols", "--json", "--", name).json
        assert [row["name"] for row in listed["symbols"] if row["kind"] == "function"] == [f"unit{i}"]


@pytest.mark.parametrize("name", ["док/файл.ts", "app/[id]/(x)/page.tsx", "-dash.js", "src/+a$b.ts"])
def test_a_prompt_may_name_a_file_in_any_script(name: str, repo: GitRepo, cm: Cm) -> None:
    """Aider-AI/aider#82: what is named in the prompt is what is shown."""
    repo.commit({name: odd(1), "other.ts": odd(2)})
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", f"Please tidy `{name}`").json
    assert context["items"][0]["path"] == name


def test_line_ends_and_a_filter_leave_a_clean_tree_clean(repo: GitRepo, cm: Cm) -> None:
    """isomorphic-git/isomorphic-git#2395: a file that nobody touched looked modified for ever."""
    repo.git("config", "filter.stamp.clean", "sed -e '/^.. stamped$/d'")
    repo.git("config", "filter.stamp.smudge", "echo '// stamped'; cat")
    files = {".gitattributes": "*.ts text eol=crlf\n*.x.js filter=stamp\n", "a.ts": odd(1), "b.x.js": odd(2)}
    repo.commit(files | {"c.js": odd(3)})
    for name in ("a.ts", "b.x.js"):
        (repo.path / name).unlink()
    repo.git("checkout", "--", ".")
    assert (repo.path / "b.x.js").read_text().startswith("// stamped\n")
    assert b"\r\n" in (repo.path / "a.ts").read_bytes()
    assert repo.git("status", "--porcelain") == b""
    objects = object_count(repo)
    cm(repo.path, "index", "--no-vectors").ok()
    again = cm(repo.path, "index", "--no-vectors", "--json").json
    assert again["blobs"]["parsed"] == 0
    assert cm(repo.path, "status", "--json").json["dirty"] == 0
    units = {unit["name"]: unit for unit in cm(repo.path, "export", "--units").lines}
    assert units["unit2"]["start_line"] == 2
    for i, end in ((1, "\r\n"), (2, "\n"), (3, "\n")):
        assert unit_text(repo, units[f"unit{i}"]) == odd(i).rstrip("\n").replace("\n", end)
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", "change `unit2`").json
    assert context["dirty"] == 0
    assert all(unit_text(repo, item) in context["text"] for item in context["items"])
    assert object_count(repo) == objects


def test_mixed_line_ends_give_the_lines_of_an_editor(repo: GitRepo, cm: Cm) -> None:
    """isomorphic-git/isomorphic-git#2395: CRLF, lone CR and LF in one file."""
    repo.commit({"mixed.js": b"const a = 1;\r\nconst b = 2;\rfunction third() {\n}\r\n\rfunction sixth() {}"})
    lines = {unit["name"]: unit["start_line"] for unit in cm(repo.path, "export", "--units").lines}
    assert (lines["third"], lines["sixth"]) == (3, 6)


@pytest.mark.parametrize("head", ["", "#!/usr/bin/env node\n"], ids=["function first", "shebang first"])
def test_a_byte_order_mark_costs_no_unit_and_is_not_shown(head: str, repo: GitRepo, cm: Cm) -> None:
    """tree-sitter/tree-sitter-python#48: an error at the first token."""
    repo.commit({"bom.js": "\ufeff" + head + odd(1), "plain.js": head + odd(2)})
    units = {unit["name"]: unit for unit in cm(repo.path, "export", "--units").lines}
    assert unit_text(repo, units["unit1"]) == odd(1).rstrip("\n")
    assert units["unit1"]["start_line"] == units["unit2"]["start_line"] == 1 + bool(head)
    for prompt in ("change `unit1`", "tidy bom.js"):
        shown = cm(repo.path, "retrieve", "--no-vectors", prompt).ok().out
        assert "function unit1" in shown
        assert "\ufeff" not in shown


def test_utf16_is_read_or_named_with_its_reason(repo: GitRepo, cm: Cm) -> None:
    """tree-sitter/tree-sitter-python#48: never indexed as nothing without a word."""
    repo.commit({"wide.js": odd(1).encode("utf-16"), "a.js": odd(2)})
    cm(repo.path, "index", "--no-vectors").ok()
    skipped = {row["path"]: row["reason"] for row in cm(repo.path, "status", "--json").json["skipped"]}
    found = "unit1" in {unit["name"] for unit in cm(repo.path, "export", "--units").lines}
    assert found or skipped["wide.js"] == "binary"


OUTSIDE = "export function outsideSecret() {\n  return 42\n}\n"
QUESTIONS = (
    ("export", "--units"),
    ("search", "--no-vectors", "outside secret"),
    ("retrieve", "--no-vectors", "outsideSecret in evil.js, dir/evil.js and self/self/a.js"),
    ("retrieve", "--no-vectors", "tidy dir/evil.js"),
    ("symbols", "dir/evil.js"),
)


def no_outside_byte(repo: GitRepo, cm: Cm) -> None:
    for args in QUESTIONS:
        answer = cm(repo.path, *args)
        assert answer.code in (0, 1)
        assert "return 42" not in answer.out
        assert "Traceback" not in answer.err
    assert {unit["path"] for unit in cm(repo.path, "export", "--units").lines} == {"a.js"}


@pytest.mark.parametrize("tracked", [True, False], ids=["tracked", "untracked"])
def test_links_of_any_kind_lead_nowhere(tracked: bool, repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    """DeusData/codebase-memory-mcp#51: the outside file was shown to the agent."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/evil.js").write_text(OUTSIDE)
    repo.commit({"a.js": odd(1)})
    (repo.path / "evil.js").symlink_to(tmp_path / "out/evil.js")
    (repo.path / "loop.js").symlink_to("loop.js")
    (repo.path / "self").symlink_to(".")
    (repo.path / "dir").symlink_to(tmp_path / "out")
    if tracked:
        repo.commit()
        cm(repo.path, "index", "--no-vectors").ok()
    no_outside_byte(repo, cm)


def test_a_folder_that_becomes_a_link_after_indexing_is_not_read_through(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    """DeusData/codebase-memory-mcp#51: every parent counts, at the moment of reading."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/evil.js").write_text(OUTSIDE)
    repo.commit({"a.js": odd(1), "dir/evil.js": "export function inner() {}\n"})
    cm(repo.path, "index", "--no-vectors").ok()
    (repo.path / "dir/evil.js").unlink()
    (repo.path / "dir").rmdir()
    (repo.path / "dir").symlink_to(tmp_path / "out")
    no_outside_byte(repo, cm)


def test_a_file_that_becomes_a_link_after_indexing_is_not_read_through(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    """DeusData/codebase-memory-mcp#51: a real file swapped for a link."""
    (tmp_path / "evil.js").write_text(OUTSIDE)
    repo.commit({"a.js": odd(1), "evil.js": "export function inner() {}\n"})
    cm(repo.path, "index", "--no-vectors").ok()
    (repo.path / "evil.js").unlink()
    (repo.path / "evil.js").symlink_to(tmp_path / "evil.js")
    no_outside_byte(repo, cm)
    assert cm(repo.path, "retrieve", "--json", "--no-vectors", "change `inner`").json["items"] == []


def test_gitlinks_are_named_and_never_opened(repo: GitRepo, cm: Cm, tmp_path: Path) -> None:
    """colbymchenry/codegraph#1038: nested code was missing and nothing said so."""
    inner = GitRepo(tmp_path / "inner")
    inner.commit({"inner.js": "export function innerCode() {}\n"})
    repo.commit({"a.js": odd(1)})
    for name in ("ready", "empty"):
        repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), name)
    nested = GitRepo(repo.path / "nested")
    nested.commit({"nested.js": "export function nestedCode() {}\n"})
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "nested")
    repo.commit()
    repo.git("submodule", "--quiet", "deinit", "empty")
    cm(repo.path, "index", "--no-vectors").ok()
    status = cm(repo.path, "status", "--json").json
    reasons = {row["path"]: row["reason"] for row in status["skipped"]}
    assert reasons == {"empty": "gitlink", "nested": "gitlink", "ready": "gitlink"}
    repo.write({"nested/nested.js": "export function changed() {}\n", "ready/new.js": "export const x = 1\n"})
    assert {unit["path"] for unit in cm(repo.path, "export", "--units").lines} == {"a.js"}
    assert cm(repo.path, "status", "--json").json["dirty"] == 0
    assert "function unit1" in cm(repo.path, "retrieve", "--no-vectors", "change `unit1` and nested/nested.js").ok().out


def test_one_long_line_hides_nothing_around_it(repo: GitRepo, cm: Cm) -> None:
    """dean0x/skim#395: a whole module was dropped as minified."""
    functions = "".join(f"export function plain{i}() {{ return {i} }}\n" for i in range(28))
    repo.commit({"a.js": functions + 'export const data = "' + "QUJD" * 500 + '"\n', "bundle.js": "f(1);" * 30_000})
    cm(repo.path, "index", "--no-vectors").ok()
    status = cm(repo.path, "status", "--json").json
    assert status["skipped"] == [{"path": "bundle.js", "reason": "minified"}]
    names = {unit["name"] for unit in cm(repo.path, "export", "--units").lines}
    assert {"plain0", "plain27", "data"} <= names
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", "change `plain27`").json
    assert "function plain27()" in context["text"]
    assert len(cm(repo.path, "retrieve", "--no-vectors", "change `data` in a.js").ok().out) <= 9_000


def test_a_skipped_or_empty_file_holds_nothing_that_can_be_found(repo: GitRepo, cm: Cm) -> None:
    """sourcegraph/sourcegraph-public-snapshot#15581: the reason was stored as the content."""
    repo.commit({"data.js": b"var x = 1\0", "empty.ts": "", "space.ts": " \n", "one.js": "x", "a.js": odd(1)})
    for query in ("binary content", "binary", "skipped empty file", "minified"):
        assert cm(repo.path, "search", "--json", "--no-vectors", query).json["results"] == []
        context = cm(repo.path, "retrieve", "--json", "--no-vectors", query).json
        assert (context["items"], context["bytes"]) == ([], 0)
    for name in ("empty.ts", "data.js", "space.ts"):
        assert cm(repo.path, "symbols", "--json", name).json["symbols"] == []
        assert cm(repo.path, "retrieve", "--json", "--no-vectors", f"tidy {name}").code == 0
