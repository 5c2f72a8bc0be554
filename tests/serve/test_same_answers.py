"""The resident reader says what a command says, byte for byte, whatever happened to the repository in between."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cmgit.cli.reader import answer_with
from cmgit.cli.session import config_from
from cmgit.core.errors import CmgitError
from cmgit.git.locate import locate
from cmgit.serve.keeper import Keeper
from examples.shop_repo import build_shop_repository
from tests.conftest import Cm, GitRepo
from tests.view.states import Walk

PROMPTS = (
    "In packages/core/src/money.ts, do the parts of a split amount always add up?",
    "why does the total of the cart apply a discount twice",
    "rename `placeOrder` and everything that calls it",
)


@pytest.fixture(autouse=True)
def no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CMGIT_SERVE", "off")  # the commands of this file answer by themselves


def without(document: Any, *names: str) -> Any:
    return {name: value for name, value in document.items() if name not in ("seconds", "pending", *names)}


def commands(cm: Cm, top: Path, *more: str) -> list[Any]:
    questions = [("retrieve", "--json", *more, prompt) for prompt in PROMPTS]
    questions += [("search", "--json", *more, "who gives a discount"), ("callers", "--json", "formatMoney")]
    found = []
    for question in questions:
        done = cm(top, *question)
        found.append(without(json.loads(done.out)) if done.code == 0 else done.err)
    return found


def reader(keeper: Keeper, **more: object) -> list[Any]:
    requests: list[dict[str, object]] = [{"op": "retrieve", "prompt": prompt, **more} for prompt in PROMPTS]
    requests += [{"op": "search", "query": "who gives a discount", **more}, {"op": "callers", "name": "formatMoney"}]
    found: list[Any] = []
    for request in requests:
        try:
            found.append(json.loads(json.dumps(without(answer_with(keeper, request, None)))))
        except CmgitError as error:
            found.append(f"git-cm: {error.message}\nhint: {error.hint}\n")
    return found


@pytest.mark.parametrize("seed", [3, 11, 29])
def test_along_a_random_walk_every_answer_is_the_command_s(seed: int, cm: Cm, tmp_path: Path) -> None:
    build_shop_repository(tmp_path / "shop")
    walk = Walk(tmp_path / "shop", seed, cm, tmp_path)
    cm(walk.top, "index", "--no-vectors").ok()
    keepers: dict[Path, Keeper] = {}
    for _ in range(10):
        walk.step()
        if walk.top not in keepers:
            keepers[walk.top] = Keeper(locate(str(walk.top)), config_from)
        keeper = keepers[walk.top]
        assert reader(keeper, no_vectors=True) == commands(cm, walk.top, "--no-vectors"), walk.story()
    for keeper in keepers.values():
        keeper.close()


def test_with_vectors_too(cm: Cm, shop: GitRepo) -> None:
    cm(shop.path, "index").ok()
    keeper = Keeper(locate(str(shop.path)), config_from)
    question = {"op": "retrieve", "prompt": "how are costs divided among people", "route": "search"}
    for number in range(4):
        made = f"export function guests{number}(n: number) {{\n  return n * {number} // people at the table\n}}\n"
        shop.write({f"src/made{number % 2}.ts": made})
        if number == 2:
            shop.commit()
        seen = answer_with(keeper, dict(question), None)
        told = cm(shop.path, "retrieve", "--json", "--route", "search", str(question["prompt"])).json
        assert seen["text"] == told["text"] != ""
        assert [i["score"] for i in seen["items"]] == [i["score"] for i in told["items"]]  # type: ignore[attr-defined]
    keeper.close()


def test_an_edit_between_two_questions_is_seen_and_an_edit_taken_back_costs_no_parsing(shop: GitRepo) -> None:
    keeper = Keeper(locate(str(shop.path)), config_from)

    def text() -> str:
        return str(answer_with(keeper, {"op": "retrieve", "prompt": "`splitAmount`", "no_vectors": True}, None)["text"])

    before = text()
    whole = (shop.path / "src/money.ts").read_text()
    shop.write({"src/money.ts": whole.replace("total / parts", "Math.floor(total / parts)")})
    assert "Math.floor" in text()
    shop.write({"src/money.ts": whole})
    assert text() == before
    keeper.close()


def test_an_edit_that_keeps_size_and_time_is_seen(shop: GitRepo) -> None:
    keeper = Keeper(locate(str(shop.path)), config_from)
    path = shop.path / "src/money.ts"
    shop.write({"src/money.ts": path.read_text().replace("2", "3") + "// 1\n"})
    seen = path.stat()
    answer_with(keeper, {"op": "retrieve", "prompt": "`splitAmount`", "no_vectors": True}, None)
    path.write_text(path.read_text().replace("total / parts", "parts / total"))
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    told = answer_with(keeper, {"op": "retrieve", "prompt": "`splitAmount`", "no_vectors": True}, None)
    assert "parts / total" in str(told["text"])
    keeper.close()


def test_an_answer_tells_the_branch_that_is_checked_out(shop: GitRepo) -> None:
    """Elsewhere a switched branch was answered from the old one (justrach/codedb#116)."""
    keeper = Keeper(locate(str(shop.path)), config_from)
    question: dict[str, object] = {"op": "symbols", "path": "src/money.ts"}
    assert answer_with(keeper, question, None)["tree"] == shop.tree("HEAD")
    shop.git("checkout", "-q", "-b", "other")
    shop.commit({"src/money.ts": "export const onlyHere = 1\n"})
    for moves in (["checkout", "-q", "main"], ["switch", "-q", "--detach", "other"], ["reset", "-q", "--hard", "main"]):
        shop.git(*moves)
        found = answer_with(keeper, question, None)
        names = [row["name"] for row in found["symbols"]]  # type: ignore[attr-defined]
        assert ("onlyHere" in names) == (moves[0] == "switch")
        assert found["tree"] == shop.tree("HEAD")
    keeper.close()


def test_a_message_that_is_written_anew_is_heard_though_no_file_has_changed(cm: Cm, shop: GitRepo) -> None:
    shop.commit({"src/deep/pay.ts": (shop.path / "src/deep/pay.ts").read_text().replace("9", "12")}, "adjust a number")
    cm(shop.path, "index", "--no-vectors").ok()
    keeper = Keeper(locate(str(shop.path)), config_from)
    question = "share the cart, surcharge for voyagers"

    def both() -> tuple[object, object]:
        seen = answer_with(keeper, {"op": "search", "query": question, "no_vectors": True}, None)
        told = cm(shop.path, "search", "--json", "--no-vectors", question).json
        return without(json.loads(json.dumps(seen))), without(told)

    before, alone = both()
    assert before == alone
    tree = shop.tree("HEAD")
    shop.git("commit", "-q", "--amend", "-m", "surcharge for voyagers")
    assert shop.tree("HEAD") == tree
    after, alone = both()
    assert after == alone != before
    keeper.close()


def test_settings_are_those_of_this_moment(shop: GitRepo) -> None:
    keeper = Keeper(locate(str(shop.path)), config_from)
    question: dict[str, object] = {"op": "retrieve", "prompt": "`splitAmount` and `shareCart`", "no_vectors": True}
    assert int(str(answer_with(keeper, question, None)["bytes"])) > 100
    shop.git("config", "cm.budget", "60")
    assert int(str(answer_with(keeper, question, None)["bytes"])) <= 60
    shop.git("config", "cm.budget", "many")
    with pytest.raises(CmgitError, match=r"cm\.budget"):
        answer_with(keeper, question, None)
    shop.git("config", "--unset", "cm.budget")
    assert int(str(answer_with(keeper, question, None)["bytes"])) > 100
    keeper.close()


def test_a_flag_that_hides_an_edit_from_git_hides_it_from_nobody(shop: GitRepo) -> None:
    """The flags of index entries are asked again when the index is another one (libgit2/libgit2#5813)."""
    keeper = Keeper(locate(str(shop.path)), config_from)
    answer_with(keeper, {"op": "callers", "name": "splitAmount"}, None)
    shop.git("update-index", "--assume-unchanged", "src/money.ts")
    for name in ("hiddenOnce", "hiddenTwice"):
        shop.write({"src/money.ts": f"export function {name}(total: number) {{\n  return total\n}}\n"})
        (unit,) = answer_with(keeper, {"op": "callers", "name": name}, None)["units"]  # type: ignore[misc, attr-defined]
        assert unit["path"] == "src/money.ts"
    shop.git("update-index", "--no-assume-unchanged", "src/money.ts")
    keeper.close()


def test_a_second_edit_of_a_file_that_was_dirty_already_is_seen(shop: GitRepo) -> None:
    keeper = Keeper(locate(str(shop.path)), config_from)
    for name in ("made", "remade", "unmade"):
        shop.write({"src/new.ts": f"export function {name}() {{}}\n", "src/money.ts": f"export const {name}2 = 1\n"})
        for wanted, path in ((name, "src/new.ts"), (f"{name}2", "src/money.ts")):
            (unit,) = answer_with(keeper, {"op": "callers", "name": wanted}, None)["units"]  # type: ignore[misc, attr-defined]
            assert unit["path"] == path
    keeper.close()


def test_symbols_are_those_of_the_bytes_on_disk_where_a_filter_stands_between(cm: Cm, shop: GitRepo) -> None:
    """Line endings on checkout: git calls the file unchanged (isomorphic-git/isomorphic-git#2395)."""
    shop.commit({".gitattributes": "*.ts text eol=crlf\n"})
    (shop.path / "src/money.ts").unlink()
    shop.git("checkout", "-q", "--", "src/money.ts")
    assert b"\r\n" in (shop.path / "src/money.ts").read_bytes()
    keeper = Keeper(locate(str(shop.path)), config_from)
    seen = answer_with(keeper, {"op": "symbols", "path": "src/money.ts"}, None)
    assert without(seen) == without(cm(shop.path, "symbols", "--json", "src/money.ts").json)
    keeper.close()


def test_other_bytes_that_git_calls_the_same_are_seen(cm: Cm, shop: GitRepo) -> None:
    shop.commit({".gitattributes": "*.ts text eol=crlf\n"})
    keeper = Keeper(locate(str(shop.path)), config_from)
    path = shop.path / "src/money.ts"
    plain = path.read_bytes().replace(b"\r\n", b"\n")
    question: dict[str, object] = {"op": "search", "query": "splitAmount", "no_vectors": True}
    for data in (plain, plain.replace(b"\n", b"\r\n"), plain):
        path.write_bytes(data)
        seen = answer_with(keeper, question, None)
        assert seen["results"] == cm(shop.path, "search", "--no-vectors", "--json", "splitAmount").json["results"]
    keeper.close()
