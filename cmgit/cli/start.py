"""Console script `git-cm`: a hook leaves before anything else is loaded, every other command goes on to click."""

from __future__ import annotations

import gc
import sys


def entry() -> None:
    """git finds this as `git cm`."""
    if sys.argv[1:2] == ["hook"]:
        from cmgit.cli.agent_hook import dispatch

        dispatch(sys.argv[2:])
    # Records and columns are many and live until the end: looking for cycles among them costs a fifth of linking.
    gc.set_threshold(200_000, 50, 100)
    from cmgit.cli.main import entry as main_entry

    main_entry()
