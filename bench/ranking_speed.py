"""CPU time of the ranking alone, the view in memory: `python bench/ranking_speed.py REPO [--times 9]`.

Counted is all between a prompt that was read and the ordered units: words, history, the exact search over all vectors,
the graph, fusion; of the prompt's vector nothing, the model makes it once for each prompt before. `--times N` asks the
repository's tree N times over, each in a folder of its own, in a clone that is thrown away.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cmgit.cli.session import Session, open_session
from cmgit.core.records import no_progress
from cmgit.embed.model import load_model
from cmgit.retrieve.focus import find_focus
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.rank import rank
from cmgit.view.open import open_view

PROMPTS = (
    "fix(parser): wrong position of the error in a nested element",
    "the cache is not cleared when a component is unmounted",
    "add an option to pass the request's headers on",
    "How are computed values invalidated when one of their dependencies changes?",
    "TypeError: Cannot read properties of undefined (reading 'length') when the list is empty, expected an empty list",
    "warn once when a deprecated option is given",
)
ROUNDS = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("--times", type=int, default=1, help="the tree so many times over")
    args = parser.parse_args()
    os.chdir(args.repo)
    if args.times == 1:
        print(measured(open_session(), None))
        return
    with tempfile.TemporaryDirectory(prefix="cmgit-bench-") as folder:
        subprocess.run(["git", "clone", "-q", "-n", "--shared", str(args.repo.resolve()), folder], check=True)
        tree = repeated(Path(folder), args.times)
        os.chdir(folder)
        print(measured(open_session(), tree))
        os.chdir(args.repo.anchor)


def repeated(clone: Path, times: int) -> str:
    """A tree that holds the one of HEAD so many times."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=clone, check=True, capture_output=True, text=True).stdout.strip()

    git("read-tree", "--empty")
    for number in range(times):
        git("read-tree", f"--prefix=copy{number}/", "HEAD")
    return git("write-tree")


def measured(session: Session, rev: str | None) -> str:
    """A line of milliseconds."""
    config = session.config
    view = open_view(session.location, config, rev, no_progress, print)
    model = load_model(config.cache_dir, config.model_dir)
    spent: list[list[float]] = []
    for text in PROMPTS:
        prompt, known = read_prompt(text), dict[str, NDArray[np.float32]]()

        def embed(asked: str, known: dict[str, NDArray[np.float32]] = known) -> NDArray[np.float32]:
            if asked not in known:
                known[asked] = model.embed_query(asked)
            return known[asked]

        times = []
        for _ in range(ROUNDS + 1):
            begun = time.process_time()
            rank(view, prompt, find_focus(view, prompt), embed, 50)
            times.append(1000 * (time.process_time() - begun))
        spent.append(times[1:])  # the first reads what the others find in memory
    every = statistics.median(value for values in spent for value in values)
    best = statistics.median(min(values) for values in spent)
    vectors = view.vectors()
    return (
        f"{len(view.units):,} units, {len(vectors.units) if vectors is not None else 0:,} vectors: "
        f"{every:.1f} ms of CPU, "
        f"median of {len(PROMPTS)} prompts by {ROUNDS}; median of each prompt's best {best:.1f} ms"
    )


if __name__ == "__main__":
    main()
