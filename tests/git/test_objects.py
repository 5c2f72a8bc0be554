from __future__ import annotations

import subprocess
import sys
import threading
import zlib
from pathlib import Path

import pytest

from cmgit.core.errors import ObjectUnreadable
from cmgit.core.records import TreeEntry
from cmgit.git.locate import locate
from cmgit.git.objects import Objects, TreeDifference, open_objects
from tests.conftest import GitRepo

MISSING = "1" * 40


def opened(repo: GitRepo) -> Objects:
    return open_objects(locate(str(repo.path)))


def oid_of(repo: GitRepo, name: str) -> str:
    return repo.git("rev-parse", f"HEAD:{name}").decode().strip()


def loose(repo: GitRepo, oid: str) -> Path:
    return repo.path / ".git/objects" / oid[:2] / oid[2:]


def test_a_tree_is_listed_flat_with_links_and_modes(repo: GitRepo) -> None:
    repo.write({"a.b": "1", "a/c.ts": "2", "a0": "3", "run.js": "#!node"})
    (repo.path / "run.js").chmod(0o755)
    (repo.path / "link.ts").symlink_to("a.b")
    GitRepo(repo.path / "nested").commit({"n.ts": "n"})
    tree = repo.commit()
    nested = repo.git("-C", "nested", "rev-parse", "HEAD").decode().strip()
    with opened(repo) as objects:
        assert objects.list_tree(tree) == [
            TreeEntry("a.b", 0o100644, oid_of(repo, "a.b")),
            TreeEntry("a/c.ts", 0o100644, oid_of(repo, "a/c.ts")),
            TreeEntry("a0", 0o100644, oid_of(repo, "a0")),
            TreeEntry("link.ts", 0o120000, oid_of(repo, "link.ts")),
            TreeEntry("nested", 0o160000, nested),
            TreeEntry("run.js", 0o100755, oid_of(repo, "run.js")),
        ]


def test_one_path_is_found_without_listing_the_tree(repo: GitRepo) -> None:
    names = ["a.ts", "d/[id].tsx", "d/:(glob)x.js", "d/док.ts", "d/-x", "d/a\nb.ts"]
    tree = repo.commit({name: name for name in names})
    with opened(repo) as objects:
        assert [objects.find_entry(tree, name) for name in names] == [
            TreeEntry(name, 0o100644, oid_of(repo, name)) for name in names
        ]
        for name in ("d", "d/", "*.ts", "none", "d/*", "a.ts/x", ".", "/a.ts", "d/../a.ts"):
            assert objects.find_entry(tree, name) is None, name
        assert objects.find_tree(tree, "d") == repo.git("rev-parse", f"{tree}:d").decode().strip()
        for name in ("a.ts", "d/", "*", "none", "d/[id].tsx", "."):
            assert objects.find_tree(tree, name) is None, name


def test_an_empty_tree_has_no_entries(repo: GitRepo) -> None:
    tree = repo.commit({})
    with opened(repo) as objects:
        assert objects.list_tree(tree) == []


def test_blobs_come_back_byte_for_byte(repo: GitRepo) -> None:
    blobs = {"empty": b"", "nul": b"\0\1\n\n", "crlf": b"a\r\nb", "big": bytes(range(256)) * 9000, "last": b"\n"}
    repo.commit(blobs)
    with opened(repo) as objects:
        for name, data in blobs.items():
            assert objects.read_blob(oid_of(repo, name)) == data
            assert objects.blob_size(oid_of(repo, name)) == len(data)
        oids = [oid_of(repo, name) for name in blobs] * 100
        assert [data for _, data in objects.read_blobs(oids)] == list(blobs.values()) * 100


def test_what_is_no_blob_is_unreadable(repo: GitRepo) -> None:
    tree = repo.commit({"a.ts": "a"})
    with opened(repo) as objects:
        for oid, reason in ((MISSING, "missing"), (tree, "is a tree")):
            with pytest.raises(ObjectUnreadable, match=reason):
                objects.read_blob(oid)
            with pytest.raises(ObjectUnreadable, match=reason):
                objects.blob_size(oid)
        with pytest.raises(ObjectUnreadable, match=MISSING):
            objects.list_tree(MISSING)
        with pytest.raises(ObjectUnreadable, match=MISSING):
            objects.find_entry(MISSING, "a.ts")
        with pytest.raises(ObjectUnreadable, match=MISSING):
            objects.diff_trees(tree, MISSING)


