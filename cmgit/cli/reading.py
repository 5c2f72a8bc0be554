"""How every reading command gets its view: the working tree as it is, or one revision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from cmgit.cli.ahead import NOTHING_AHEAD, Ahead, embedder
from cmgit.cli.output import note, terminal_progress
from cmgit.cli.session import Session, open_session
from cmgit.view.open import open_view
from cmgit.view.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cmgit.embed.model import Model


@contextmanager
def reading(
    rev: str | None,
    *,
    no_vectors: bool = False,
    session: Session | None = None,
    exact: Callable[[str], bool] = lambda _: False,
    ahead: Ahead = NOTHING_AHEAD,
) -> Iterator[tuple[View, Session]]:
    """A view with its progress on a terminal.

    Args:
        rev: a revision, or None for the working tree.
        no_vectors: words and the graph answer alone.
        exact: see `open_view`.
        ahead: what was begun for this answer.
    """
    session = session or open_session()
    if no_vectors:
        session = replace(session, config=replace(session.config, vectors=False))
    progress, close = terminal_progress()
    try:
        yield open_view(session.location, session.config, rev, progress, note, exact, started=ahead.state), session
    finally:
        close()


def query_embedder(session: Session, ahead: Ahead = NOTHING_AHEAD) -> Callable[[str], NDArray[np.float32]] | None:
    """What turns a prompt into a vector, loaded when it is first called; None where the user wants no vectors."""
    if not session.config.vectors:
        return None

    def load() -> Model:
        from cmgit.embed.model import load_model

        return load_model(session.config.cache_dir, session.config.model_dir, note)

    return embedder(ahead, load)
