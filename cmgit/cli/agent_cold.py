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

from cmgit.cli.agent_child import NO_SNAPSHOT
from cmgit.cli.ahead import Ahead
from cmgit.git.locate import Location, StartedProbe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cmgit.core.config import Config
    from cmgit.core.records import Context
    from cmgit.retrieve.seen import Seen

Document = dict[str, object]

AFTER_VECTOR_SECONDS = 0.2
"""What an answer takes when its vector is there."""
MANY_CHANGES = 30
"""So many changed files may take longer to parse than there is time: what the snapshot alone says is given first."""
LATE_SECONDS = 0.75
"""Less than this left: an answer without vectors is given first."""


class Beginning:
    """What needs neither the question nor the settings: git looks, side by side, while all but numpy is loaded."""

    def __init__(self, cwd: str) -> None:
        """Raises CmgitError where git cannot be started."""
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        gc.set_threshold(200_000, 50, 100)
        self.state = StartedProbe(cwd)
        # All of them are needed for every answer, and none loads numpy: a process for the vector is forked before that.
        import cmgit.cli.session
        import cmgit.index.recipes
        import cmgit.retrieve.notes_part
        import cmgit.retrieve.prompt
        import cmgit.retrieve.render  # noqa: F401


def cold_answers(
    beginning: Beginning, settings: Mapping[str, str], request: Mapping[str, object], left: Callable[[], float]
) -> Iterator[Document]:
    """Documents as of `git cm retrieve --json`, each better than the one before.

    Args:
        settings: the repository's `cm.*`.
        request: `prompt`, `seen`, `near`, `most`; see `cmgit.retrieve.retrieve`.
        left: seconds until the answer is late.

    Raises:
        CmgitError: git refuses the repository, a setting that is none.
        NoSnapshotError: nothing is indexed yet.
    """
    with Ahead(beginning.state) as ahead:
        from cmgit.cli.session import config_from
        from cmgit.retrieve.prompt import names_one_file, read_prompt
        from cmgit.retrieve.seen import Seen

        config, prompt = config_from(dict(settings)), str(request["prompt"])
        asked, seen = read_prompt(prompt), Seen.of(request.get("seen"))
        ahead.embed(asked, config)
        location = beginning.state.located().location
        if names_one_file(asked):
            from cmgit.cli.direct import direct_answer
            from cmgit.retrieve.quote import json_length

            direct, most = direct_answer(location, config, asked, None, None, seen, ahead.state), request.get("most")
            if direct is not None and (not isinstance(most, int) or json_length(direct.text) <= most):
                yield document(direct)
                return
        yield from from_index(location, config, prompt, seen, request, left, ahead)


def from_index(
    location: Location,
    config: Config,
    prompt: str,
    seen: Seen,
    request: Mapping[str, object],
    left: Callable[[], float],
    ahead: Ahead,
) -> Iterator[Document]:
    from cmgit.cli.agent_hurry import HurriedMemory
    from cmgit.retrieve.retrieve import retrieve
    from cmgit.view.open import open_views
    from cmgit.view.past import PastSupply
    from cmgit.view.view import View

    memory = HurriedMemory(location.cm_dir, left, NO_SNAPSHOT)
    near, longest = str(request.get("near") or ""), request.get("most")
    most = longest if isinstance(longest, int) else None

    def embed(text: str) -> NDArray[np.float32]:
        memory.check_model(config)
        found = ahead.vector(text, left() - AFTER_VECTOR_SECONDS)
        return memory.model(config, lambda _: None).embed_query(text) if found is None else found

    def answer(view: View, by: Callable[[str], NDArray[np.float32]] | None) -> Context:
        if isinstance(view.past, PastSupply):
            view.past = replace(view.past, make=False)  # what no build has kept takes longer than a prompt waits
        return retrieve(view, prompt, config, detail=config.detail, embed_query=by, seen=seen, near=near, most=most)

    views = open_views(
        location, config, None, memory.watch, lambda _: None, memory=memory, started=ahead.state, many=MANY_CHANGES
    )
    for view in views:
        if not view.pending_files:
            break
        yield document(answer(view, None))  # before the next one is made
    if not config.vectors or left() < LATE_SECONDS:
        early = answer(view, None)
        yield document(early)
        if not config.vectors or early.route != "search":
            return
    last = document(answer(view, embed))
    if memory.unmade:
        last["unmade"] = True
    yield last


def document(context: Context) -> Document:
    from cmgit.cli.retrieving import context_json

    return context_json(context, explain=False)
