"""Restarts in a tuning: lab servers, servers of somebody's with a command, and the way back."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tuned import PATIENCE_S, knob, lab, wait_until

from headcount.errors import InputError, TargetError
from headcount.lab import port
from headcount.lab.kept import Kept
from headcount.lab.postgresql import PostgresqlServer
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.host import ThisHost
from headcount.tune.restart import ByCommand, OfLab, command_of, unit_of
from headcount.tune.servers.registry import find
from headcount.tune.servers.server import Running
from headcount.tune.tunable import NotAccepted, Tunable

BUFFERS = knob("postgresql", "shared_buffers")
CHANGER = Path(__file__).parent / "tune_restarter.py"
NGINX = "daemon on;\nworker_processes 1;\npid {folder}/pid;\nerror_log {folder}/log;\nevents {{}}\n"


class Host(ThisHost):
    """A machine where some files of procfs have other texts."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)


def test_a_setting_that_takes_a_restart_is_in_force_after_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with lab("postgresql", monkeypatch) as started:
        assert isinstance(started, PostgresqlServer)
        host = ThisHost()
        first = started.pids[0]
        restart = OfLab(host, started.restart, lambda: started.pids)
        tunable = Tunable(
            *(host, find(host, started.pids), [BUFFERS], tmp_path / "journal", lambda: None),
            restart=restart,
        )
        before = Path(next(iter(tunable.originals))).read_bytes()
        assert tunable.apply(Configuration({BUFFERS: "24"}, "test"))
        assert started.pids[0] != first
        assert in_force(started) == "24"
        second = started.pids[0]
        assert not tunable.apply(Configuration({BUFFERS: "24"}, "test"))
        assert started.pids[0] == second
        assert tunable.apply(Configuration({BUFFERS: "24"}, "test"), is_fresh=True)
        assert started.pids[0] != second
        with pytest.raises(NotAccepted):
            tunable.apply(Configuration({BUFFERS: "99999999999"}, "test"))
        assert in_force(started) == "24"
        assert tunable.close() is None
        assert Path(next(iter(tunable.originals))).read_bytes() == before
        assert in_force(started) == "128"


def in_force(started: PostgresqlServer) -> str:
    """The shared memory in MB of a running PostgreSQL."""
    found = find(ThisHost(), started.pids)
    host, number = started.address.split(":")
    who = ["-h", host, "-p", number, "-U", started.user, "-d", started.database]
    text = subprocess.check_output(
        ["psql", "-X", "-A", "-t", "-w", *who, "-c", "SHOW shared_buffers"],
        env={**os.environ, "PGPASSWORD": started.password},
        text=True,
        timeout=30,
    )
    assert found.running.pid == started.pids[0]
    return text.strip().removesuffix("MB")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An nginx that somebody started, without systemd."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program is not None
    configuration = tmp_path / "nginx.conf"
    text = NGINX.format(folder=tmp_path)
    text += f"http {{\naccess_log off;\nserver {{ listen 127.0.0.1:{port.free()}; }}\n}}\n"
    configuration.write_text(text)
    restart = tmp_path / "restart"
    restart.write_text(
        f"#!/bin/sh\nkill $(cat {tmp_path}/pid); while [ -e {tmp_path}/pid ]; do sleep 0.1; done\n"
        f"exec {program} -c {configuration} -e {tmp_path}/log\n"
    )
    subprocess.run([program, "-c", configuration, "-e", tmp_path / "log"], check=True)
    wait_until((tmp_path / "pid").exists)
    yield tmp_path
    os.kill(pid(tmp_path), signal.SIGTERM)
    wait_until(lambda: not (tmp_path / "pid").exists())


def pid(folder: Path) -> int:
    return int((folder / "pid").read_text())


def by_command(folder: Path) -> ByCommand:
    command = ["sh", str(folder / "restart")]
    return ByCommand(ThisHost(), command, lambda: [pid(folder)])


