"""The binding: connections and open files that are held on a real file server."""

import json
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from headcount._engine import SmbHold
from headcount.errors import EngineError, InputError, TargetError
from headcount.lab.samba import SambaServer
from processes import wait_for

Server = tuple[SambaServer, str]
HUNG_S = 60.0
"""What takes longer has failed."""


@pytest.fixture
def server() -> Iterator[Server]:
    started = SambaServer({"shares": "2"})
    try:
        yield started, described(started)
    finally:
        started.stop()


def described(server: SambaServer, **changes: str) -> str:
    target = {
        "address": server.address,
        "share": server.share,
        "shares": server.shares,
        "user": server.user,
        "password": server.password,
        "folder": "headcount\\user{n:05}",
    }
    return json.dumps({**target, **changes})


def ignore(_: str) -> None:
    """Ignore progress."""


def test_held_files_stay_on_the_shares_until_closed(server: Server) -> None:
    samba, target = server
    hold = SmbHold(target)
    wanted = {"connections": 4, "trees": 2, "files": 3}
    assert json.loads(hold.bring(4, 2, 3, ignore)) == wanted
    assert json.loads(hold.check()) == wanted
    files = sorted(path.relative_to(samba.data) for path in samba.data.rglob("hold*"))
    assert [str(path.parent) for path in files[::3]] == [
        f"home{user % 2:05}/headcount/user{user:05}" for user in (0, 2, 1, 3)
    ]
    assert len(files) == 4 * 3
    hold.close()
    assert [path for path in samba.data.rglob("*") if path.parent != samba.data] == []
    hold.close()
    with pytest.raises(EngineError, match="closed already"):
        hold.check()


def test_an_error_in_progress_cancels_the_hold(server: Server) -> None:
    _, target = server
    heard = []

    def stop(text: str) -> None:
        heard.append(json.loads(text))
        raise InputError("enough")

    hold = SmbHold(target)
    with pytest.raises(InputError, match="enough"):
        hold.bring(20, 1, 500, stop)
    assert heard[0]["users"] == 20
    hold.close()


@pytest.mark.parametrize("files", [0, 500])
def test_ctrl_c_cancels_the_hold_and_leaves_nothing(server: Server, files: int) -> None:
    samba, target = server
    hold = SmbHold(target)
    under_way, ended = threading.Event(), threading.Event()
    interrupter = threading.Thread(target=interrupt, args=(under_way, ended, samba, files))
    interrupter.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            hold.bring(50, 1, 5000, lambda _: under_way.set())
    finally:
        ended.set()
        under_way.set()
        interrupter.join()
    hold.close()
    assert [path for path in samba.data.rglob("*") if path.parent != samba.data] == []


def interrupt(
    under_way: threading.Event, ended: threading.Event, samba: SambaServer, files: int
) -> None:
    """Press Ctrl-C once this many files are open, which is long before all of them are.

    If the hold has ended by itself, Ctrl-C would only interrupt the tests.
    """
    if not under_way.wait(HUNG_S):
        return
    try:
        wait_for(lambda: ended.is_set() or sum(1 for _ in samba.data.rglob("hold*")) >= files)
    finally:
        if not ended.is_set():
            os.kill(os.getpid(), signal.SIGINT)


def test_errors_are_headcounts_own(server: Server) -> None:
    samba, _ = server
    with pytest.raises(InputError, match="password is wrong"):
        SmbHold(described(samba, password=samba.password[::-1])).bring(1, 1, 0, ignore)
    with pytest.raises(InputError, match="cannot be resolved"):
        SmbHold(described(samba, address="no such host:1"))
    samba.stop()
    with pytest.raises(TargetError, match="no connection"):
        SmbHold(described(samba)).bring(1, 1, 0, ignore)
