"""The one place that turns errors into a message, a hint and an exit code, and that ends the process.

Exit codes: 0 done, 1 a stated failure or a bug, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from cmgit.cli.output import one_line
from cmgit.core.errors import CmgitError

INTERRUPTED = 130


def open_missing_streams() -> None:
    """A caller may close stdin, stdout or stderr (`>&-`); Python then has None in their place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - it lives as long as we


def run_guarded(run: Callable[[], object]) -> int:
    """Run a command; give its exit code. Nobody sees a traceback unless CMGIT_DEBUG asks for it."""
    output = sys.stdout
    try:
        result = run()
        sys.stdout.flush()
    except CmgitError as error:
        complain(error.message, error.hint, error.lines)
        return error.exit_code
    except KeyboardInterrupt:
        return interrupted()
    except BrokenPipeError:
        # The reader of our output went away (`| head`); that is no fault, and nothing can be printed any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as left:
        # click leaves so when the pipe closes while it writes, and puts another stdout in place; no fault either.
        if sys.stdout is not output:
            return 0
        return left.code if isinstance(left.code, int) else 1
    except OSError as error:
        if error.errno == errno.ENOSPC:
            complain("no space left where the output goes", "the index is not the output: it is untouched")
            return 1
        return bug(error)
    except Exception as error:
        code = code_of_click(error)
        return bug(error) if code is None else code
    return result if isinstance(result, int) else 0


def interrupted() -> int:
    complain("interrupted", "what was finished is kept; run the same command again to go on")
    return INTERRUPTED


def code_of_click(error: Exception) -> int | None:
    """Show what click says of a command line, where it was loaded; None for an error that is not click's."""
    click = sys.modules.get("click")
    if click is None:
        return None
    if isinstance(error, click.Abort):
        return interrupted()
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code if isinstance(error, click.UsageError) else 1
    return None


def bug(error: Exception) -> int:
    """An error that nobody foresaw: its name and what to do, without a traceback unless CMGIT_DEBUG asks for it."""
    if os.environ.get("CMGIT_DEBUG"):
        raise error
    complain(
        f"internal error: {type(error).__name__}: {error}",
        "this is a bug in cmgit; CMGIT_DEBUG=1 shows where; the index and the repository are untouched",
    )
    return 1


def complain(message: str, hint: str, lines: str = "") -> None:
    text = f"git-cm: {one_line(message)}\n" + (f"hint: {one_line(hint)}\n" if hint else "") + lines
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
