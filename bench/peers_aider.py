"""Runs in aider's environment: the tags of its repository map for one message, best first, as JSON.

`python peers_aider.py ROOT BYTES < MESSAGE`. aider's command line prints the map of a message only on its way to a
language model; this calls the same class with the words of the message, as its coder does.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from aider.io import InputOutput
from aider.repomap import RepoMap


class Counter:
    def token_count(self, text: str) -> float:
        return len(text) / 4


def main() -> None:
    root, room, message = Path(sys.argv[1]), int(sys.argv[2]), sys.stdin.read()
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True).stdout
    names = [name for name in tracked.decode("utf-8", "replace").split("\0") if name and (root / name).is_file()]
    words = set(re.split(r"\W+", message))
    longer = {word.lower() for word in words if len(word) >= 5}
    told = {name for name in names if Path(name).stem.lower() in longer or name in message}
    quiet = InputOutput(yes=True, pretty=False, fancy_input=False)
    repo_map = RepoMap(map_tokens=room // 4, root=str(root), main_model=Counter(), io=quiet)
    tags = list(repo_map.get_ranked_tags([], [str(root / name) for name in names], told, words))
    low, high = 0, len(tags)
    while low < high:
        middle = (low + high + 1) // 2
        if len(repo_map.to_tree(tags[:middle], set()).encode()) <= room:
            low = middle
        else:
            high = middle - 1
    rows = [[tag.rel_fname, tag.line + 1, tag.name] if len(tag) > 1 else [tag[0], 0, ""] for tag in tags[: low + 300]]
    print("\n" + json.dumps({"shown": low, "tags": rows}))


if __name__ == "__main__":
    main()
