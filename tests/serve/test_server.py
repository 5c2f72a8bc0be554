"""The reader's door: no client can block, crash or fool it."""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from cmgit.core.errors import CmgitError, UsageError
from cmgit.serve import server as door
from cmgit.serve.place import Place, take_place
from cmgit.serve.server import Document, Rules, Server
from cmgit.view import resident
from tests.serve.conftest import HANG, until


def answer(request: Document, _: float, foreseen: object = None) -> Document:
    if request.get("op") == "fail":
        raise UsageError("it is wrong", "do it right")
    if request.get("op") == "bug":
        raise ZeroDivisionError("oh")
    if request.get("op") == "foreseen":
        return {"foreseen": foreseen}
    return {"said": request.get("word"), "long": "x" * int(str(request.get("size", 0)))}


RULES = Rules("v1", 60.0, answer, lambda: {"pid": os.getpid()}, lambda: None, lambda: None)


def taken(path: Path, *, loopback: bool = False) -> Place:
    place = take_place(path, {}, loopback=loopback)
    assert place is not None
    return place


@contextmanager
def serving(path: Path, rules: Rules = RULES, *, loopback: bool = False) -> Iterator[list[str]]:
    """A server in a thread; the list gets the reason why it left."""
    server = Server(taken(path, loopback=loopback), rules)
    left: list[str] = []
    thread = threading.Thread(target=lambda: left.append(server.run()))
    thread.start()
    try:
        yield left
    finally:
        server.stop("the test is over")
        thread.join(HANG)
        assert not thread.is_alive()


@pytest.fixture
def path(run_dir: Path) -> Path:
    run_dir.mkdir(mode=0o700)
    return run_dir / "place.sock"


def ask(path: Path, seconds: float = HANG, **request: object) -> Document | None:
    return resident.exchange(str(path), {"version": "v1", **request}, seconds)


