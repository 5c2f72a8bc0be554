"""Public reports about wrong answers: each with the value that is right."""

from __future__ import annotations

import pytest

from tests.cases.tested_areas import AREAS, TESTED
from tests.conftest import Cm, GitRepo


def search(repo: GitRepo, cm: Cm, query: str, *args: str) -> list[dict[str, object]]:
    results = cm(repo.path, "search", "--json", *(args or ("--no-vectors",)), query).json["results"]
    assert isinstance(results, list)
    return results


def test_sources_stand_first(repo: GitRepo, cm: Cm) -> None:
    """avirajkhare00/yoyo#54: tests took the top places."""
    repo.commit(TESTED)
    for area in AREAS:
        assert search(repo, cm, f"update the {area}")[0]["path"] == f"src/{area}.ts"
    assert search(repo, cm, "inspect the latest contest")[0]["path"] in ("src/inspect.ts", "src/latest.ts")


LAYOUT = "export function layoutNetwork(nodes) {\n  // lays the network of nodes out\n  return nodes\n}\n"
SHORT = "".join(f"function a{i}(b,c){{return network(b)+nodes(c)}}\n" for i in range(120))


@pytest.mark.parametrize(
    "other",
    ["public/vis-network.min.js", "dist/network.js", "vendor/network.js", "src/api.generated.js", "types/network.d.ts"],
)
def test_copies_and_bundles_stand_below_the_source(other: str, repo: GitRepo, cm: Cm) -> None:
    """FreePeak/LeanKG#304: thousands of two-letter names won."""
    copy = "export declare function layoutNetwork(nodes: any): any\n" if other.endswith(".d.ts") else LAYOUT + SHORT
    repo.commit({"src/network.js": LAYOUT, other: copy})
    found = search(repo, cm, "layout network nodes")
    assert found[0]["path"] == "src/network.js"
    shown = cm(repo.path, "retrieve", "--json", "--no-vectors", "layout network nodes").json["items"]
    assert shown[0]["path"] == "src/network.js"


def test_one_line_of_gitattributes_lifts_what_was_damped(repo: GitRepo, cm: Cm) -> None:
    """FreePeak/LeanKG#304: one clear way to have vendored code count as one's own."""
    own = "export function layoutGraph(edges) {\n  return edges\n}\n"
    repo.commit({"vendor/network.js": LAYOUT, "src/graph.js": own, "src/use.js": "export const network = 1\n"})
    score = {row["path"]: row["score"] for row in search(repo, cm, "layout network nodes")}
    repo.write({".gitattributes": "vendor/** -linguist-vendored\n"})
    lifted = search(repo, cm, "layout network nodes")
    assert lifted[0]["path"] == "vendor/network.js"
    assert float(str(lifted[0]["score"])) > float(str(score["vendor/network.js"]))
    assert "lays the network" in cm(repo.path, "retrieve", "--no-vectors", "change vendor/network.js").ok().out


def test_the_same_blob_is_shown_once(repo: GitRepo, cm: Cm) -> None:
    """FreePeak/LeanKG#304: duplicates."""
    repo.commit({"src/network.js": LAYOUT, "packages/copy/network.js": LAYOUT, "vendor/network.js": LAYOUT})
    answer = cm(repo.path, "retrieve", "--no-vectors", "layout network nodes").ok().out
    assert answer.count("lays the network of nodes out") == 1


NAMESAKES = {
    "src/page.ts": (
        "import { useRouter } from 'next/router'\nexport function page(s: string, m: Map<string, number>) {\n"
        "  useRouter()\n  m.get('x')\n  return s.trim().split(' ')\n}\n"
    ),
    "test/mocks.ts": "export function useRouter() {}\n",
    "src/text.ts": "export function trim(s: string) { return s }\nexport function split(s: string) { return [s] }\n",
    "src/store.ts": "export class Store {\n  get(key: string) { return key }\n}\n",
    "src/writer.ts": (
        "export class Writer {\n  constructor(private log: any) {}\n  write(x: string) { this.log.write(x) }\n}\n"
    ),
}


