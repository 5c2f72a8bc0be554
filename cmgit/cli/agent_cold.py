"""The hook's own way to an answer, without a reader: what `git cm retrieve` does, with an eye on the clock.

Nothing is built here: without a snapshot there is no answer. What is late is left out: vectors, when the model or the
texts of changed files would take too long. Then words and the graph answer alone, and the text says so.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from cmgit.cli.agent_answer import NO_SNAPSHOT
from cmgit.cli.direct import direct_answer
from cmgit.cli.session import config_from
from cmgit.core.config import Config
from cmgit.core.records import Context
from cmgit.git.locate import Location, locate
from cmgit.retrieve.quote import json_length
from cmgit.retrieve.seen import Seen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Document = dict[str, object]

LATE_SECONDS = 0.75
"""Less than this left: an answer without vectors is given first."""


def cold_answers(
    cwd: str, settings: Mapping[str, str], request: Mapping[str, object], left: Callable[[], float]
) -> Iterator[Document]:
    """Documents as of `git cm retrieve --json`, each better than the one before.

    Args:
        cwd: a folder of the repository.
        settings: its `cm.*`.
        request: `prompt`, `seen`, `near`, `most`; see `cmgit.retrieve.retrieve`.
        left: seconds until the answer is late.

    Raises:
        CmgitError: git refuses the repository, a setting that is none.
        NoSnapshotError: nothing is indexed yet.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(200_000, 50, 100)
    location, config = locate(cwd), config_from(dict(settings))
    prompt, seen = str(request["prompt"]), Seen.of(request.get("seen"))
    direct = direct_answer(location, config, prompt, None, None, seen)
    most = request.get("most")
    if direct is not None and (not isinstance(most, int) or json_length(direct.text) <= most):
        yield document(direct)
        return
    yield from from_index(location, config, prompt, seen, request, left)


def from_index(
    location: Location,
    config: Config,
    prompt: str,
    seen: Seen,
    request: Mapping[str, object],
    left: Callable[[], float],
) -> Iterator[Document]:
    from cmgit.cli.agent_hurry import HurriedMemory
    from cmgit.retrieve.retrieve import retrieve
    from cmgit.view.open import open_view
    from cmgit.view.past import PastSupply

    memory = HurriedMemory(location.cm_dir, left, NO_SNAPSHOT)
    view = open_view(location, config, None, memory.watch, lambda _: None, memory=memory)
    if isinstance(view.past, PastSupply):
        view.past = replace(view.past, make=False)  # what no build has kept takes longer than a prompt waits
    near, longest = str(request.get("near") or ""), request.get("most")
    most = longest if isinstance(longest, int) else None

    def embed(text: str) -> NDArray[np.float32]:
        return memory.model(config, lambda _: None).embed_query(text)

    def answer(by: Callable[[str], NDArray[np.float32]] | None) -> Context:
        return retrieve(view, prompt, config, detail=config.detail, embed_query=by, seen=seen, near=near, most=most)

    if not config.vectors or left() < LATE_SECONDS:
        early = answer(None)
        yield document(early)
        if not config.vectors or early.route != "search":
            return
    last = document(answer(embed))
    if memory.unmade:
        last["unmade"] = True
    yield last


def document(context: Context) -> Document:
    from cmgit.cli.retrieving import context_json

    return context_json(context, explain=False)
