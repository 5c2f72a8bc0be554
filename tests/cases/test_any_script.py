"""Names, paths and prompts in any script; names that are hostile; tests when tests are asked for."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tests.cases.tested_areas import AREAS, TESTED
from tests.conftest import Cm, GitRepo


@pytest.mark.parametrize("command", ["search", "symbols", "callers", "callees", "explain"])
@pytest.mark.parametrize("name", ["new\nline.ts", "esc\x1b[31m.ts"])
def test_a_name_stands_on_one_line_without_controls(command: str, name: str, repo: GitRepo, cm: Cm) -> None:
    """Aider-AI/aider#82, Graphify-Labs/graphify#1210: names are escaped safely in what people see too."""
    repo.write({name: "export function oddUnit() {}\n"})
    args = {
        "symbols": ("symbols", name),
        "search": ("search", "--no-vectors", "oddUnit"),
        "explain": ("retrieve", "--explain", "--no-vectors", "change `oddUnit`"),
    }.get(command, (command, "oddUnit"))
    out = cm(repo.path, *args).ok().out
    assert "\nline.ts" not in out
    assert "\x1b" not in out


@pytest.mark.parametrize("name", ["测试/索引.tsx", "src/日本語.ts", "[id].tsx", "src/a+b (copy).ts", "src/a,b.ts"])
def test_a_file_in_back_ticks_is_named_whatever_its_letters(name: str, repo: GitRepo, cm: Cm) -> None:
    """Aider-AI/aider#82: what is named in the prompt is what is shown."""
    repo.commit({name: "export function one() {}\n", "other.ts": "export function two() {}\n"})
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", f"Please tidy `{name}`").json
    assert {item["path"] for item in context["items"]} == {name}


@pytest.mark.parametrize(
    ("prompt", "route"),
    [
        ("修复src/cart.ts中的错误", "direct"),
        ("src/cart.tsを直して", "direct"),
        ("为什么cartTotal不对？", "named"),
        ("cartTotalが間違っている", "named"),
        ("修复cartTotal()的错误", "named"),
    ],
)
def test_names_and_paths_in_scripts_without_spaces_are_seen(prompt: str, route: str, repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#994: identifiers inside any script are found."""
    repo.commit({"src/cart.ts": "export function cartTotal() {}\n", "src/mail.ts": "export function sendMail() {}\n"})
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", prompt).json
    assert [item["path"] for item in context["items"]][:1] == ["src/cart.ts"]
    assert context["route"] == route


@pytest.mark.parametrize(
    "prompt", ["fix the error in session", "исправь ошибку в session", "修复 session 中的错误", "session のバグを直す"]
)
def test_a_small_repository_answers_in_any_language(prompt: str, repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#994: coverage counts words of errors and bugs in every language but English."""
    repo.commit({f"src/{topic}.ts": f"export function {topic}Run() {{}}\n" for topic in ("cart", "session", "mail")})
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", prompt).json
    assert [item["path"] for item in context["items"]][:1] == ["src/session.ts"]


RENAMED = {
    "calc.ts": "export function sum(a: number[]) { return a.length }\n",
    "index.ts": 'export { sum as total } from "./calc"\n',
    "use.ts": 'import { total } from "./index"\nexport function invoice() { return total([]) }\n',
}


def test_the_outer_name_of_a_re_export_is_a_name(repo: GitRepo, cm: Cm) -> None:
    """optave/ops-codegraph-tool#1823: the definition is found under both names."""
    repo.commit(RENAMED)
    callers = cm(repo.path, "callers", "--json", "total").json["units"]
    assert [unit["path"] for unit in callers] == ["calc.ts"]
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", "fix the rounding of `total`").json
    assert (context["route"], context["items"][0]["path"]) == ("named", "calc.ts")


@pytest.mark.parametrize("args", [("search", "one"), ("retrieve", "--route", "search", "one")])
def test_a_model_folder_that_is_gone_leaves_words_and_graph(
    args: tuple[str, ...], repo: GitRepo, cm: Cm, tmp_path: Path
) -> None:
    """qdrant/fastembed#218: a missing model means lexical and graph only, said once."""
    repo.commit({"a.ts": "export function one() {}\n"})
    repo.git("config", "cm.modelDir", str(tmp_path / "gone"))
    answer = cm(repo.path, *args)
    assert answer.code == 0
    assert answer.err.count("no model.onnx") == 1


def test_a_setting_that_git_refuses_is_named(repo: GitRepo, cm: Cm) -> None:
    """Ataraxy-Labs/sem#451: git's message has two lines; the second says which extension."""
    repo.commit({"a.js": "export function alpha() {}\n"})
    for key, value in (("core.repositoryFormatVersion", "1"), ("extensions.noSuchThing", "yes")):
        repo.git("config", key, value)
    assert "nosuchthing" in cm(repo.path, "status").err.lower()


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_path_is_named_in_either_form_of_its_accents(form: str, repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#1262: one form on both sides, for paths too."""
    other = "NFD" if form == "NFC" else "NFC"
    name = unicodedata.normalize(form, "src/café.ts")
    repo.commit({name: "export function one() {}\n", "b.ts": "export function two() {}\n"})
    prompt = "tidy `" + unicodedata.normalize(other, name) + "`"
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", prompt).json
    assert context["items"][0]["path"] == name


@pytest.mark.parametrize("area", AREAS)
def test_tests_stand_first_where_they_are_asked_for(area: str, repo: GitRepo, cm: Cm) -> None:
    """avirajkhare00/yoyo#54: the order is reversed when the prompt asks for tests."""
    repo.commit(TESTED)
    for prompt in (f"which tests update the {area}?", f"add a test for updating the {area}"):
        results = cm(repo.path, "search", "--json", "--no-vectors", prompt).json["results"]
        assert results[0]["path"] == f"src/{area}.test.ts"