def test_a_damaged_blob_is_unreadable_and_those_around_it_are_not(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a", "cut.ts": "cut" * 99, "other.ts": "other", "noise.ts": "noise", "z.ts": "z"})
    names = ["a.ts", "cut.ts", "other.ts", "noise.ts", "z.ts"]
    oids = [oid_of(repo, name) for name in names]
    for oid, data in ((oids[1], None), (oids[2], zlib.compress(b"blob 5\0wrong")), (oids[3], b"noise")):
        path = loose(repo, oid)
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:12] if data is None else data)
    with opened(repo) as objects:
        answers = list(objects.read_blobs([*oids, MISSING, *oids]))
        assert [oid for oid, _ in answers] == [*oids, MISSING, *oids]
        good = [data if isinstance(data, bytes) else None for _, data in answers]
        assert good == [b"a", None, None, None, b"z", None, b"a", None, None, None, b"z"]
        assert objects.read_blob(oids[0]) == b"a", "a process that died is started again"


def test_a_repack_in_between_is_not_noticed(repo: GitRepo) -> None:
    for n in range(20):
        repo.commit({f"f{n}.ts": f"content {n}\n" * 50})
    oids = {n: oid_of(repo, f"f{n}.ts") for n in range(20)}
    with opened(repo) as objects:
        answers = objects.read_blobs([oids[n] for n in range(20)])
        seen = [next(answers)]
        objects.read_blob(oids[3])
        repo.git("repack", "-adq")
        repo.git("prune-packed")
        repo.git("gc", "-q", "--prune=now")
        repo.commit({"later.ts": "later"})
        seen += list(answers)
        assert seen == [(oids[n], f"content {n}\n".encode() * 50) for n in range(20)]
        assert objects.read_blob(oid_of(repo, "later.ts")) == b"later"
        repo.git("gc", "-q", "--prune=now")
        assert objects.read_blob(oid_of(repo, "later.ts")) == b"later"


