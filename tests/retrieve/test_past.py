"""What earlier commits with words like the prompt have changed speaks for files and functions; builds stand aside."""

from __future__ import annotations

from cmgit.git.locate import locate
from cmgit.retrieve.mirrors import mirrors
from tests.conftest import Cm, GitRepo
from tests.retrieve.memory_view import make_view

FUNCTIONS = "".join(f"export function step{name}(x) {{\n  return x + {i}\n}}\n\n" for i, name in enumerate("ABCDEF"))
FILES = {f"src/part{i}.ts": FUNCTIONS.replace("step", f"part{i}") for i in range(6)}


def search(repo: GitRepo, cm: Cm, query: str, *args: str) -> list[dict[str, object]]:
    results = cm(repo.path, "search", "--json", "--no-vectors", *args, query).json["results"]
    assert isinstance(results, list)
    return results


def edit(repo: GitRepo, path: str, old: str, new: str, message: str) -> None:
    text = (repo.path / path).read_text()
    assert old in text
    repo.commit({path: text.replace(old, new)}, message)


def past_repo(repo: GitRepo) -> None:
    repo.commit(FILES, "start")
    edit(repo, "src/part3.ts", "x + 4", "x + 44", "Percent coupons are rounded")
    edit(repo, "src/part1.ts", "x + 1", "x + 11", "Shipping is free")


def test_a_word_that_only_a_commit_message_has_finds_what_that_commit_changed(repo: GitRepo, cm: Cm) -> None:
    past_repo(repo)
    cm(repo.path, "index", "--no-vectors").ok()
    found = search(repo, cm, "rounded coupons")
    assert (found[0]["path"], found[0]["name"]) == ("src/part3.ts", "part3E")
    assert search(repo, cm, "free shipping")[0]["name"] == "part1B"


def test_a_revision_knows_only_what_came_before_it(repo: GitRepo, cm: Cm) -> None:
    past_repo(repo)
    for rev, name in (("HEAD", "part1B"), ("HEAD~1", None)):
        found = search(repo, cm, "free shipping", "--rev", rev)
        assert [row["name"] for row in found[:1]] == ([name] if name else [row["name"] for row in found[:1]])
        assert bool(found) == (name is not None), rev
    tree = repo.tree("HEAD")
    assert search(repo, cm, "free shipping", "--rev", tree) == []  # a tree alone has no past


def test_an_edited_file_keeps_its_past_but_not_that_of_its_lines(repo: GitRepo, cm: Cm) -> None:
    past_repo(repo)
    repo.write({"src/part3.ts": "// moved down\n\n\n\n\n" + (repo.path / "src/part3.ts").read_text()})
    found = search(repo, cm, "rounded coupons")
    assert {row["path"] for row in found[:3]} == {"src/part3.ts"}


def test_the_answer_is_the_same_whether_a_build_or_a_question_read_the_past(repo: GitRepo, cm: Cm) -> None:
    past_repo(repo)
    first = search(repo, cm, "rounded coupons of part3")
    kept = list((repo.path / ".git/cm/history").iterdir())
    assert len(kept) == 1
    kept[0].unlink()
    assert search(repo, cm, "rounded coupons of part3") == first
    location = locate(str(repo.path))
    assert location.git_dir.endswith(".git")


UNITS = "export function one() { return 1 }\nexport function two() { return 2 }\nexport class Three {}\n"


def test_a_build_that_is_committed_beside_its_sources_stands_below_them() -> None:
    files = {f"src/{name}.ts": UNITS.replace("one", name) for name in ("a", "b", "c", "d", "e")}
    files |= {f"deno_dist/{path[4:]}": "// for Deno\n" + text for path, text in files.items()}
    files |= {"src/small.ts": "export const small = 1\n", "deno_dist/small.ts": "export const small = 2\n"}
    files |= {"lib/own.ts": UNITS.replace("one", "own"), "packages/two/src/a.ts": "export const other = 1\n"}
    view = make_view(files).view
    found = {view.files[i].path for i in mirrors(view)}
    assert found == {path for path in files if path.startswith("deno_dist/")}


def test_a_folder_with_a_builds_name_is_no_mirror_without_its_twin() -> None:
    files = {"lib/a.ts": UNITS, "lib/b.ts": UNITS.replace("two", "zwei"), "src/b.ts": "export const b = 1\n"}
    assert mirrors(make_view(files).view) == []
