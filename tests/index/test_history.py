"""History: what git tells of the commits before one, kept beside the snapshots, the same however it was made."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from cmgit.core.history import History, PastChange, PastCommit
from cmgit.git.locate import locate
from cmgit.git.past import commit_of, read_commits
from cmgit.index.history import FOLDER, MOST_KEPT, MOST_PATHS, history_at, history_of
from tests.conftest import GitRepo

BASE = {
    "src/cart.ts": "export function total(a) {\n  return a\n}\n\nexport function empty() {\n  return 0\n}\n",
    "src/tax.ts": "export const rate = 1\n",
    "README.md": "# shop\n",
}


def commit(repo: GitRepo, files: dict[str, str], message: str) -> str:
    repo.commit(files, message)
    return repo.git("rev-parse", "HEAD").decode().strip()


def at_head(repo: GitRepo) -> History:
    found = history_at(locate(str(repo.path)), repo.git("rev-parse", "HEAD").decode().strip())
    assert found is not None
    return found


def same(one: History, other: History) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in History.__slots__  # type: ignore[attr-defined] # a frozen record with slots
    )


def written(history: History, row: int) -> list[tuple[str, int]]:
    chosen = history.line_commit == row
    paths = [history.paths[i] for i in history.line_path[chosen].tolist()]
    return list(zip(paths, history.line[chosen].tolist(), strict=True))


def test_lines_that_a_commit_wrote_are_followed_to_where_they_stand_now(repo: GitRepo) -> None:
    repo.commit(BASE, "first")
    commit(repo, {"src/cart.ts": BASE["src/cart.ts"].replace("return 0", "return 1")}, "empty carts cost one")
    commit(repo, {"src/cart.ts": "// head\n// more\n" + (repo.path / "src/cart.ts").read_text()}, "a head")
    history = at_head(repo)
    assert written(history, 0) == [("src/cart.ts", 1), ("src/cart.ts", 2)]
    assert written(history, 1) == [("src/cart.ts", 8)]  # line 6 then
    assert (repo.path / "src/cart.ts").read_text().splitlines()[7] == "  return 1"


def test_lines_that_were_overwritten_since_belong_to_the_later_commit() -> None:
    newer = PastCommit("b", "second", (PastChange("a.ts", ((2, 1, 2, 1),)),))
    older = PastCommit("a", "first", (PastChange("a.ts", ((0, 0, 1, 3),)),))
    history = history_of([newer, older], {"a.ts": "oid"})
    assert written(history, 0) == [("a.ts", 2)]
    assert written(history, 1) == [("a.ts", 1), ("a.ts", 3)]


def test_messages_are_words_without_trailers_numbers_and_links(repo: GitRepo) -> None:
    repo.commit(BASE, "Taxes of carts (#123)\n\nSee https://example.com/secret\n\nSigned-off-by: Ada <a@example.com>")
    assert at_head(repo).terms == ("cart", "see", "tax")


def test_only_sources_count_and_sweeps_say_nothing(repo: GitRepo) -> None:
    repo.commit(BASE, "start")
    commit(repo, {"tests/cart.test.ts": "it('x')\n", "README.md": "new\n"}, "tests and prose")
    commit(repo, {f"src/part{i}.ts": "export {}\n" for i in range(MOST_PATHS + 1)}, "everything moves")
    history = at_head(repo)
    assert len(history) == 1
    assert history.paths == ("src/cart.ts", "src/tax.ts")


def test_what_is_made_from_an_earlier_history_is_what_is_made_from_nothing(repo: GitRepo) -> None:
    repo.commit(BASE, "start")
    (repo.path / ".git/cm").mkdir()
    for i in range(5):
        commit(repo, {"src/tax.ts": f"export const rate = {i}\nexport const more = {i}\n"}, f"rate number {i} of tax")
        kept = at_head(repo)
    repo.git("checkout", "-q", "-b", "side", "HEAD~2")
    commit(repo, {"src/side.ts": "export const side = 1\n"}, "a side")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    kept = at_head(repo)
    assert same(kept, at_head(repo))  # read back from the file
    shutil.rmtree(repo.path / ".git/cm")
    cold = at_head(repo)
    assert same(kept, cold)
    assert len(cold) == 7


def test_damage_is_made_anew_and_old_files_are_dropped(repo: GitRepo) -> None:
    repo.commit(BASE, "start")
    (repo.path / ".git/cm").mkdir()
    good = at_head(repo)
    (place,) = (repo.path / ".git/cm" / FOLDER).iterdir()
    data = bytearray(place.read_bytes())
    for at in (3, 30, len(data) // 2):
        flipped = bytearray(data)
        flipped[at] ^= 4
        place.write_bytes(bytes(flipped))
        assert same(at_head(repo), good)
    place.write_bytes(data[: len(data) // 2])
    assert same(at_head(repo), good)
    for i in range(MOST_KEPT + 2):
        commit(repo, {"src/tax.ts": f"export const rate = {i}\n"}, "rate")
        at_head(repo)
    assert len(list((repo.path / ".git/cm" / FOLDER).iterdir())) == MOST_KEPT


def test_nothing_is_written_where_there_is_no_store(repo: GitRepo) -> None:
    repo.commit(BASE, "start")
    at_head(repo)
    assert not (repo.path / ".git/cm").exists()


def test_a_shallow_clone_has_the_history_that_is_there(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit(BASE, "start")
    for i in range(4):
        commit(repo, {"src/tax.ts": f"export const rate = {i}\n"}, f"rate {i}")
    shallow = tmp_path / "shallow"
    repo.git("clone", "-q", "--depth=2", f"file://{repo.path}", str(shallow))
    location = locate(str(shallow))
    named = commit_of(location, "HEAD")
    assert named is not None
    history = history_at(location, named.oid)
    assert history is not None
    assert len(history) == 2


def test_the_settings_of_the_user_change_no_answer(repo: GitRepo) -> None:
    repo.commit(BASE, "start")
    commit(repo, {"src/tax.ts": "export const rate = 2\n", "src/цена.ts": "export const x = 1\n"}, "rate")
    plain = at_head(repo)
    for name, value in {
        "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.external": "false", "color.ui": "always",
        "diff.algorithm": "patience", "diff.renames": "copies", "log.showSignature": "true", "diff.context": "9",
        "diff.interHunkContext": "9", "core.quotePath": "true", "log.date": "relative",
    }.items():  # fmt: skip
        repo.git("config", name, value)
    assert same(at_head(repo), plain)
    assert "src/цена.ts" in plain.paths


def test_only_commits_have_a_past(repo: GitRepo) -> None:
    location = locate(str(repo.path))
    assert commit_of(location, "HEAD") is None  # unborn
    tree = repo.commit(BASE, "start")
    for rev in (tree, "HEAD:src", "nothing", "", "--all", "HEAD..HEAD"):
        assert commit_of(location, rev) is None, rev
    named = commit_of(location, "main")
    assert named is not None
    assert named.tree == tree
    assert [past.message.strip() for past in read_commits(location, [named.oid], (":(glob)**/*.ts",))] == ["start"]