def raw(path: Path, data: bytes, seconds: float = HANG) -> bytes:
    """Send bytes, give what comes back until the end."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(seconds)
        connection.connect(str(path))
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)
        got = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(1 << 16):
                got += part
        return got


def test_an_answer_an_error_and_a_bug_each_come_back_as_one_line(path: Path) -> None:
    with serving(path):
        assert ask(path, op="echo", word="höflich\udcff") == {"answer": {"said": "höflich\udcff", "long": ""}}
        assert ask(path, op="fail") == {"error": {"message": "it is wrong", "hint": "do it right", "code": 2}}
        assert "ZeroDivisionError" in str(ask(path, op="bug"))
        assert resident.ask(str(path), {"version": "v1", "op": "fail"}, HANG) is None
        assert ask(path, op="echo", size=3_000_000) == {"answer": {"said": None, "long": "x" * 3_000_000}}


def test_another_version_is_refused(path: Path) -> None:
    with serving(path):
        assert "refused" in (resident.exchange(str(path), {"version": "v2", "op": "echo"}, HANG) or {})
        assert resident.ask(str(path), {"version": "v2", "op": "echo"}, HANG) is None
        assert resident.ask(str(path), {"op": "echo"}, HANG) is None
        assert resident.ask(str(path), {"op": "ping"}, HANG) is not None  # people may ask who is there


@pytest.mark.parametrize(
    "line",
    [b"\n", b"{\n", b"[]\n", b"null\n", b'"text"\n', b"\xff\xfe\n", b"GET / HTTP/1.1\r\n\r\n", b"[" * 100_000 + b"\n"],
)
def test_garbage_is_refused_and_the_next_question_answered(path: Path, line: bytes) -> None:
    with serving(path):
        assert b"refused" in raw(path, line)
        assert ask(path, op="echo", word=1) == {"answer": {"said": 1, "long": ""}}


def test_a_line_without_end_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "LONGEST_LINE", 100_000)
    with serving(path):
        # It may close before it read all of it: then the client sees no reply, only the end.
        assert raw(path, b"x" * 1_000_000) in (b"", b'{"refused":"the line is too long"}\n')
        assert ask(path, op="echo") is not None


def test_clients_that_say_nothing_do_not_keep_others_from_asking(path: Path) -> None:
    with serving(path), ExitStack() as open_sockets:
        silent = [open_sockets.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(door.MOST_CLIENTS + 20)]
        for connection in silent:
            connection.connect(str(path))
        silent[-1].sendall(b'{"op": "echo"')
        assert ask(path, op="echo", word=2) is not None
        for connection in silent:
            connection.close()
        assert ask(path, op="echo", word=3) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels refuse where Linux says: again")
def test_a_full_queue_is_waited_for(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as busy, ExitStack() as open_sockets:
        busy.bind(str(path))
        busy.listen(1)
        crowd = [open_sockets.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(8)]
        for connection in crowd:
            connection.setblocking(False)
        met = [connection.connect_ex(str(path)) for connection in crowd]
        assert set(met) == {0, errno.EAGAIN}

        def serve() -> None:
            time.sleep(0.1)  # so that the queue is found full
            waiting = [open_sockets.enter_context(busy.accept()[0]) for _ in range(sum(found == 0 for found in met))]
            with busy.accept()[0] as connection:
                assert waiting
                connection.recv(1000)
                connection.sendall(b'{"answer": {}}\n')

        thread = threading.Thread(target=serve)
        thread.start()
        assert resident.ask(str(path), {"op": "echo"}, HANG) == {}
        thread.join()


def test_a_silent_client_is_dropped_after_a_while(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "SPEAKING_SECONDS", 0.2)
    monkeypatch.setattr(door, "TICK_SECONDS", 0.1)
    with serving(path), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(HANG)
        connection.connect(str(path))
        assert connection.recv(10) == b""


def test_a_client_that_does_not_read_its_long_reply_blocks_nobody(path: Path) -> None:
    with serving(path), socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(json.dumps({"version": "v1", "op": "echo", "size": 30_000_000}).encode() + b"\n")
        assert ask(path, op="echo", word=4) is not None


def test_a_question_whose_asker_went_away_is_not_answered(path: Path) -> None:
    asked: list[object] = []
    free = threading.Event()

    def note(request: Document, arrived: float, foreseen: object) -> Document:
        asked.append(request.get("word"))
        if request.get("word") == "first":
            free.wait(HANG)
        return answer(request, arrived, foreseen)

    with serving(path, replace(RULES, answer=note)):
        first = threading.Thread(target=lambda: ask(path, op="echo", word="first"))
        first.start()
        until(lambda: asked)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(b'{"version": "v1", "op": "echo", "word": "gone"}\n')
        for _ in range(2):  # what came before these has been seen when they are answered
            assert ask(path, op="ping") is not None
        free.set()
        assert ask(path, op="echo", word="there") is not None
        first.join()
    assert asked == ["first", "there"]


def test_what_was_begun_when_a_client_called_is_for_its_own_question_and_no_other(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "SOON_SECONDS", HANG)  # a busy machine is no silent client
    calls = iter(range(100))
    with serving(path, replace(RULES, foresee=lambda: next(calls))):
        first, second = (resident.call(str(path), HANG) for _ in range(2))
        request: Document = {"version": "v1", "op": "foreseen"}
        assert resident.ask(str(path), request, HANG, second) == {"foreseen": 1}
        assert resident.ask(str(path), request, HANG, first) == {"foreseen": 0}
        assert resident.ask(str(path), request, HANG) == {"foreseen": 2}


def test_what_was_begun_for_a_client_that_is_silent_for_long_does_not_count(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "SOON_SECONDS", 0.05)
    reasons: list[str] = []
    rules = replace(RULES, foresee=lambda: "old", stale=lambda: reasons[0] if reasons else None)
    request: Document = {"version": "v1", "op": "foreseen"}
    with serving(path, rules):
        line = resident.call(str(path), HANG)
        assert ask(path, op="ping") is not None  # the call has been seen
        time.sleep(0.1)
        assert resident.ask(str(path), request, HANG, line) == {"foreseen": None}
        line = resident.call(str(path), HANG)
        assert ask(path, op="ping") is not None
        time.sleep(0.1)
        reasons.append("its own files were replaced")
        assert resident.exchange(str(path), request, HANG, line) == {"refused": "its own files were replaced"}


def test_nothing_is_begun_for_a_client_that_calls_while_another_is_answered(path: Path) -> None:
    begun: list[int] = []
    busy, free = threading.Event(), threading.Event()

    def slow(request: Document, arrived: float, foreseen: object) -> Document:
        if request.get("word") == "first":
            busy.set()
            free.wait(HANG)
        return answer(request, arrived, foreseen)

    with serving(path, replace(RULES, answer=slow, foresee=lambda: begun.append(1) or "look")):
        first = threading.Thread(target=lambda: ask(path, op="echo", word="first"))
        first.start()
        busy.wait(HANG)
        line = resident.call(str(path), HANG)
        assert ask(path, op="ping") is not None  # both calls have been seen
        assert len(begun) == 1
        free.set()
        first.join()
        assert resident.ask(str(path), {"version": "v1", "op": "foreseen"}, HANG, line) == {"foreseen": None}


def test_a_line_to_nobody_is_none(path: Path) -> None:
    assert resident.call(str(path), 1) is None
    path.write_text("no socket")
    assert resident.call(str(path), 1) is None


def test_many_clients_at_once_all_get_their_own_answer(path: Path) -> None:
    with serving(path):
        found: dict[int, object] = {}

        def one(number: int) -> None:
            found[number] = ask(path, op="echo", word=number)

        threads = [threading.Thread(target=one, args=(number,)) for number in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: {"answer": {"said": number, "long": ""}} for number in range(30)}


def test_it_leaves_when_nobody_asks_and_leaves_nothing_behind(path: Path) -> None:
    with serving(path, replace(RULES, idle_seconds=0.3)) as left:
        until(lambda: left)
    assert left == ["nobody asked for a while"]
    assert list(path.parent.iterdir()) == []


def test_a_ping_does_not_keep_it_alive(path: Path) -> None:
    with serving(path, replace(RULES, idle_seconds=0.5)) as left:
        until(lambda: ask(path, op="ping") is None and left)


def test_it_leaves_when_it_must_before_the_next_answer(path: Path) -> None:
    reasons: list[str] = []
    with serving(path, replace(RULES, stale=lambda: reasons[0] if reasons else None)) as left:
        assert ask(path, op="echo", word=1) is not None
        reasons.append("its own files were replaced")
        assert ask(path, op="echo", word=1) == {"refused": "its own files were replaced"}
        until(lambda: left)


def test_it_leaves_when_its_socket_is_taken_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "TICK_SECONDS", 0.1)
    with serving(path) as left:
        path.unlink()
        until(lambda: left)
    assert left == ["its socket was removed"]


def test_only_one_takes_a_place(path: Path) -> None:
    held = taken(path)
    assert take_place(path, {}) is None
    assert path.stat().st_mode & 0o777 == 0o600
    held.close()
    taken(path).close()


def test_of_many_that_start_at_once_exactly_one_takes_the_place(path: Path) -> None:
    for _ in range(5):
        ready, found = threading.Barrier(8), []

        def run(ready: threading.Barrier = ready, found: list[Place | None] = found) -> None:
            ready.wait()
            found.append(take_place(path, {}))

        threads = [threading.Thread(target=run) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        places = [place for place in found if place is not None]
        assert len(places) == 1
        places[0].close()
        assert list(path.parent.iterdir()) == []


def test_what_killed_readers_left_is_swept_and_what_lives_stays(path: Path) -> None:
    living = taken(path.with_name("living.sock"))
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path.with_name("dead.sock")))
    path.with_name("dead.lock").write_text("{}")
    place = taken(path)
    assert sorted(p.name for p in path.parent.iterdir()) == ["living.lock", "living.sock", "place.lock", "place.sock"]
    place.close()
    living.close()


def test_a_folder_that_others_may_enter_is_not_used_and_not_asked(path: Path) -> None:
    with serving(path):
        path.parent.chmod(0o755)
        assert ask(path, op="echo") is None
        with pytest.raises(CmgitError, match="not this user's alone"):
            take_place(path.with_name("other.sock"), {})
        path.parent.chmod(0o700)
        assert ask(path, op="echo") is not None


def test_a_folder_that_is_a_link_is_not_used(run_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir(mode=0o700)
    run_dir.symlink_to(tmp_path / "theirs")
    with pytest.raises(CmgitError, match="not this user's alone"):
        take_place(run_dir / "place.sock", {})
    assert list((tmp_path / "theirs").iterdir()) == []


def test_on_loopback_the_token_is_asked_for_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What serves Windows; here it can only be shown on this system."""
    with serving(path, loopback=True):
        port = int(path.read_text().split()[0])
        assert path.stat().st_mode & 0o777 == 0o600
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.settimeout(HANG)
            connection.sendall(b'wrong\n{"version": "v1", "op": "echo"}\n')
            with suppress(ConnectionResetError):
                assert connection.recv(100) == b""
        monkeypatch.delattr(resident.sockets, "AF_UNIX")
        assert ask(path, op="echo", word="tcp") == {"answer": {"said": "tcp", "long": ""}}


