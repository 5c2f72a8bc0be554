"""Runs the hook again and again, each time in a forked process of its own: the real entry, without Python's start.

Started by `HookServer`. What an answer needs is imported before, so that three hundred of them take seconds; the model
is not (it starts threads), and repositories of these tests have no vectors.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import time


def preload() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import cmgit.agents.claude
    import cmgit.agents.codex
    import cmgit.cli.agent_answer
    import cmgit.cli.agent_cold
    import cmgit.cli.agent_read
    import cmgit.cli.retrieve
    import cmgit.retrieve.retrieve
    import cmgit.view.open  # noqa: F401


SURE_TO_FIT = 16_000
"""Bytes: no system's pipe takes less."""


def run(case: dict[str, object]) -> dict[str, object]:
    stdin_out, stdin_into = os.pipe()
    out, out_into = os.pipe()
    err, err_into = os.pipe()
    data = memoryview(base64.b64decode(str(case["data"])))
    if len(data) <= SURE_TO_FIT:  # it is there before the hook looks: that looks for half a second only
        data = data[os.write(stdin_into, data) :]
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        for descriptor in (stdin_into, out, err):
            os.close(descriptor)
        os.setsid()
        os.dup2(stdin_out, 0)
        os.dup2(out_into, 1)
        os.dup2(err_into, 2)
        for name, descriptor in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
            if case.get(name) == "closed":
                os.close(descriptor)
        os.closerange(3, 64)
        os.chdir(str(case["cwd"]))
        os.environ.update(case.get("env") or {})  # type: ignore[call-overload]
        from cmgit.cli.agent_hook import dispatch

        dispatch([str(case["client"])])
    for descriptor in (stdin_out, out_into, err_into):
        os.close(descriptor)
    if case.get("stdout") == "nobody reads":
        os.close(out)
    writer = os.fork()  # the child may never read what it is given
    if writer == 0:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        for descriptor in (err, *(() if case.get("stdout") == "nobody reads" else (out,))):
            os.close(descriptor)
        while data:
            data = data[os.write(stdin_into, data) :]
        if case.get("stdin") == "stays open":
            time.sleep(120)
        os._exit(0)
    os.close(stdin_into)
    said = b"" if case.get("stdout") == "nobody reads" else drain(out)
    complained = drain(err)
    _, status = os.waitpid(child, 0)
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": base64.b64encode(said).decode(),
        "err": base64.b64encode(complained).decode(),
        "seconds": time.monotonic() - started,
    }


def drain(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 1 << 18):
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts)


if __name__ == "__main__":
    if "--warm" in sys.argv:
        preload()
    else:
        import cmgit.cli.agent_hook  # noqa: F401
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()
