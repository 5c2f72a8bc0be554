from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cmgit.core.errors import NotARepository, ObjectUnreadable
from cmgit.core.records import Change, ChangeKind
from cmgit.git.locate import Location, locate, probe
from tests.conftest import GitRepo


def place_of(repo: GitRepo) -> Location:
    top = str(repo.path)
    return Location(top, f"{top}/.git", f"{top}/.git", "sha1", False)


def test_a_sub_folder_belongs_to_its_repository(repo: GitRepo) -> None:
    repo.commit({"a/b/c.ts": "x"})
    assert locate(str(repo.path)) == place_of(repo)
    assert locate(str(repo.path / "a" / "b")) == place_of(repo)


def test_a_linked_worktree_shares_the_common_folder_and_has_an_id_of_its_own(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.ts": "x"})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "main"))
    (tmp_path / "main" / "sub").mkdir()
    linked = locate(str(tmp_path / "main" / "sub"))
    assert linked.top == str(tmp_path / "main")
    assert linked.git_dir == str(repo.path / ".git/worktrees/main")
    assert linked.common_dir == str(repo.path / ".git")
    assert linked.cm_dir == locate(str(repo.path)).cm_dir == str(repo.path / ".git/cm")
    assert locate(str(repo.path)).worktree_id == "main"
    assert linked.worktree_id == "linked-main", "a linked worktree may be called main"


def test_inside_the_git_folder_the_worktree_is_known(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.ts": "x"})
    repo.git("worktree", "add", "-q", str(tmp_path / "w"))
    assert locate(str(repo.path / ".git")) == place_of(repo)
    assert locate(str(repo.path / ".git/objects")) == place_of(repo)
    assert locate(str(repo.path / ".git/worktrees/w")) == locate(str(tmp_path / "w"))
    (repo.path / "new.ts").write_text("y")
    assert probe(str(repo.path / ".git"), with_changes=True) == probe(str(repo.path), with_changes=True)


def test_a_bare_repository_has_no_top(repo: GitRepo, tmp_path: Path) -> None:
    tree = repo.commit({"a.ts": "x"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "b.git"))
    found = probe(str(tmp_path / "b.git" / "refs"), with_changes=True)
    assert found.location == Location(None, str(tmp_path / "b.git"), str(tmp_path / "b.git"), "sha1", True)
    assert (found.head_tree, found.changes) == (tree, ())


def test_a_worktree_of_a_bare_repository_has_a_top(repo: GitRepo, tmp_path: Path) -> None:
    tree = repo.commit({"a.ts": "x"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "b.git"))
    subprocess.run(["git", "-C", tmp_path / "b.git", "worktree", "add", "-q", tmp_path / "w"], check=True)
    found = probe(str(tmp_path / "w"), with_changes=True)
    assert (found.location.top, found.location.bare) == (str(tmp_path / "w"), False)
    assert (found.head_tree, found.changes) == (tree, ())


def test_a_submodule_is_a_repository_of_its_own(repo: GitRepo, tmp_path: Path) -> None:
    other = GitRepo(tmp_path / "other")
    other.commit({"s.ts": "s"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "mod")
    found = locate(str(repo.path / "mod"))
    assert (found.top, found.git_dir) == (str(repo.path / "mod"), str(repo.path / ".git/modules/mod"))
    assert locate(found.git_dir) == found, "core.worktree names the worktree"
    assert found.worktree_id == "main"


def test_an_unborn_branch_has_no_head_tree(repo: GitRepo) -> None:
    repo.write({"a.ts": "x"})
    found = probe(str(repo.path), with_changes=True)
    assert (found.head_commit, found.head_tree) == (None, None)
    assert found.changes == (Change("a.ts", ChangeKind.ADDED),)


def test_variables_of_a_hook_do_not_mislead(repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = repo.commit({"a.ts": "x"})
    other = GitRepo(tmp_path / "other")
    other.commit({"b.ts": "y"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git/index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git/objects"))
    monkeypatch.setenv("GIT_PREFIX", "sub/")
    found = probe(str(repo.path), with_changes=True)
    assert (found.location, found.head_tree, found.changes) == (place_of(repo), tree, ())


def test_a_folder_with_a_line_feed_in_its_name_is_found(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "one\n/two\nthree")
    tree = repo.commit({"a.ts": "x"})
    assert locate(str(repo.path)) == place_of(repo)
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "w\nx"))
    assert locate(str(tmp_path / "w\nx")).top == str(tmp_path / "w\nx")
    assert probe(str(tmp_path / "w\nx"), with_changes=True).head_tree == tree


def test_a_folder_whose_name_is_not_utf8_is_found(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / os.fsdecode(b"caf\xe9 \xff"))
    tree = repo.commit({"a.ts": "x"})
    assert probe(str(repo.path)).head_tree == tree


def test_a_name_that_looks_like_an_option_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = GitRepo(tmp_path / "-c")
    repo.commit({"a.ts": "x"})
    monkeypatch.chdir(tmp_path)
    assert locate("-c") == place_of(repo)


def test_outside_of_a_repository_the_message_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="not a git repository") as caught:
        locate(str(tmp_path))
    assert "git init" in caught.value.hint


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match=r"there is no folder .*gone"):
        locate(str(tmp_path / "gone"))


def test_a_damaged_configuration_is_told_in_the_words_of_git(repo: GitRepo) -> None:
    (repo.path / ".git/config").write_text("[core\n")
    with pytest.raises(NotARepository, match="bad config"):
        locate(str(repo.path))


def test_a_head_whose_commit_is_gone_is_an_error_and_not_an_unborn_branch(repo: GitRepo) -> None:
    repo.commit({"a.ts": "x"})
    commit = repo.git("rev-parse", "HEAD").decode().strip()
    (repo.path / ".git/objects" / commit[:2] / commit[2:]).unlink()
    with pytest.raises(ObjectUnreadable, match=commit):
        probe(str(repo.path))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_owner_is_refused_with_the_advice_of_git(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = repo.commit({"a.ts": "x"})
    os.chown(repo.path, 12345, 12345)
    os.chown(repo.path / ".git", 12345, 12345)
    with pytest.raises(NotARepository, match="another user") as caught:
        locate(str(repo.path))
    assert f"safe.directory {repo.path}" in caught.value.hint
    # What a container gives by variables, and `git -c`, is the user's word and stays.
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")
    assert probe(str(repo.path)).head_tree == tree


def test_a_sha256_repository_is_found(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "r", "--object-format=sha256")
    tree = repo.commit({"a.ts": "x"})
    found = probe(str(repo.path), with_changes=True)
    assert (found.location.object_format, found.head_tree, found.changes) == ("sha256", tree, ())
    assert len(tree) == 64


def test_the_fast_path_loads_neither_subprocess_nor_pygit2_nor_pathlib(repo: GitRepo) -> None:
    repo.commit({"a.ts": "x"})
    program = (
        "import sys; from cmgit.git.locate import probe; from cmgit.git.objects import open_objects\n"
        f"p = probe({str(repo.path)!r}, True); o = open_objects(p.location)\n"
        "[o.read_blob(e.oid) for e in o.list_tree(p.head_tree)]; o.close()\n"
        "print([m for m in ('subprocess', 'pygit2', 'pathlib', 'selectors', 'tempfile') if m in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, cwd=root, check=True)
    assert done.stdout == b"[]\n"