def test_a_tree_that_was_pruned_is_a_stated_failure(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a"})
    gone = repo.commit({"b.ts": "b"})
    with opened(repo) as objects:
        assert len(objects.list_tree(gone)) == 2
        repo.git("reset", "-q", "--hard", "HEAD~1")
        repo.git("reflog", "expire", "--expire=now", "--all")
        repo.git("gc", "-q", "--prune=now")
        with pytest.raises(ObjectUnreadable, match=gone):
            objects.list_tree(gone)


def test_several_threads_read_at_once(repo: GitRepo) -> None:
    repo.commit({f"f{n}.ts": f"content {n}" for n in range(30)})
    oids = [oid_of(repo, f"f{n}.ts") for n in range(30)]
    wrong: list[int] = []
    with opened(repo) as objects:

        def work() -> None:
            for _ in range(5):
                wrong.extend(n for n in range(30) if objects.read_blob(oids[n]) != f"content {n}".encode())
                answers = [data for _, data in objects.read_blobs(oids)]
                wrong.extend(n for n in range(30) if answers[n] != f"content {n}".encode())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_differences_of_two_trees_are_sorted_and_a_rename_is_two(repo: GitRepo) -> None:
    old = repo.commit({"a.ts": "a", "é.ts": "e", "d/x.ts": "x" * 100, "same.ts": "s", "t.ts": "t"})
    repo.git("mv", "d/x.ts", "d.ts")
    (repo.path / "é.ts").unlink()
    (repo.path / "t.ts").unlink()
    (repo.path / "t.ts").symlink_to("a.ts")
    a_before, e_before, t_before = (oid_of(repo, name) for name in ("a.ts", "é.ts", "t.ts"))
    new = repo.commit({"a.ts": "edited", "n\tew.ts": "n"})
    moved = oid_of(repo, "d.ts")
    with opened(repo) as objects:
        assert objects.diff_trees(old, new) == [
            TreeDifference("a.ts", 0o100644, a_before, 0o100644, oid_of(repo, "a.ts")),
            TreeDifference("d.ts", 0, "", 0o100644, moved),
            TreeDifference("d/x.ts", 0o100644, moved, 0, ""),
            TreeDifference("n\tew.ts", 0, "", 0o100644, oid_of(repo, "n\tew.ts")),
            TreeDifference("t.ts", 0o100644, t_before, 0o120000, oid_of(repo, "t.ts")),
            TreeDifference("é.ts", 0o100644, e_before, 0, ""),
        ]
        assert objects.diff_trees(new, new) == []


def test_a_sha256_repository_is_read_by_git_itself(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "r", "--object-format=sha256")
    tree = repo.commit({"a.ts": "a", "b/c.ts": "c"})
    with opened(repo) as objects:
        assert [entry.path for entry in objects.list_tree(tree)] == ["a.ts", "b/c.ts"]
        assert objects.read_blob(oid_of(repo, "b/c.ts")) == b"c"
        assert objects.blob_size(oid_of(repo, "b/c.ts")) == 1
        with pytest.raises(ObjectUnreadable):
            objects.read_blob("1" * 64)


def test_alternates_and_shallow_clones_are_read(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.ts": "a"})
    tree = repo.commit({"b.ts": "b"})
    repo.git("clone", "-q", "--shared", ".", str(tmp_path / "alternate"))
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    for name in ("alternate", "shallow"):
        with open_objects(locate(str(tmp_path / name))) as objects:
            assert [entry.path for entry in objects.list_tree(tree)] == ["a.ts", "b.ts"]
            assert objects.read_blob(oid_of(repo, "a.ts")) == b"a"


def test_a_partial_clone_fetches_nothing(repo: GitRepo, tmp_path: Path) -> None:
    tree = repo.commit({"a.ts": "a", "b.ts": "b"})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    partial = tmp_path / "partial"
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.path}", str(partial))
    subprocess.run(["git", "-C", partial, "checkout", "-q", "HEAD", "--", "a.ts"], check=True)
    packs = sorted(path.name for path in (partial / ".git/objects/pack").iterdir())
    with open_objects(locate(str(partial))) as objects:
        oids = [entry.oid for entry in objects.list_tree(tree)]
        answers = [data for _, data in objects.read_blobs([oids[1], oids[0], oids[1]])]
        assert answers[1] == b"a"
        assert isinstance(answers[0], ObjectUnreadable)
        assert isinstance(answers[2], ObjectUnreadable)
        with pytest.raises(ObjectUnreadable):
            objects.blob_size(oids[1])
    assert sorted(path.name for path in (partial / ".git/objects/pack").iterdir()) == packs


def test_further_object_folders_are_read(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.ts": "a"})
    repo.write({"staged.ts": "staged"})
    extra = tmp_path / 'ex:tra "x"'
    for name in ("info", "pack"):
        (extra / name).mkdir(parents=True)
    env = {"GIT_INDEX_FILE": str(tmp_path / "index"), "GIT_OBJECT_DIRECTORY": str(extra)}
    env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = str(repo.path / ".git/objects")
    from cmgit.git.plumbing import run_git

    location = locate(str(repo.path))
    run_git(location, ["add", "--all"], env=env)
    tree = run_git(location, ["write-tree"], env=env).decode().strip()
    with open_objects(location) as objects, pytest.raises(ObjectUnreadable):
        objects.list_tree(tree)
    with open_objects(location, object_dirs=[str(extra)]) as objects:
        entries = objects.list_tree(tree)
        assert [objects.read_blob(entry.oid) for entry in entries] == [b"a", b"staged"]


def test_replaced_objects_keep_the_bytes_of_their_ids(repo: GitRepo) -> None:
    repo.commit({"a.ts": "a", "b.ts": "b"})
    repo.git("replace", oid_of(repo, "a.ts"), oid_of(repo, "b.ts"))
    with opened(repo) as objects:
        assert objects.read_blob(oid_of(repo, "a.ts")) == b"a"


def test_a_reader_that_was_forked_does_not_mix_answers_with_its_parent(repo: GitRepo) -> None:
    repo.commit({f"f{n}.ts": f"content {n}" for n in range(20)})
    program = (
        "import os; from cmgit.git.locate import probe; from cmgit.git.objects import open_objects\n"
        f"p = probe({str(repo.path)!r}); o = open_objects(p.location)\n"
        "e = o.list_tree(p.head_tree); o.read_blob(e[0].oid); child = os.fork()\n"
        "ok = all(o.read_blob(x.oid).startswith(b'content') for x in e for _ in range(20))\n"
        "os._exit(not ok) if child == 0 else print(ok, os.waitpid(child, 0)[1])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=root, check=True, timeout=60)
    assert done.stdout == b"True 0\n"
