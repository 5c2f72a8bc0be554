from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from cmgit.core.records import Change, ChangeKind, path_text
from cmgit.git.disk import clean_oid, read_file
from cmgit.git.locate import locate, probe
from cmgit.git.objects import open_objects
from cmgit.git.worktree import changes
from tests.conftest import GitRepo

ADDED, CONFLICTED, DELETED, MODIFIED = (
    ChangeKind.ADDED,
    ChangeKind.CONFLICTED,
    ChangeKind.DELETED,
    ChangeKind.MODIFIED,
)


def found(repo: GitRepo) -> dict[str, ChangeKind]:
    """The changes, seen by both ways to ask."""
    listed = changes(locate(str(repo.path)))
    assert tuple(listed) == probe(str(repo.path), with_changes=True).changes
    return {change.path: change.kind for change in listed}


def later(repo: GitRepo) -> None:
    """Let git record that files are older than the index, as in any repository that is not a second old."""
    for path in repo.path.rglob("*"):
        if ".git" not in path.parts and path.is_file():
            os.utime(path, (1_500_000_000, 1_500_000_000))
    repo.git("status")


def test_edits_additions_deletions_and_renames_are_found_wherever_they_are_staged(repo: GitRepo) -> None:
    repo.commit({name: name for name in ("a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f.ts", "sub/g.ts")})
    repo.write({"a.ts": "edited", "b.ts": "staged", "new.ts": "n", "sub/staged new.ts": "n", "gone.ts": "x"})
    repo.git("add", "b.ts", "sub", "gone.ts")
    (repo.path / "gone.ts").unlink()
    (repo.path / "c.ts").unlink()
    repo.git("rm", "-q", "d.ts")
    repo.git("mv", "e.ts", "sub/e2.ts")
    repo.git("rm", "-q", "--cached", "f.ts")
    assert found(repo) == {
        "a.ts": MODIFIED,
        "b.ts": MODIFIED,
        "c.ts": DELETED,
        "d.ts": DELETED,
        "e.ts": DELETED,
        "f.ts": MODIFIED,
        "new.ts": ADDED,
        "sub/e2.ts": ADDED,
        "sub/staged new.ts": ADDED,
    }


