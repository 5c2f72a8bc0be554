# ruff: noqa: ARG002 — every tool answers the same calls, whether or not it needs what it is handed
"""The tools that are measured, each in its documented normal use: how it is called, what it shows, where its data lies.

A new tool is one class and one line in `TOOLS`. Nothing here measures; `bench.py` does.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from peers_run import Server, run
from peers_tool import BUDGET, Found, Place, Question, Shown, Step, Tool

COMMON = """
about after also been before being both could does done each from have into just like made make more most must only
other over same should some such than that their them then there these they this those through under until were what
when where which while will with would your feat chore
"""
STOPWORDS = frozenset(COMMON.split())


class Cmgit(Tool):
    key, name = "cmgit", "cmgit"
    about = "words, call graph and vectors; `git cm index`, `git cm retrieve`, `git cm search`"
    vectors: ClassVar[list[str]] = []

    @property
    def program(self) -> str:
        return str(Path(sys.executable).with_name("git-cm"))

    def version(self) -> str:
        told = subprocess.run([self.program, "--version"], check=True, capture_output=True, text=True).stdout.split()
        return told[-1]

    def env(self, place: Place) -> dict[str, str]:
        return super().env(place) | {"XDG_CACHE_HOME": str(self.cache)}

    def data(self, place: Place) -> list[Path]:
        return [place.clone / ".git" / "cm"]

    def index(self, place: Place) -> Step:
        return Step([self.program, "index", "--json", *self.vectors])

    def ask(self, place: Place, question: Question) -> Step:
        return Step([self.program, "retrieve", *self.vectors, question.text])

    def serve(self, place: Place) -> tuple[list[str], str, Callable[[Question], dict[str, Any]]] | None:
        return [self.program, "mcp"], "cm_retrieve_context", lambda question: {"prompt": question.text}

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        search = Step([self.program, "search", "--json", "-k", "50", *self.vectors, "--", prompt])
        rows = json.loads(self.out(place, search, limit))["results"]
        ranked = [Shown(row["path"], 0, 0) if row["kind"] == "file" else shown(row) for row in rows]
        retrieve = Step([self.program, "retrieve", "--json", "--budget", str(BUDGET), *self.vectors, "--", prompt])
        items = json.loads(self.out(place, retrieve, limit))["items"]
        context = [shown(row, whole=row["role"] != "part") for row in items if row["role"] != "signature"]
        return Found(ranked, context)


class CmgitWords(Cmgit):
    name = "cmgit without vectors"
    about = "words and call graph alone (`--no-vectors`)"
    vectors: ClassVar[list[str]] = ["--no-vectors"]

    def serve(self, place: Place) -> None:  # type: ignore[override]
        return None  # it has all vectors that there are


def shown(row: dict[str, Any], *, whole: bool = True) -> Shown:
    return Shown(row["path"], row["start_line"], row["end_line"], row.get("name") or "", whole)


class Codegraph(Tool):
    key, name = "codegraph", "codegraph"
    about = "`init`, `sync`, `explore` (what its MCP tool answers); unit@5 from `query`"

    def data(self, place: Place) -> list[Path]:
        return [place.clone / ".codegraph"]

    def index(self, place: Place) -> Step:
        return Step([self.program, "init", "-y"])

    def update(self, place: Place, path: str) -> Step:
        return Step([self.program, "sync"])

    def follow(self, place: Place) -> Step:
        return Step([self.program, "sync"])

    def ask(self, place: Place, question: Question) -> Step:
        return Step([self.program, "explore", question.text])

    def serve(self, place: Place) -> tuple[list[str], str, Callable[[Question], dict[str, Any]]]:
        return [self.program, "serve", "--mcp"], "codegraph_explore", lambda question: {"query": question.text}

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        text = self.out(place, Step([self.program, "explore", "--", prompt]), limit).decode("utf-8", "replace")
        context = explored(text)
        out = self.out(place, Step([self.program, "query", "--json", "-l", "50", "--", prompt]), limit).strip()
        rows = json.loads(out) if out.startswith(b"[") else []  # finding nothing, it says so in words
        nodes = [row["node"] for row in rows if row["node"]["kind"] != "file"]
        ranked = [Shown(node["filePath"], node["startLine"], node["endLine"], node["name"]) for node in nodes]
        return Found(ranked, context, files=list(dict.fromkeys(one.path for one in context)))


def explored(text: str) -> list[Shown]:
    """The line ranges that an `explore` answer quotes, in its order."""
    found: list[Shown] = []
    path, inside = "", False
    for line in text.splitlines():
        header = re.match(r"\*\*`(.+?)`\*\*", line)
        if header and not inside:
            path = header[1]
        elif line.startswith("```"):
            inside = not inside
        elif inside and (number := re.match(r"(\d+)\t", line)):
            row = int(number[1])
            if found and found[-1].path == path and found[-1].end == row - 1:
                found[-1] = Shown(path, found[-1].start, row)
            else:
                found.append(Shown(path, row, row))
    return found


class CodegraphContext(Codegraph):
    name = "codegraph context"
    about = "its other command for a task, `context`; shares codegraph's index"
    indexes = False

    def follow(self, place: Place) -> None:  # type: ignore[override]
        return None  # it works in the clone of the other

    def ask(self, place: Place, question: Question) -> Step:
        return Step([self.program, "context", question.text])

    def serve(self, place: Place) -> None:  # type: ignore[override]
        return None

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        out = self.out(place, Step([self.program, "context", "--format", "json", "--", prompt]), limit)
        if not out.lstrip().startswith(b"{"):
            return Found([], [])
        answer = json.loads(out)
        rows = [*answer["entryPoints"], *answer["nodes"]]
        nodes = {row["id"]: row for row in rows if row["kind"] != "file"}.values()
        ranked = [Shown(row["filePath"], row["startLine"], row["endLine"], row["name"]) for row in nodes]
        blocks = answer["codeBlocks"]
        return Found(ranked, [Shown(row["filePath"], row["startLine"], row["endLine"]) for row in blocks])


class Semble(Tool):
    key, name = "semble", "semble"
    about = "`search`; its default model lies on a hub, so a static MiniLM made by its own library stands in"

    def env(self, place: Place) -> dict[str, str]:
        model = self.cache / self.key / "static-minilm"
        return super().env(place) | {
            "SEMBLE_MODEL_NAME": str(model),
            "SEMBLE_CACHE_LOCATION": str(place.home / "semble"),
        }

    def data(self, place: Place) -> list[Path]:
        return [place.home / "semble"]

    def index(self, place: Place) -> Step:
        return Step([self.program, "search", "start", "."])

    def follow(self, place: Place) -> None:
        return None

    def ask(self, place: Place, question: Question) -> Step:
        return Step([self.program, "search", question.text, "."])

    def serve(self, place: Place) -> tuple[list[str], str, Callable[[Question], dict[str, Any]]]:
        return [self.program], "search", lambda question: {"query": question.text, "repo": str(place.clone)}

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        out = self.out(place, Step([self.program, "search", "-k", "50", "--format", "json", "--", prompt, "."]), limit)
        chunks = json.loads(out)["results"]
        ranked = [Shown(relative(row["file_path"], place), row["start_line"], row["end_line"]) for row in chunks]
        return Found(ranked, ranked)


def relative(path: str, place: Place) -> str:
    full = Path(path)
    base = place.clone.resolve()
    return full.resolve().relative_to(base).as_posix() if full.is_absolute() else full.as_posix()


class Jcodemunch(Tool):
    key, name = "jcodemunch", "jcodemunch-mcp"
    about = "`index`, `index-file`; asked over MCP (`get_ranked_context`), cold: a server is started for each question"
    longest = 500  # characters of a question; it refuses longer ones

    def env(self, place: Place) -> dict[str, str]:
        return super().env(place) | {"CODE_INDEX_PATH": str(place.home / "code-index")}

    def data(self, place: Place) -> list[Path]:
        return [place.home / "code-index"]

    def index(self, place: Place) -> Step:
        return Step([self.program, "index", str(place.clone), "--no-ai-summaries"])

    def update(self, place: Place, path: str) -> Step:
        return Step([self.program, "index-file", str(place.clone / path), "--no-ai-summaries"])

    def arguments(self, place: Place, prompt: str, **more: Any) -> dict[str, Any]:
        return {"repo": str(place.clone), "query": prompt[: self.longest], **more}

    def ask(self, place: Place, question: Question) -> Step:
        wanted = self.arguments(place, question.text, token_budget=BUDGET // 4)
        return Step([self.program], lambda process: Server(process).call("get_ranked_context", wanted))

    def serve(self, place: Place) -> tuple[list[str], str, Callable[[Question], dict[str, Any]]]:
        return (
            [self.program],
            "get_ranked_context",
            lambda question: self.arguments(place, question.text, token_budget=BUDGET // 4),
        )

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        best = self.arguments(place, prompt, max_results=50, detail_level="full", format="json")
        packed = self.arguments(place, prompt, token_budget=BUDGET // 2, format="json")

        def talk(process: Any) -> bytes:
            server = Server(process)
            return server.call("search_symbols", best) + b"\n" + server.call("get_ranked_context", packed)

        lines = self.out(place, Step([self.program], talk), limit).split(b"\n")
        rows = json.loads(lines[0]).get("results", [])
        ranked = [Shown(row["file"], row["line"], row.get("end_line") or row["line"], row["name"]) for row in rows]
        items = json.loads(lines[1]).get("context_items", [])
        context = [
            Shown(row["file"], row["line"], row["line"] + row["source"].rstrip("\n").count("\n"), row["name"])
            for row in items
        ]
        return Found(ranked, context)


class Probe(Tool):
    key, name = "probe", "probe"
    about = "`search`, without Markdown files; keeps no index"
    indexes = False
    options: ClassVar[list[str]] = ["--ignore", "*.md"]

    def ask(self, place: Place, question: Question) -> Step:
        return Step([self.program, "search", question.text, ".", "--max-bytes", str(BUDGET), *self.options])

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        options = ["--format", "json", "--max-results", "50", "--timeout", "120", *self.options]
        out = self.out(place, Step([self.program, "search", *options, "--", prompt, "."]), limit)
        start = out.find(b"{")
        rows = json.loads(out[start:])["results"] if start >= 0 else []
        ranked = [Shown(relative(row["file"], place), row["lines"][0], row["lines"][1]) for row in rows]
        return Found(ranked, ranked)


class Aider(Tool):
    key, name = "aider", "aider's map"
    about = "`--show-repo-map`, 1,500 tokens, signatures only; retrieval: the same class with the words of the prompt"

    def data(self, place: Place) -> list[Path]:
        return sorted(place.clone.glob(".aider.tags.cache*"))

    def prepare(self, place: Place) -> None:
        prices = place.home / ".aider" / "caches" / "model_prices_and_context_window.json"
        prices.parent.mkdir(parents=True, exist_ok=True)
        prices.write_text('{"none": {}}')  # else it asks the web for them, three times, at each start

    def index(self, place: Place) -> Step:
        options = "--show-repo-map --map-tokens 1500 --no-gitignore --no-check-update --analytics-disable --no-pretty"
        more = "--no-show-model-warnings --no-show-release-notes --yes-always --model openai/gpt-4o"
        return Step([self.program, *options.split(), *more.split(), "--openai-api-key", "none"])

    def follow(self, place: Place) -> None:
        return None

    def ask(self, place: Place, question: Question) -> Step | None:
        return None if question.name else self.index(place)

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        python, script = Path(self.program).with_name("python"), Path(__file__).with_name("peers_aider.py")

        def talk(process: Any) -> bytes:
            process.stdin.write(prompt.encode())
            process.stdin.close()
            out: bytes = process.stdout.read()
            return out

        out = self.out(place, Step([str(python), str(script), str(place.clone), str(BUDGET)], talk), limit)
        answer = json.loads(out.strip().rsplit(b"\n", 1)[-1])
        rows = [(Shown(path, line, line, name, whole=False)) for path, line, name in answer["tags"]]
        return Found([row for row in rows if row.start], rows[: answer["shown"]])


class Ripgrep(Tool):
    key, name = "ripgrep", "ripgrep"
    about = "`rg -n -w NAME`, or all words of the prompt; files by tf-idf of the hits, each with five lines around"
    indexes = False
    around = 5

    def pattern(self, question: Question) -> list[str]:
        if question.name:
            return ["-w", "-e", question.name]
        words = re.findall(r"[A-Za-z_$][\w$]{3,}", question.text)
        chosen = list(dict.fromkeys(word for word in words if word.lower() not in STOPWORDS))[:24]
        return ["-i", *(part for word in chosen or [question.text[:40]] for part in ("-e", re.escape(word)))]

    def ask(self, place: Place, question: Question) -> Step:
        return Step([self.program, "-n", "--no-heading", *self.pattern(question), "."])

    def find(self, place: Place, prompt: str, limit: float) -> Found:
        pattern = self.pattern(Question(prompt))
        types = ["-tjs", "-tts", "--max-columns", "400"]
        args = [self.program, "--json", *types, *pattern, "."]
        done = run(args, place.clone, self.env(place), limit)
        hits: dict[str, dict[str, list[int]]] = {}
        for line in done.out.splitlines():
            row = json.loads(line)
            if row["type"] == "match" and "text" in row["data"]["path"]:
                words = hits.setdefault(row["data"]["path"]["text"].removeprefix("./"), {})
                for part in row["data"]["submatches"]:
                    words.setdefault(part["match"].get("text", "").lower(), []).append(row["data"]["line_number"])
        spread: dict[str, int] = {}
        for words in hits.values():
            for word in words:
                spread[word] = spread.get(word, 0) + 1
        rare = {word: math.log(1 + len(hits) / count) for word, count in spread.items()}
        score = {
            path: sum(rare[word] * (1 + math.log(len(lines))) for word, lines in words.items())
            for path, words in hits.items()
        }
        context = []
        for path in sorted(score, key=lambda path: (-score[path], path)):
            weight: dict[int, float] = {}
            for word, lines in hits[path].items():
                for number in set(lines):
                    weight[number] = weight.get(number, 0.0) + rare[word]
            best = sorted(weight, key=lambda number: (-weight[number], number))[:3]
            context += [Shown(path, max(1, number - self.around), number + self.around) for number in best]
        return Found(context, context, units=False)


class ScipTypescript(Tool):
    key, name = "scip-typescript", "scip-typescript"
    about = "`index --infer-tsconfig`, no dependencies installed; a compiler's index, answers no questions"
    answers = ranks = False

    def data(self, place: Place) -> list[Path]:
        return [place.clone / "index.scip"]

    def index(self, place: Place) -> Step:
        return Step([self.program, "index", "--infer-tsconfig", "--no-progress-bar"])

    def update(self, place: Place, path: str) -> None:  # type: ignore[override]
        return None  # it indexes anew


TOOLS: dict[str, type[Tool]] = {
    "cmgit": Cmgit,
    "cmgit-words": CmgitWords,
    "codegraph": Codegraph,
    "codegraph-context": CodegraphContext,
    "semble": Semble,
    "jcodemunch": Jcodemunch,
    "probe": Probe,
    "aider": Aider,
    "ripgrep": Ripgrep,
    "scip-typescript": ScipTypescript,
}


def missing(cache: Path, key: str) -> str:
    """Why a tool cannot be measured here; nothing when it can."""
    kind = TOOLS[key]
    if kind(cache).program and Path(kind(cache).program).exists():
        return ""
    told = cache / "failed.json"
    reason = json.loads(told.read_text()).get(kind.key) if told.exists() else None
    return str(reason or "not installed; `make bench-peers` does it")