def test_somebodys_server_is_restarted_by_a_command(folder: Path) -> None:
    host = ThisHost()
    before = (folder / "nginx.conf").read_bytes()
    one = knob("nginx", "listen backlog")
    server = find(host, [pid(folder)])
    tunable = Tunable(
        *(host, server, [one], folder / "journal", lambda: None), restart=by_command(folder)
    )
    first = pid(folder)
    assert tunable.apply(Configuration({one: "4096"}, "test"))
    second = pid(folder)
    assert second != first
    assert server.running.pid == second
    assert tunable.close() is None
    assert pid(folder) != second
    assert (folder / "nginx.conf").read_bytes() == before


def test_after_a_kill_the_server_is_restarted_once_more(folder: Path) -> None:
    before = (folder / "nginx.conf").read_bytes()
    journal = folder / "journal"
    changer = subprocess.Popen(
        [sys.executable, CHANGER, folder, journal], stdout=subprocess.PIPE, text=True
    )
    assert changer.stdout is not None
    assert changer.stdout.readline() == "changed\n"
    changed = pid(folder)
    assert (folder / "nginx.conf").read_bytes() != before
    changer.kill()
    changer.communicate()
    end_s = time.monotonic() + 2 * PATIENCE_S
    while not (journal / "done").exists():
        assert time.monotonic() < end_s, list(journal.iterdir())
        time.sleep(0.1)
    assert (folder / "nginx.conf").read_bytes() == before
    assert pid(folder) != changed
    find(ThisHost(), [pid(folder)])


def test_a_command_that_fails_is_quoted(folder: Path) -> None:
    restart = ByCommand(ThisHost(), ["sh", "-c", "echo not today; exit 3"], lambda: [pid(folder)])
    with pytest.raises(TargetError, match="failed: not today"):
        restart.again()
    gone = ByCommand(ThisHost(), ["true"], list)
    with pytest.raises(TargetError, match="has not come up"):
        gone.again()


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("0::/system.slice/nginx.service\n", "nginx.service"),
        (
            "0::/system.slice/system-postgresql.slice/postgresql@15-main.service\n",
            "postgresql@15-main.service",
        ),
        ("12:cpu:/\n1:name=systemd:/system.slice/smbd.service\n0::/\n", "smbd.service"),
        ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/my.service\n", None),
        ("0::/init.scope\n", None),
        ("", None),
    ],
)
def test_the_service_of_systemd(text: str, unit: str | None) -> None:
    host = Host({"/proc/7/cgroup": text.encode()})
    assert unit_of(host, 7) == unit
    running = Running(7, 1, ["nginx: master"], "/", {})
    if unit is not None:
        assert command_of(host, running, None) == ["systemctl", "restart", unit]
    else:
        with pytest.raises(InputError, match=r"nginx \(process 7\).*--restart-command"):
            command_of(host, running, None)
    assert command_of(host, running, "service x restart") == ["sh", "-c", "service x restart"]


def test_a_lab_server_that_does_not_come_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with lab("nginx", monkeypatch) as started:
        assert isinstance(started, Kept)
        restart = OfLab(ThisHost(), started.restart, lambda: started.pids)
        file = started.home / "configuration"
        good = file.read_text()
        file.write_text("nonsense")
        with pytest.raises(TargetError, match="nginx ended at once"):
            restart.again()
        file.write_text(good)
        assert restart.again().pid == started.pids[0]


def test_a_server_that_ended_is_restarted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A change is put back although the server has gone."""

    def answers() -> None:
        if not port.answers(int(started.address.rpartition(":")[2])):
            raise TargetError("nobody answers")

    monkeypatch.setattr("headcount.tune.tunable.ANSWER_S", 1.0)
    one = knob("nginx", "sendfile")
    with lab("nginx", monkeypatch) as started:
        assert isinstance(started, Kept)
        host = ThisHost()
        restart = OfLab(host, started.restart, lambda: started.pids)
        server = find(host, started.pids)
        tunable = Tunable(*(host, server, [one], tmp_path / "journal", answers), restart=restart)
        os.kill(started.pids[0], signal.SIGKILL)
        with pytest.raises(NotAccepted):
            tunable.apply(Configuration({one: "off"}, "test"))
        assert tunable.now == AS_IT_IS
        answers()
        assert tunable.close() is None