def test_from_a_sub_folder_the_whole_tree_is_seen(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a", "sub/b.ts": "b", "h.ts": "h"})
    repo.git("update-index", "--assume-unchanged", "h.ts")
    repo.write({"a.ts": "changed", "sub/n.ts": "n", "h.ts": "hidden"})
    seen = probe(str(repo.path / "sub"), with_changes=True)
    assert seen.changes == tuple(changes(seen.location))
    assert [change.path for change in seen.changes or ()] == ["a.ts", "h.ts", "sub/n.ts"]


def test_ignored_files_do_not_count(repo: GitRepo) -> None:
    repo.commit({".gitignore": "dist/\n", "a.ts": "a"})
    repo.write({"dist/x.js": "x", "dist/deep/y.js": "y", "kept/z.js": "z"})
    assert found(repo) == {"kept/z.js": ADDED}


def test_an_unborn_branch_has_every_file_as_new(repo: GitRepo) -> None:
    repo.write({"a.ts": "a", "b.ts": "b"})
    repo.git("add", "a.ts")
    assert found(repo) == {"a.ts": ADDED, "b.ts": ADDED}


def test_intent_to_add_is_a_new_file(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a"})
    repo.write({"b.ts": "b", "c.ts": "c"})
    repo.git("add", "--intent-to-add", "b.ts", "c.ts")
    (repo.path / "c.ts").unlink()
    # git 2.39 calls the one that is gone again a deletion, as if HEAD had an empty file there.
    assert found(repo) in ({"b.ts": ADDED}, {"b.ts": ADDED, "c.ts": DELETED})


def test_a_file_that_became_a_link_and_a_folder_that_became_a_file(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a", "b.ts": "b", "d/x.ts": "x", "d/y.ts": "y"})
    (repo.path / "a.ts").unlink()
    (repo.path / "a.ts").symlink_to("b.ts")
    shutil.rmtree(repo.path / "d")
    repo.write({"d": "file"})
    (repo.path / "b.ts").unlink()
    repo.write({"b.ts/inner.ts": "i"})
    assert found(repo) == {
        "a.ts": MODIFIED,
        "b.ts": DELETED,
        "b.ts/inner.ts": ADDED,
        "d": ADDED,
        "d/x.ts": DELETED,
        "d/y.ts": DELETED,
    }


def test_a_conflict_lists_each_path_once(repo: GitRepo) -> None:
    repo.commit({"both.ts": "base\n", "we delete.ts": "base\n", "they delete.ts": "base\n"})
    repo.git("checkout", "-q", "-b", "other")
    repo.git("rm", "-q", "they delete.ts")
    repo.commit({"both.ts": "theirs\n", "we delete.ts": "theirs\n"})
    repo.git("checkout", "-q", "main")
    repo.git("rm", "-q", "we delete.ts")
    repo.commit({"both.ts": "ours\n", "they delete.ts": "ours\n"})
    repo.git("merge", "other", check=False)
    assert found(repo) == {"both.ts": CONFLICTED, "they delete.ts": CONFLICTED, "we delete.ts": CONFLICTED}
    (repo.path / "we delete.ts").unlink()
    (repo.path / "they delete.ts").unlink()
    assert found(repo) == {"both.ts": CONFLICTED, "they delete.ts": DELETED}


ODD_NAMES = [
    "док/файл.ts".encode(),
    "测试/索引.tsx".encode(),
    b"tab\there.ts",
    b"line\nfeed.ts",
    b'dou"ble.ts',
    b'"quoted".ts',
    b"-leading.ts",
    b"[id].tsx",
    b":(glob)x.js",
    b"back\\slash.ts",
    b"not utf8 \xff\xfe.ts",
    b" space .ts ",
    "e\u0301.ts".encode(),
    "\u00e9.ts".encode(),
    "\U0001f600.ts".encode(),
    "\ue000.ts".encode(),
]


def write_raw(repo: GitRepo, name: bytes, data: bytes) -> None:
    path = Path(os.fsdecode(os.fsencode(repo.path) + b"/" + name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_odd_names_make_the_round_trip_everywhere(repo: GitRepo) -> None:
    texts = [path_text(name) for name in sorted(ODD_NAMES)]
    for name in ODD_NAMES:
        write_raw(repo, name, b"one " + name)
    assert [change.path for change in changes(locate(str(repo.path)))] == texts
    tree = repo.commit()
    location = locate(str(repo.path))
    with open_objects(location) as objects:
        entries = objects.list_tree(tree)
        assert [entry.path for entry in entries] == texts
        for entry in entries:
            assert read_file(str(repo.path), entry.path) == objects.read_blob(entry.oid)
        assert clean_oid(location, texts) == [entry.oid for entry in entries]
    assert changes(location) == []
    for name in ODD_NAMES:
        write_raw(repo, name, b"two")
    assert changes(location) == [Change(text, MODIFIED) for text in texts]
    with open_objects(location) as objects:
        assert [change.path for change in objects.diff_trees(tree, repo.commit())] == texts


@pytest.mark.parametrize(
    "setting",
    [
        "core.quotePath=true",
        "status.showUntrackedFiles=no",
        "status.renames=copies",
        "status.relativePaths=true",
        "status.short=true",
        "status.branch=true",
        "status.showStash=true",
        "core.fsmonitor=false; touch fsmonitor-ran",
        "diff.ignoreSubmodules=none",
        "diff.renames=copies",
        "color.ui=always",
        "column.ui=always",
        "diff.orderFile=order",
        "core.untrackedCache=true",
        "core.preloadIndex=false",
        "feature.manyFiles=true",
    ],
)
def test_the_configuration_of_the_user_does_not_mislead(repo: GitRepo, setting: str) -> None:
    names = {f"n{i}.ts": "same content\n" * 20 for i in range(4)}
    repo.commit(names)
    repo.git("mv", "n0.ts", "moved й.ts")
    repo.write({"n1.ts": "edit", "untracked/u.ts": "u", "order": "z*\n"})
    repo.git("stash", "create")
    expected = found(repo)
    assert expected == {
        "moved й.ts": ADDED,
        "n0.ts": DELETED,
        "n1.ts": MODIFIED,
        "order": ADDED,
        "untracked/u.ts": ADDED,
    }
    key, _, value = setting.partition("=")
    repo.git("config", key, value)
    assert found(repo) == expected


def test_line_ends_and_filters_leave_a_clean_tree_clean(repo: GitRepo) -> None:
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.git("config", "filter.upper.smudge", "tr A-Z a-z")
    repo.commit(
        {".gitattributes": "*.ts text eol=crlf\n*.x.js filter=upper\n", "a.ts": "one\ntwo\n", "b.x.js": "abc\n"}
    )
    for name in ("a.ts", "b.x.js"):
        (repo.path / name).unlink()
    repo.git("checkout", "--", ".")
    location = locate(str(repo.path))
    assert read_file(str(repo.path), "a.ts") == b"one\r\ntwo\r\n"
    assert read_file(str(repo.path), "b.x.js") == b"abc\n"
    assert found(repo) == {}
    # Touched or written anew with the same content, on a racy or an old clock: still clean.
    repo.write({"a.ts": b"one\r\ntwo\r\n", "b.x.js": "abc\n"})
    os.utime(repo.path / "a.ts", (1, 1))
    assert found(repo) == {}
    with open_objects(location) as objects:
        oids = {entry.path: entry.oid for entry in objects.list_tree(repo.tree("HEAD"))}
        assert objects.read_blob(oids["b.x.js"]) == b"ABC\n"
    assert clean_oid(location, ["b.x.js", "missing.ts", "a.ts"]) == [oids["b.x.js"], "", oids["a.ts"]]
    repo.write({"a.ts": b"one\r\nthree\r\n"})
    assert found(repo) == {"a.ts": MODIFIED}


def test_autocrlf_leaves_a_clean_tree_clean(repo: GitRepo) -> None:
    repo.commit({"a.ts": "one\ntwo\n"})
    repo.git("config", "core.autocrlf", "true")
    (repo.path / "a.ts").unlink()
    repo.git("checkout", "--", ".")
    assert read_file(str(repo.path), "a.ts") == b"one\r\ntwo\r\n"
    assert found(repo) == {}


def test_edits_under_assume_unchanged_and_skip_worktree_are_found(repo: GitRepo) -> None:
    repo.commit({name: name for name in ("au.ts", "au gone.ts", "sw.ts", "sw gone.ts", "same.ts", "d/link.ts", "z.ts")})
    repo.git("update-index", "--assume-unchanged", "au.ts", "au gone.ts", "same.ts", "d/link.ts")
    repo.git("update-index", "--skip-worktree", "sw.ts", "sw gone.ts")
    assert found(repo) == {}
    repo.write({"au.ts": "edited", "sw.ts": "edited"})
    for name in ("au gone.ts", "sw gone.ts", "d/link.ts"):
        (repo.path / name).unlink()
    (repo.path / "d/link.ts").symlink_to("../z.ts")
    assert repo.git("status", "--porcelain") == b"", "git itself is told not to look"
    assert found(repo) == {"au gone.ts": DELETED, "au.ts": MODIFIED, "d/link.ts": MODIFIED, "sw.ts": MODIFIED}


@pytest.mark.parametrize("sparse_index", [False, True])
def test_what_a_sparse_checkout_leaves_out_is_not_deleted(repo: GitRepo, sparse_index: bool) -> None:
    tree = repo.commit({"src/a/x.ts": "x", "src/b/y.ts": "y", "lib/z.ts": "z", "top.ts": "t"})
    repo.git("sparse-checkout", "init", "--cone", *(["--sparse-index"] if sparse_index else []))
    repo.git("sparse-checkout", "set", "src/a")
    assert not (repo.path / "lib").exists()
    assert found(repo) == {}
    repo.write({"src/a/x.ts": "edited", "lib/new.ts": "n", "src/b/y.ts": "edited outside of the cone"})
    assert found(repo) == {"lib/new.ts": ADDED, "src/a/x.ts": MODIFIED, "src/b/y.ts": MODIFIED}
    with open_objects(locate(str(repo.path))) as objects:
        assert [entry.path for entry in objects.list_tree(tree)] == ["lib/z.ts", "src/a/x.ts", "src/b/y.ts", "top.ts"]


@pytest.mark.parametrize("sparse_index", [False, True])
def test_what_is_staged_outside_of_a_sparse_checkout_stands_as_the_index_has_it(
    repo: GitRepo, sparse_index: bool
) -> None:
    repo.commit({"src/a/x.ts": "x", "lib/z.ts": "z"})
    repo.commit({"src/a/x.ts": "x2", "lib/z.ts": "z2", "lib/new.ts": "n"})
    oids = {path: repo.git("rev-parse", f"HEAD:{path}").decode().strip() for path in ("lib/new.ts", "lib/z.ts")}
    repo.git("sparse-checkout", "init", "--cone", *(["--sparse-index"] if sparse_index else []))
    repo.git("sparse-checkout", "set", "src/a")
    repo.git("reset", "-q", "--soft", "HEAD~1")
    assert changes(locate(str(repo.path))) == [
        Change("lib/new.ts", ADDED, oids["lib/new.ts"]),
        Change("lib/z.ts", MODIFIED, oids["lib/z.ts"]),
        Change("src/a/x.ts", MODIFIED),
    ]
    repo.write({"lib/z.ts": "on disk again"})
    assert Change("lib/z.ts", MODIFIED) in changes(locate(str(repo.path)))


def test_a_split_index_is_read(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a", "b.ts": "b"})
    repo.git("update-index", "--split-index")
    repo.write({"a.ts": "edited", "c.ts": "c"})
    repo.git("add", "c.ts")
    assert found(repo) == {"a.ts": MODIFIED, "c.ts": ADDED}


def test_submodules_and_nested_repositories_do_not_count(repo: GitRepo, tmp_path: Path) -> None:
    other = GitRepo(tmp_path / "other")
    other.commit({"s.ts": "s"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "mod")
    nested = GitRepo(repo.path / "nested")
    nested.commit({"n.ts": "n"})
    repo.commit({"a.ts": "a"})
    assert found(repo) == {}
    repo.write({"mod/s.ts": "edited", "mod/new.ts": "n", "nested/n.ts": "edited"})
    GitRepo(repo.path / "fresh").commit({"f.ts": "f"})
    GitRepo(repo.path / "fresh empty")
    assert found(repo) == {}
    with open_objects(locate(str(repo.path))) as objects:
        links = [entry.path for entry in objects.list_tree(repo.tree("HEAD")) if entry.mode == 0o160000]
    assert links == ["mod", "nested"]


def test_a_file_in_place_of_a_gitlink_is_new_and_the_reverse_a_deletion(repo: GitRepo) -> None:
    GitRepo(repo.path / "nested").commit({"n.ts": "n"})
    repo.commit({"a.ts": "a"})
    shutil.rmtree(repo.path / "nested")
    repo.write({"nested": "now a file"})
    repo.git("add", "nested")
    (repo.path / "a.ts").unlink()
    GitRepo(repo.path / "a.ts").commit({"n.ts": "n"})
    repo.git("add", "a.ts")
    assert found(repo) == {"a.ts": DELETED, "nested": ADDED}


def test_an_index_lock_held_by_another_git_is_no_hindrance(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a"})
    later(repo)
    (repo.path / ".git/index.lock").write_bytes(b"")
    os.utime(repo.path / "a.ts", (2, 2))
    repo.write({"b.ts": "b"})
    assert found(repo) == {"b.ts": ADDED}


def test_a_linked_worktree_has_its_own_changes(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.ts": "a"})
    repo.git("worktree", "add", "-q", str(tmp_path / "w"))
    (tmp_path / "w/a.ts").write_text("edited")
    repo.write({"main only.ts": "m"})
    assert changes(locate(str(tmp_path / "w"))) == [Change("a.ts", MODIFIED)]
    assert found(repo) == {"main only.ts": ADDED}
