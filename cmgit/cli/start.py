"""Console script `git-cm`: a hook leaves before anything else is loaded, a plain question needs no click."""

from __future__ import annotations

import gc
import os
import sys


def entry() -> None:
    """git finds this as `git cm`."""
    if sys.argv[1:2] == ["hook"]:
        from cmgit.cli.agent_hook import dispatch

        dispatch(sys.argv[2:])
    # Records and columns are many and live until the end: looking for cycles among them costs a fifth of linking.
    gc.set_threshold(200_000, 50, 100)
    # Before numpy is imported: a reader scans its vectors faster on one thread than BLAS starts two.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from cmgit.cli.boundary import leave, open_missing_streams, run_guarded
    from cmgit.cli.plain import plain_call

    open_missing_streams()
    call = plain_call(sys.argv[1:])
    if call is None:
        from cmgit.cli.main import call_click

        call = call_click
    leave(run_guarded(call))
