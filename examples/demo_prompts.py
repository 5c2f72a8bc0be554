"""Three prompts for the demo, one for each route: fixed ones for the example, found ones for any other repository."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from demo_screen import Tool

ROUTES = ("direct", "named", "search")
TRIES = 6

DIRECT_LIMIT = 6_000
REQUEST = re.compile(rb"\bimport\b|\brequire\s*\(|\bexport\b[^;=(]*\bfrom\b")
DOC_COMMENT = re.compile(r"/\*\*\s*(.*?)\*/", re.DOTALL)
PLAIN_SENTENCE = re.compile(r"[A-Z][a-z']*(?:[ ,]+[a-z][a-z'-]*)+")
SIDE_PATHS = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|fixtures?|examples?|dist|build|vendor|docs?)(?:/|$)|[.-](?:test|spec|d)\."
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """expected: the route that should answer. why: what the prompt is an example of."""

    text: str
    expected: str
    why: str


EXAMPLE_PROMPTS = (
    Prompt(
        "In packages/core/src/money.ts, do the parts of a split amount always add up, for negative amounts too?",
        "direct",
        "The prompt names one short file that imports nothing: reading it is the whole answer, no index is asked.",
    ),
    Prompt(
        "What changes for `quoteCart` and its callers when prices include tax already?",
        "named",
        "The prompt names a function: the index knows where it stands, what it needs and who calls it.",
    ),
    Prompt(
        "A customer types the same coupon once in capitals and once in small letters and gets the discount twice",
        "search",
        "A bug in plain words (it is really there): words, meaning and the call graph find the place together.",
    ),
)


def prompts_of(tool: Tool) -> dict[str, list[Prompt]]:
    """Prompts made from the repository itself, for each route the likeliest first; a route may have none."""
    units = [json.loads(line) for line in tool.run("export", "--units").text.splitlines()]
    main = [unit for unit in units if not SIDE_PATHS.search(unit["path"])]
    callers = count_callers(tool)
    return {
        "direct": (direct_prompts(tool.folder, main) or direct_prompts(tool.folder, units))[:TRIES],
        "named": (named_prompts(main, callers) or named_prompts(units, callers))[:TRIES],
        "search": (search_prompts(tool.folder, main) or search_prompts(tool.folder, units))[:TRIES],
    }


def direct_prompts(folder: Path, units: list[dict[str, object]]) -> list[Prompt]:
    """Short files without any request, those with the most functions first."""
    functions = Counter(str(unit["path"]) for unit in units if unit["kind"] in ("function", "method", "class"))
    fitting = []
    for path, count in functions.items():
        data = read_source(folder, path)
        if data and len(data) <= DIRECT_LIMIT and not REQUEST.search(data) and re.fullmatch(r"[\w./@-]+", path):
            fitting.append((-count, path))
    why = "The prompt names one short file that imports nothing: reading it is the whole answer, no index is asked."
    return [Prompt(f"Which edge cases does {path} miss?", "direct", why) for _, path in sorted(fitting)]


def count_callers(tool: Tool) -> Counter[tuple[str, str]]:
    """How many calls are bound to (path, name)."""
    callers: Counter[tuple[str, str]] = Counter()
    for line in tool.run("export", "--edges").text.splitlines():
        edge = json.loads(line)
        if edge["kind"] == "call" and edge.get("target_path"):
            callers[edge["target_path"], edge["target_name"]] += 1
    return callers


def named_prompts(units: list[dict[str, object]], callers: Counter[tuple[str, str]]) -> list[Prompt]:
    """Functions with a name like no other; exported ones first, then those with more callers, up to twelve."""
    named = Counter(str(unit["name"]) for unit in units)
    fitting = []
    for unit in units:
        name = str(unit["name"])
        count = callers[str(unit["path"]), name]
        distinctive = re.fullmatch(r"[a-z]+[A-Z]\w+", name) and named[name] == 1
        if unit["kind"] in ("function", "method") and distinctive and count <= 12:
            fitting.append((not (unit["exported"] and count), -count, name))
    why = "The prompt names a function: the index knows where it stands, what it needs and who calls it."
    return [Prompt(f"What breaks if `{name}` gets one more argument?", "named", why) for _, _, name in sorted(fitting)]


def search_prompts(folder: Path, units: list[dict[str, object]]) -> list[Prompt]:
    """First sentences of doc comments that hold plain words only; the last commits' subjects when there are none."""
    sentences: dict[str, None] = {}
    for path in sorted({str(unit["path"]) for unit in units}):
        for sentence in doc_sentences((read_source(folder, path) or b"").decode("utf-8", "replace")):
            sentences.setdefault(sentence)
    longest_first = sorted(sentences, key=lambda text: (-len(text.split()), text))
    done = subprocess.run(
        ["git", "log", "-n", "30", "--no-merges", "--format=%s"], cwd=folder, capture_output=True, check=False
    )
    subjects = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if len(line.split()) >= 4]
    why = "A task in plain words: words, meaning and the call graph find the place together."
    return [Prompt(f"Where is the code that does this: {text.lower()}", "search", why) for text in longest_first] + [
        Prompt(subject, "search", why) for subject in subjects
    ]


def doc_sentences(source: str) -> Iterator[str]:
    for match in DOC_COMMENT.finditer(source):
        body = " ".join(line.strip().lstrip("*").strip() for line in match[1].splitlines())
        sentence = body.split(". ")[0].split(" @")[0].strip(" .")
        if PLAIN_SENTENCE.fullmatch(sentence) and 7 <= len(sentence.split()) <= 20:
            yield sentence


def read_source(folder: Path, path: str) -> bytes | None:
    file = folder / path
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None
