"""One repository with everything that has hung, crashed or silently emptied an indexer; all others stay whole."""

from __future__ import annotations

from time import perf_counter

from tests.conftest import Cm, GitRepo

GOOD = "export function good() {\n  return 1\n}\n"
DEEP = "export const deep = " + "[" * 5_000 + "]" * 5_000 + "\nexport function afterDeep() {}\n"
DEEP_CALLS = "export function nested() { return " + "f(" * 5_000 + "1" + ")" * 5_000 + " }\n"
BUNDLE = "var a=function(b,c){return b+c};" * 250_000
CONFLICT = (
    "export function before() {}\n<<<<<<< HEAD\nconst rate = 1\n=======\nconst rate = 2\n>>>>>>> other\n"
    "export function after() {}\n"
)
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 12345\n"

FILES: dict[str, str | bytes] = {
    "good.ts": GOOD,
    "hang.tsx": "export function Ok() { return <a/> }\nconst broken = () => <p {{q:>r:s(t u)",
    "deep.js": DEEP,
    "calls.js": DEEP_CALLS,
    "bundle.js": BUNDLE,
    "nul.js": b"export function hidden() {}\0\0binary content",
    "conflict.js": CONFLICT,
    "model.ts": LFS,
    "empty.ts": "",
    "utf16.js": "export function wide() {}\n".encode("utf-16"),
    "long-line.js": GOOD + 'export const text = "' + "x" * 2_000 + '"\n',
}

EXPECTED = {
    "hang.tsx": {"runaway"},
    "bundle.js": {"minified", "oversized"},
    "nul.js": {"binary"},
    "conflict.js": {"conflicted"},
    "model.ts": {"lfs-pointer"},
}


def test_hostile_files_are_named_with_their_reason_and_all_others_are_whole(repo: GitRepo, cm: Cm) -> None:
    repo.commit(FILES)
    started = perf_counter()
    cm(repo.path, "index", "--no-vectors").ok()
    assert perf_counter() - started < 120, "a stuck parse, not a slow machine"
    reasons = {row["path"]: row["reason"] for row in cm(repo.path, "status", "--json").json["skipped"]}
    for path, allowed in EXPECTED.items():
        assert reasons.pop(path) in allowed, path
    assert reasons == {"utf16.js": "binary", "empty.ts": "empty"}
    names = {(unit["path"], unit["name"]) for unit in cm(repo.path, "export", "--units").lines}
    assert {
        ("good.ts", "good"),
        ("deep.js", "afterDeep"),
        ("calls.js", "nested"),
        ("conflict.js", "before"),
        ("conflict.js", "after"),
        ("long-line.js", "good"),
        ("long-line.js", "text"),
    } <= names
    assert ("nul.js", "hidden") not in names


def test_a_skip_reason_is_not_text_that_can_be_found(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"data.js": b"var x = 1\0", "empty.ts": "", "space.ts": " \n", "one.js": "x"})
    found = cm(repo.path, "search", "--json", "--no-vectors", "binary content").json
    assert found["results"] == []
