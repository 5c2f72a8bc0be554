"""The one place that turns errors into a message, a hint and an exit code, and that ends the process.

Exit codes: 0 done, 1 a stated failure or a bug, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn

import click

from cmgit.cli.output import one_line
from cmgit.core.errors import CmgitError

INTERRUPTED = 130


def run_guarded(run: Callable[[], object]) -> int:
    """Run a command; give its exit code. Nobody sees a traceback unless CMGIT_DEBUG asks for it."""
    try:
        result = run()
        sys.stdout.flush()
    except CmgitError as error:
        complain(error.message, error.hint)
        return error.exit_code
    except click.UsageError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return 1
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted", "what was finished is kept; run the same command again to go on")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`| head`); that is no fault, and nothing can be printed any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("CMGIT_DEBUG"):
            raise
        complain(
            f"internal error: {type(error).__name__}: {error}",
            "this is a bug in cmgit; CMGIT_DEBUG=1 shows where; the index and the repository are untouched",
        )
        return 1
    return result if isinstance(result, int) else 0


def complain(message: str, hint: str) -> None:
    text = f"git-cm: {one_line(message)}\n" + (f"hint: {one_line(hint)}\n" if hint else "")
    sys.stderr.write(printable(text))
    sys.stderr.flush()


def printable(text: str) -> str:
    """Text that any terminal's encoding takes: lone surrogates (names that are not UTF-8) become escapes."""
    encoding = sys.stderr.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def leave(code: int) -> NoReturn:
    """End at once after flushing: tearing down native libraries costs a reader more than its work."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
