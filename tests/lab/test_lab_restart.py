"""Lab servers that are restarted: another process, the same address and data."""

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.errors import SystemLimitError
from headcount.lab import keeper, port
from headcount.lab.kept import Kept
from headcount.lab.server import Server
from headcount.protocols.registry import start_lab
from processes import processes_with


@contextlib.contextmanager
def restartable(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, Kept]]:
    """A server of the lab, in a home of its own that every user may pass through."""
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        server = start_lab(name, {})
        assert isinstance(server, Kept)
        try:
            yield server, server
        finally:
            server.stop()


@pytest.mark.parametrize("name", ["nginx", "apache", "samba", "postgresql", "mail"])
def test_another_process_serves_at_the_same_address(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with restartable(name, monkeypatch) as (server, kept):
        number = int(server.address.rpartition(":")[2])
        kept_file = server.home / "kept"
        kept_file.touch()
        before = [*server.pids]
        seen = {server.pids[0]}
        lived = alive(seen)
        for _ in range(2):
            kept.restart()
            assert server.pids[0] not in seen
            assert server.pids[1:] == before[1:]
            assert port.answers(number)
            assert port.is_held_by(server.pids[0], number)
            seen.add(server.pids[0])
            lived |= alive(seen)
        assert kept_file.exists()
        home = server.home
    assert not lived & alive(seen)
    assert not processes_with(str(home))


def alive(pids: set[int]) -> set[tuple[int, int]]:
    """The processes that run, with their start times: another may get the same number."""
    return {(one.pid, one.started) for one in keeper.processes() if one.pid in pids}


def test_a_server_that_does_not_come_up_says_why_and_can_be_repaired(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with restartable("nginx", monkeypatch) as (server, kept):
        file = server.home / "configuration"
        good = file.read_text()
        file.write_text(good.replace("sendfile on;", "sendfile maybe;"))
        with pytest.raises(SystemLimitError, match=r'nginx ended at once; its log: .*"maybe"'):
            kept.restart()
        file.write_text(good)
        kept.restart()
        assert port.answers(int(server.address.rpartition(":")[2]))


def test_a_server_that_died_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with restartable("nginx", monkeypatch) as (server, kept):
        os.kill(server.pids[0], signal.SIGKILL)
        kept.restart()
        assert port.answers(int(server.address.rpartition(":")[2]))


def test_a_database_shuts_down_cleanly(monkeypatch: pytest.MonkeyPatch) -> None:
    with restartable("postgresql", monkeypatch) as (server, kept):
        kept.restart()
        log = server.logs["postgresql"].read_text()
        assert "received fast shutdown request" in log
        assert "database system was not properly shut down" not in log


def test_without_its_keeper_there_is_no_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    with restartable("nginx", monkeypatch) as (_, kept):
        os.kill(kept.server.pid, signal.SIGKILL)
        os.waitid(os.P_PID, kept.server.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(SystemLimitError):
            kept.restart()
