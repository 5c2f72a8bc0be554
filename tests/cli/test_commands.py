"""The commands as a user calls them: JSON that tools rely on, exit codes, messages with hints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo

FILES = {
    "src/math.ts": "/** Adds. */\nexport function add(a: number, b: number) {\n  return a + b\n}\n",
    "src/use.ts": (
        "import { add } from './math'\n\nexport function twice(n: number) {\n  return add(n, n)\n}\n\n"
        "export function loose(thing: any) {\n  return thing.add(1)\n}\n"
    ),
}


@pytest.fixture
def shop(repo: GitRepo) -> GitRepo:
    repo.commit(FILES)
    return repo


def test_index_says_what_it_did(shop: GitRepo, cm: Cm) -> None:
    report = cm(shop.path, "index", "--json").json
    assert set(report) >= {
        "tree", "recipe", "files", "units", "edges", "vectors", "blobs", "embedded", "vectors_reused", "bytes",
        "seconds", "pending",
    }  # fmt: skip
    assert report["tree"] == shop.tree("HEAD")
    assert report["files"] == 2
    assert report["blobs"] == {"parsed": 2, "reused": 0, "skipped": {}}
    assert report["vectors"] == report["embedded"] == 3
    assert report["bytes"]["source"] == sum(len(text) for text in FILES.values())
    assert report["seconds"]["total"] > 0
    assert report["pending"] == {"files": 0, "vectors": 0}


def test_search_gives_ranked_units(shop: GitRepo, cm: Cm) -> None:
    found = cm(shop.path, "search", "--json", "-k", "2", "add two numbers").json
    assert [result["rank"] for result in found["results"]] == [1, 2]
    best = found["results"][0]
    assert (best["path"], best["name"], best["kind"], best["start_line"]) == ("src/math.ts", "add", "function", 2)
    assert found["pending"] == {"files": 0, "vectors": 0}


def test_retrieve_gives_items_whose_ranges_are_the_source(shop: GitRepo, cm: Cm) -> None:
    context = cm(shop.path, "retrieve", "--json", "what calls `add`").json
    assert context["route"] == "named"
    assert set(context) >= {
        "route", "tree", "dirty", "items", "call_sites", "omitted", "bytes", "text", "seconds", "pending"
    }  # fmt: skip
    for item in context["items"]:
        data = (shop.path / item["path"]).read_bytes()
        assert data[item["start_byte"] : item["end_byte"]].decode() in context["text"]
    assert any(site["of"] == "add" and site["line"] == 4 for site in context["call_sites"])


def test_a_path_that_means_no_file_is_told(shop: GitRepo, cm: Cm) -> None:
    asked = "make `twice` of src/gone.ts like src/use.ts, see node_modules/x/a.js, Node.js, https://vuejs.org/a/b.js"
    answer = cm(shop.path, "retrieve", asked).ok()
    assert answer.err.count("no file of the index") == 1
    assert "src/gone.ts: no file of the index, or several" in answer.err
    assert "src/gone.ts" not in answer.out
    assert cm(shop.path, "retrieve", "--json", asked).json["unknown"] == ["src/gone.ts"]
    assert cm(shop.path, "retrieve", "--json", "at f (src/gone.ts:3:4) in `twice`").json["unknown"] == []


def test_retrieve_reads_a_prompt_from_stdin(shop: GitRepo, cm: Cm) -> None:
    by_argument = cm(shop.path, "retrieve", "change `twice`").out
    assert cm(shop.path, "retrieve", "-", stdin=b"change `twice`").out == by_argument


def test_retrieve_explains_its_choice(shop: GitRepo, cm: Cm) -> None:
    explained = cm(shop.path, "retrieve", "--explain", "--route", "search", "adding numbers")
    assert "Why, best first" in explained.out
    assert "src/math.ts  add" in explained.out


def test_the_direct_route_shows_one_short_file(shop: GitRepo, cm: Cm) -> None:
    context = cm(shop.path, "retrieve", "--json", "tidy src/math.ts").json
    assert context["route"] == "direct"
    assert [item["role"] for item in context["items"]] == ["whole_file"]
    assert context["tree"] == shop.tree("HEAD")


def test_ignored_files_are_never_shown(shop: GitRepo, cm: Cm) -> None:
    shop.write({".gitignore": "secret.js\n", "secret.js": "const apiKey = 'abc'\n"})
    answer = cm(shop.path, "retrieve", "print apiKey of secret.js")
    assert answer.code == 0
    assert "'abc'" not in answer.out


def test_symbols_lists_a_file_from_any_folder(shop: GitRepo, cm: Cm) -> None:
    listed = cm(shop.path / "src", "symbols", "--json", "use.ts").json
    assert [(row["kind"], row["name"]) for row in listed["symbols"][1:]] == [
        ("function", "twice"),
        ("function", "loose"),
    ]
    assert listed["status"] == "parsed"


def test_callers_keeps_proven_and_undecided_apart(shop: GitRepo, cm: Cm) -> None:
    answer = cm(shop.path, "callers", "--json", "add").json
    assert [(row["path"], row["line"], row["caller"]) for row in answer["units"][0]["callers"]] == [
        ("src/use.ts", 4, "twice")
    ]
    assert [row["line"] for row in answer["undecided"]] == [8]
    text = cm(shop.path, "callers", "add").out
    assert "proven, 1" in text
    assert "Undecided" in text


def test_no_proven_caller_is_not_called_unused_while_sites_are_undecided(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": "export class Box { open() {} }\nexport const f = (x: any) => x.open()\n"})
    text = cm(repo.path, "callers", "open").out
    assert "no use was found that is sure to mean it" in text
    assert "Undecided uses of a `open`, 1: a.ts:2" in text
    assert "unused" not in text


def test_callers_and_callees_list_what_is_passed_on_as_a_value(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": "export function f() {}\nconst routes = { '/': f }\nfunction on() { list.map(f) }\n"})
    text = cm(repo.path, "callers", "f").out
    assert "proven, 2:\n    a.ts:2  value in routes (local)\n    a.ts:3  value in on (local)\n" in text
    assert "value f  a.ts:1  proven (local)" in cm(repo.path, "callees", "on").out
    assert [row["target_name"] for row in cm(repo.path, "export", "--edges").lines if row["kind"] == "value"] == [
        "f",
        "f",
    ]


def test_callers_and_callees_print_so_many_places_and_say_how_many_more(repo: GitRepo, cm: Cm) -> None:
    uses = "\n".join(f"export function use{n}() {{ return f() }}" for n in range(25))
    calls = "; ".join(f"use{n}()" for n in range(25))
    repo.commit({"a.ts": f"export function f() {{}}\n{uses}\nexport function every() {{ {calls} }}\n"})
    for command, name, told in (("callers", "f", "call in use"), ("callees", "every", "call use")):
        shown = [cm(repo.path, command, *options, name).ok().out for options in ((), ("--limit", "24"), ("--all",))]
        assert [text.count(told) for text in shown] == [20, 24, 25]
        assert [line for text in shown for line in text.splitlines() if "more:" in line] == [
            "    … 5 more: --all, or --limit N", "    … 1 more: --all, or --limit N",
        ]  # fmt: skip
        assert len(cm(repo.path, command, "--json", name).json["units"][0][command]) == 25
    assert "proven, 25:" in cm(repo.path, "callers", "f").out


def test_callees_lists_what_a_function_uses(shop: GitRepo, cm: Cm) -> None:
    answer = cm(shop.path, "callees", "--json", "twice").json
    assert [row["target_name"] for row in answer["units"][0]["callees"]] == ["add"]


def test_a_name_that_is_nowhere_gets_near_names(shop: GitRepo, cm: Cm) -> None:
    answer = cm(shop.path, "callers", "twiec")
    assert answer.code == 1
    assert "twice" in answer.err


def test_a_name_that_a_file_lacks_leads_to_its_symbols_and_to_the_file_that_has_it(shop: GitRepo, cm: Cm) -> None:
    answer = cm(shop.path, "callers", "src/math.ts:twice")
    assert answer.code == 1
    assert "`git cm symbols src/math.ts`" in answer.err
    assert "one is in src/use.ts" in answer.err


def test_a_path_that_is_nowhere_gets_near_ones(shop: GitRepo, cm: Cm) -> None:
    for typed in ("lib/math.ts", "src/maths.ts"):
        answer = cm(shop.path, "symbols", typed)
        assert answer.code == 1
        assert "hint: did you mean src/math.ts?" in answer.err
    assert "only JavaScript and TypeScript" in cm(shop.path, "symbols", "README.md").err


def test_one_of_a_kind_is_counted_without_an_s(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"a.ts": "export function f() {}\nf()\n"})
    said = cm(repo.path, "init", "--no-vectors").ok().out
    assert said.startswith("1 file, 3 units, 1 reference in ")
    assert "\n1 blob parsed, 0 reused\n" in said
    assert "\n1 file, 3 units, 1 reference, 0 vectors" in cm(repo.path, "status").out
    assert "1 manifest and " in cm(repo.path, "verify").out


def test_a_name_may_follow_a_path_from_the_current_folder(shop: GitRepo, cm: Cm) -> None:
    expected = cm(shop.path, "callers", "--json", "src/math.ts:add").json
    for typed in ("./math.ts:add", "../src/math.ts::add", f"{shop.path}/src/math.ts:add"):
        assert cm(shop.path / "src", "callers", "--json", typed).json == expected
    assert "add" in cm(shop.path / "src", "callees", "./use.ts:twice").ok().out


def test_of_several_units_of_one_name_the_most_used_is_offered(repo: GitRepo, cm: Cm) -> None:
    repo.commit(
        {
            "a.ts": "export function pick() {}\n",
            "b.ts": "export function pick() {}\nexport const f = () => pick()\n",
            "c.ts": "export function pick() {}\n",
        }
    )
    assert "One of them alone: git cm callers b.ts:pick\n" in cm(repo.path, "callers", "pick").out


def test_export_units_and_edges_are_json_lines(shop: GitRepo, cm: Cm) -> None:
    units = cm(shop.path, "export", "--units").lines
    assert {"path", "kind", "name", "qualname", "start_line", "end_line", "start_byte", "end_byte", "exported"} <= set(
        units[0]
    )
    edges = cm(shop.path, "export", "--edges").lines
    call = next(edge for edge in edges if edge["kind"] == "call" and edge["name"] == "add" and edge["line"] == 4)
    assert (call["target_path"], call["target_name"], call["target_line"], call["status"]) == (
        "src/math.ts", "add", 2, "resolved",
    )  # fmt: skip
    undecided = next(edge for edge in edges if edge["kind"] == "call" and edge["line"] == 8)
    assert (undecided["target_path"], undecided["status"]) == (None, "unknown")
    assert {edge["kind"] for edge in edges} >= {"call", "import", "contains"}


def test_export_needs_to_know_what(shop: GitRepo, cm: Cm) -> None:
    assert cm(shop.path, "export").code == 2


def test_status_verify_and_gc_on_a_fresh_index(shop: GitRepo, cm: Cm) -> None:
    before = cm(shop.path, "status", "--json").json
    assert (before["indexed"], before["pending"]) == (False, {"files": 0, "vectors": 0})
    cm(shop.path, "index").ok()
    status = cm(shop.path, "status", "--json").json
    assert (status["indexed"], status["files"], status["dirty"]) == (True, 3 - 1, 0)
    assert cm(shop.path, "verify", "--json").json["faults"] == []
    assert "removed" in cm(shop.path, "gc", "--json").json
    assert cm(shop.path, "verify").code == 0


def test_verify_finds_a_flipped_bit(shop: GitRepo, cm: Cm) -> None:
    cm(shop.path, "index", "--no-vectors").ok()
    segment = sorted((shop.path / ".git/cm/segments").iterdir())[0]
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 4
    segment.write_bytes(data)
    answer = cm(shop.path, "verify")
    assert answer.code == 1
    assert "git cm index" in answer.err


def test_two_runs_and_two_clones_give_the_same_text(shop: GitRepo, cm: Cm, tmp_path: Path) -> None:
    clone = tmp_path / "a longer path" / "clone"
    shop.git("clone", "-q", ".", str(clone))
    prompt = "adding numbers twice"
    texts = {cm(place, "retrieve", prompt).ok().out for place in (shop.path, shop.path, clone, clone)}
    assert len(texts) == 1
    assert 0 < len(texts.pop()) <= 9_000


BAD_CALLS = {
    "no repository": (None, ("retrieve", "x"), 1, r"not a git repository"),
    "unknown revision": ("repo", ("retrieve", "--rev", "nowhere", "x"), 1, r"hint: "),
    "empty prompt": ("repo", ("retrieve", "  "), 2, r"empty"),
    "empty query": ("repo", ("search", " "), 2, r"empty\nhint: .*git cm search"),
    "empty name": ("repo", ("callers", ""), 2, r"empty\nhint: .*git cm callers"),
    "a path without a name": ("repo", ("callees", "src/math.ts:"), 2, r"empty"),
    "a prompt without quotes": ("repo", ("retrieve", "fix", "add"), 2, r"in quotes: git cm retrieve"),
    "a query without quotes": ("repo", ("search", "fix", "the", "sum"), 2, r"in quotes: git cm search"),
    "unknown command": ("repo", ("frobnicate",), 2, r"No such command"),
    "negative budget": ("repo", ("retrieve", "--budget", "-1", "x"), 2, r"budget"),
    "a file outside": ("repo", ("symbols", "../../etc/passwd"), 2, r"outside"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls_get_a_message_and_an_exit_code(case: str, shop: GitRepo, cm: Cm, tmp_path: Path) -> None:
    where, args, code, message = BAD_CALLS[case]
    place = shop.path if where else tmp_path
    answer = cm(place, *args)
    assert (answer.code, answer.out) == (code, "")
    assert re.search(message, answer.err), answer.err
    assert "Traceback" not in answer.err


def test_index_without_a_commit_says_what_to_do(repo: GitRepo, cm: Cm) -> None:
    answer = cm(repo.path, "index")
    assert answer.code == 1
    assert "no commit yet" in answer.err


def test_questions_are_answered_before_the_first_commit(repo: GitRepo, cm: Cm) -> None:
    repo.write(FILES)
    assert "function twice" in cm(repo.path, "retrieve", "change `twice`").ok().out


def test_a_repository_without_any_source_is_no_error(repo: GitRepo, cm: Cm) -> None:
    repo.commit({"README.md": "# Nothing\n"})
    assert "no JavaScript or TypeScript" in cm(repo.path, "init").ok().out
    assert cm(repo.path, "retrieve", "--json", "fix the login").json["items"] == []


@pytest.mark.parametrize(
    "prompt",
    ["где складываются числа в `add`", "在哪里把数字相加 `add`", "`add` numbers " * 400_000],
    ids=["russian", "chinese", "5 MB"],
)
def test_prompts_in_any_language_and_of_any_length_are_answered(prompt: str, shop: GitRepo, cm: Cm) -> None:
    context = cm(shop.path, "retrieve", "--json", "-", stdin=prompt.encode()).json
    assert any(item["path"] == "src/math.ts" for item in context["items"])


def test_a_budget_of_nothing_shows_nothing(shop: GitRepo, cm: Cm) -> None:
    context = cm(shop.path, "retrieve", "--json", "--budget", "0", "change `twice`").json
    assert (context["items"], context["bytes"]) == ([], 0)


@pytest.mark.parametrize("budget", ["0", "5"])
def test_what_a_budget_keeps_out_is_not_called_unknown(budget: str, shop: GitRepo, cm: Cm) -> None:
    answer = cm(shop.path, "retrieve", "--budget", budget, "change `twice`").ok()
    assert "budget" in answer.out
    assert "nothing in this repository" not in answer.err


def test_status_counts_one_file_as_one(shop: GitRepo, cm: Cm) -> None:
    cm(shop.path, "index", "--no-vectors").ok()
    shop.write({"src/use.ts": "export const none = 1\n"})
    assert "\n1 file differs from it on disk" in cm(shop.path, "status").out
    shop.write({"src/math.ts": "export const none = 1\n"})
    assert "\n2 files differ from it on disk" in cm(shop.path, "status").out


def test_names_that_git_accepts_are_found_and_shown_on_one_line(repo: GitRepo, cm: Cm) -> None:
    names = [
        "док/файл.ts",
        "测试/索引.tsx",
        "tab\there.js",
        "new\nline.js",
        'quo"te.js',
        "-dash.js",
        "[id].tsx",
        ":(glob)x.js",
    ]
    repo.commit({name: f"export function unit{i}() {{ return {i} }}\n" for i, name in enumerate(names)})
    by_name = {unit["name"]: unit["path"] for unit in cm(repo.path, "export", "--units").lines}
    for i, name in enumerate(names):
        assert by_name[f"unit{i}"] == name
        answer = cm(repo.path, "retrieve", "--no-vectors", f"change `unit{i}`").ok()
        assert f"function unit{i}()" in answer.out
        assert "\nline.js" not in answer.out


def test_a_name_that_is_no_utf8_survives(repo: GitRepo, cm: Cm) -> None:
    (repo.path / "caf\udce9.js").write_text("export function odd() { return 1 }\n")
    repo.commit()
    assert cm(repo.path, "export", "--units").lines[-1]["path"] == "caf\udce9.js"
    assert "function odd()" in cm(repo.path, "retrieve", "--no-vectors", "change `odd`").ok().out
