"""More tasks for bench/ranking.py: `python bench/later.py --repos DIR --tasks FILE.jsonl … --out LATER.jsonl`.

Of the commits that come after the base commit of a given task, each that changes one to four functions of at most three
sources becomes a task of its own, asked of the tree of that same base: its index is there already, and its history
holds none of these commits. Changed lines are followed back through the diff between the base and the commit; where
more of them are lost than found, the commit is left out, as are merges, commits of the given tasks, and those whose
message tells of tests, docs, releases or upkeep.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cmgit.core.config import Config
from cmgit.core.facts import UnitKind
from cmgit.core.records import Role, no_progress
from cmgit.git.locate import Location, locate
from cmgit.git.plumbing import run_git
from cmgit.view.open import open_view
from cmgit.view.view import View

MOST_OF_A_BASE = 25
REACH = 100  # commits after a base that are looked at
MOST_FILES, MOST_FUNCTIONS = 3, 4
SHORTEST_TITLE = 12
CODE = (UnitKind.FUNCTION, UnitKind.METHOD, UnitKind.CLASS, UnitKind.TYPE, UnitKind.INTERFACE)
Hunk = tuple[int, int, int, int]

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_UPKEEP = re.compile(
    r"\W*(?:chore|docs?|tests?|ci|build|release|style|revert|merge|wip|lint|typo|bump|update dep|v?\d+\.\d+)",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^\W*(?:co-authored-by|signed-off-by|reviewed-by)\b.*$|^-+$|https?://\S+|\(#\d+\)|(?<!\w)#\d+",
    re.IGNORECASE | re.MULTILINE,
)
_SCOPE = re.compile(r"^(\w+)\([^)]*\)(!?:)")


def query_of(message: str) -> str:
    """A message as the given tasks have it: without trailers, links, numbers of issues and the scope."""
    title, _, body = _TRAILER.sub("", message.replace("\r", "")).strip().partition("\n")
    return "\n\n".join(part for part in (_SCOPE.sub(r"\1\2", title.strip()), body.strip()) if part)


def title_key(query: str) -> str:
    return re.sub(r"\W+", "", _SCOPE.sub(r"\1\2", query.split("\n", 1)[0]).lower())[:40]


def git(at: Location, *args: str) -> str:
    return run_git(at, list(args)).decode("utf-8", "replace")


def hunks(diff: str) -> list[Hunk]:
    return [(int(a), int(b or 1), int(c), int(d or 1)) for a, b, c, d in _HUNK.findall(diff)]


def followed_back(line: int, changes: Iterable[Hunk]) -> int | None:
    """Where a line of the newer file stands in the older one; None for one that is new."""
    shift = 0
    for old, removed, new, added in changes:
        first = new if added else new + 1
        if line < first:
            break
        if line < first + added:
            return None
        shift = (old + removed if removed else old + 1) - (new + added if added else new + 1)
    return line + shift


def innermost(view: View, file: int, line: int, is_gap: bool) -> int | None:
    """The smallest unit of code that holds a line; of a gap behind a line, one that does not end there."""
    column, row = view.units.column, view.files[file]
    kinds, first, last = column("kind"), column("start_line"), column("end_line")
    found: int | None = None
    for unit in range(row.first_unit, row.first_unit + row.unit_count):
        holds = kinds[unit] in CODE and first[unit] <= line <= last[unit] - (1 if is_gap else 0)
        if holds and (found is None or last[unit] - first[unit] <= last[found] - first[found]):
            found = unit
    return found


def changed_units(at: Location, view: View, base: str, commit: str) -> list[int]:
    """What a later commit changes of a view of the base; [] where it is no fair question."""
    names = git(at, "diff", "--name-only", "--no-renames", "--diff-filter=M", f"{commit}^", commit).split("\n")
    places = [(name, view.file_index(name)) for name in names if name]
    sources = [(name, file) for name, file in places if file is not None and view.files[file].role == Role.SOURCE]
    if not 0 < len(sources) <= MOST_FILES:
        return []
    found: dict[int, None] = {}
    lost = kept = 0
    for name, file in sources:
        before = hunks(git(at, "diff", "-U0", "--no-renames", base, f"{commit}^", "--", name))
        for old, removed, _, _ in hunks(git(at, "diff", "-U0", "--no-renames", f"{commit}^", commit, "--", name)):
            for line in range(old, old + max(removed, 1)):
                here = followed_back(line, before)
                lost, kept = lost + (here is None), kept + (here is not None)
                unit = None if here is None else innermost(view, file, here, removed == 0)
                if unit is not None:
                    found[unit] = None
    return list(found) if lost <= kept and len(found) <= MOST_FUNCTIONS else []


def later(at: Location, view: View, repo: str, base: str, given: set[str], seen: set[str]) -> Iterator[dict[str, Any]]:
    path = ("rev-list", "--no-merges", "--topo-order", "--reverse", "--ancestry-path", f"{base}..HEAD")
    many = 0
    for commit in git(at, *path).split()[:REACH]:
        query = query_of(git(at, "log", "-1", "--format=%B", commit))
        title = query.split("\n", 1)[0]
        if commit in seen or _UPKEEP.match(title) or len(title) < SHORTEST_TITLE or title_key(query) in given:
            continue
        units = [view.unit(unit) for unit in changed_units(at, view, base, commit)]
        if not units:
            continue
        seen.add(commit)
        golds = [{"file": u.path, "name": u.name, "start": u.start_line, "end": u.end_line} for u in units]
        yield {"repo": repo, "base_commit": base, "commit": commit, "query": query, "gold_functions": golds}
        many += 1
        if many >= MOST_OF_A_BASE:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--tasks", type=Path, nargs="+", required=True)
    parser.add_argument("--every", type=int, default=4, help="the base of each Nth task of a file")
    parser.add_argument("--cache", required=True, help="folder for the built model")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    with args.out.open("w", encoding="utf-8") as out:
        for path in args.tasks:
            tasks = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
            given, seen = {title_key(task["query"]) for task in tasks}, set[str]()
            for task in tasks[:: args.every]:
                at = locate(str(args.repos / task["repo"].replace("/", "+")))
                view = open_view(
                    at, Config(vectors=False, cache_dir=args.cache), task["base_commit"], no_progress, print
                )
                for row in later(at, view, task["repo"], task["base_commit"], given, seen):
                    out.write(json.dumps(row) + "\n")
            print(path.name, len(seen), flush=True)


if __name__ == "__main__":
    main()