def test_nobody_there_is_no_error(path: Path) -> None:
    assert ask(path, op="echo") is None
    path.write_text("a file, no socket")
    assert ask(path, op="echo") is None
    path.unlink()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert ask(path, op="echo") is None


def test_a_server_that_never_answers_is_given_up_in_time(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(path))
        deaf.listen()
        started = time.monotonic()
        assert ask(path, 0.3, op="echo") is None
        assert time.monotonic() - started < 30  # it would never end


@pytest.mark.parametrize("reply", [b"", b"\n", b"{", b"[]\n", b'{"answer": 3}\n', b"x" * 70_000 + b"\n"])
def test_a_strange_reply_is_no_answer(path: Path, reply: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as strange:
        strange.bind(str(path))
        strange.listen()

        def serve() -> None:
            connection, _ = strange.accept()
            with connection, suppress(OSError):
                connection.recv(1000)
                connection.sendall(reply)

        thread = threading.Thread(target=serve)
        thread.start()
        assert resident.ask(str(path), {"op": "echo"}, HANG) is None
        thread.join()


def test_socket_paths_are_short_and_one_for_each_worktree(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 200) / ("e" * 200)
    deep.mkdir(parents=True)
    a, b = (resident.socket_path(str(deep / name), "/run/user/1000/cmgit") for name in ("a", "b"))
    assert a != b
    assert len(a) < 100
    (tmp_path / "link").symlink_to(deep)
    assert resident.socket_path(str(tmp_path / "link" / "a"), "/run/user/1000/cmgit") == a