def test_a_namesake_gets_no_edge(repo: GitRepo, cm: Cm) -> None:
    """trailhq/Graft#330: a call of a package's function was bound to a mock with its name."""
    repo.commit(NAMESAKES)
    edges = [edge for edge in cm(repo.path, "export", "--edges").lines if edge["kind"] == "call"]
    assert {edge["name"] for edge in edges} == {"useRouter", "get", "trim", "split", "write"}
    assert [edge for edge in edges if edge["target_path"] is not None] == []
    for name in ("useRouter", "trim", "get", "write"):
        assert all(unit["callers"] == [] for unit in cm(repo.path, "callers", "--json", name).json["units"])


def test_what_is_gone_from_the_disk_is_gone_from_the_answer(repo: GitRepo, cm: Cm) -> None:
    """RooCodeInc/Roo-Code#12115: vectors of a deleted file stayed; a rename was embedded anew."""
    repo.commit({f"src/{name}.ts": f"export function {name}() {{\n  return '{name}'\n}}\n" for name in
                 ("kept", "edited", "renamed", "deleted")})  # fmt: skip
    cm(repo.path, "index").ok()
    repo.write({"src/fresh.ts": "export function fresh() {}\n", "src/edited.ts": "export function altered() {}\n"})
    (repo.path / "src/deleted.ts").unlink()
    (repo.path / "src/renamed.ts").rename(repo.path / "src/moved.ts")

    def paths() -> set[object]:
        found = {row["path"] for row in search(repo, cm, "function returning renamed deleted edited", "-k", "50")}
        units = {unit["path"] for unit in cm(repo.path, "export", "--units").lines}
        assert found <= units
        return units

    assert paths() == {"src/kept.ts", "src/edited.ts", "src/moved.ts", "src/fresh.ts"}
    assert search(repo, cm, "renamed", "-k", "3")[0]["path"] == "src/moved.ts"
    repo.git("clean", "-fdq")
    assert paths() == {"src/kept.ts", "src/edited.ts"}
    repo.git("checkout", "--", ".")
    repo.git("mv", "src", "lib")
    assert {str(path).split("/")[0] for path in paths()} == {"lib"}
    repo.commit()
    report = cm(repo.path, "index", "--json").json
    assert (report["embedded"], report["blobs"]["parsed"]) == (0, 0)


def test_the_answer_is_that_of_the_files_that_are_there_now(repo: GitRepo, cm: Cm) -> None:
    """justrach/codedb#116: answers came from the branch that had been left."""

    def version(name: str) -> dict[str, str]:
        return {"a.ts": f"export function {name}() {{ return 'shipping cost' }}\n"}

    for name in ("first", "second", "third"):
        repo.commit(version(name))
    repo.git("checkout", "-q", "-b", "pr", "HEAD~2")
    repo.commit(version("proposal"))
    repo.git("checkout", "-q", "main")
    cm(repo.path, "index").ok()

    def now(name: str, dirty: int = 0) -> None:
        found = cm(repo.path, "search", "--json", "shipping cost").json
        assert {row["name"] for row in found["results"]} == {name}
        assert (found["tree"], found["dirty"]) == (repo.tree("HEAD"), dirty)
        context = cm(repo.path, "retrieve", "--json", "--no-vectors", "the shipping cost").json
        assert f"function {name}()" in context["text"]
        assert context["tree"] == repo.tree("HEAD")

    now("third")
    repo.git("checkout", "-q", "pr")
    now("proposal")
    repo.git("switch", "-q", "--detach", "main~1")
    now("second")
    repo.git("switch", "-q", "main")
    repo.write(version("unsaved"))
    now("unsaved", 1)
    repo.git("stash", "-q")
    now("third")
    repo.git("stash", "pop", "-q")
    now("unsaved", 1)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    now("second")
    repo.git("bisect", "start", "HEAD", "HEAD~1")
    repo.git("checkout", "-q", "main~1")
    now("first")
