"""A server on another machine that somebody else started: what a run over SSH finds and reports."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import service_group
from headcount.bundle import reader
from headcount.bundle.environment import ServerFound
from headcount.bundle.reader import Bundle
from network import OtherMachine, other_machine
from processes import Headcount
from ssh_server import SshServer, serving

pytestmark = pytest.mark.e2e

WORKLOAD = """
name = "hello"
title = "Get a page"
protocol = "http"
recreates = "nothing"
description = "One page, again and again."
deviations = []
sources = []
criteria = ["errors<50%"]
client = { keep_alive = "off" }
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }

[run]
ladder = [1]
ramp = "0s"
settle = "0s"
duration = "4s"

[[scenarios]]
name = "page"
weight = 1
limit = "5s"
steps = [{ name = "get", op = "get", path = "/" }]
"""
BURNING = """
import os, socket, sys, time
server = socket.create_server((sys.argv[1], 0), backlog=64)
print(server.getsockname()[1], flush=True)
while True:
    client, _ = server.accept()
    client.recv(4096)
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass
    client.sendall(b"HTTP/1.0 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    client.close()
"""
"""10 ms of CPU time for each request."""


@dataclass(frozen=True)
class Server:
    """A server on the other machine, in a control group of its own."""

    pid: int
    target: str
    unit: str


@pytest.fixture
def machine() -> Iterator[OtherMachine]:
    with other_machine() as one:
        yield one


@pytest.fixture
def sshd(machine: OtherMachine, tmp_path: Path) -> Iterator[SshServer]:
    folder = tmp_path / "ssh"
    folder.mkdir()
    with serving(folder, machine.address, machine.enter) as one:
        yield one


@contextmanager
def burning(address: str, enter: tuple[str, ...] = ()) -> Iterator[tuple[int, str]]:
    """A server, and its target."""
    process = subprocess.Popen(
        [*enter, sys.executable, "-c", BURNING, address],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout
        yield process.pid, f"http://{address}:{int(process.stdout.readline())}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def server(machine: OtherMachine) -> Iterator[Server]:
    unit = f"hc-{uuid.uuid4().hex[:8]}"
    with (
        service_group.group(f"/system.slice/{unit}.service") as made,
        burning(machine.address, machine.enter) as (pid, target),
    ):
        service_group.move(pid, made)
        yield Server(pid, target, unit)


SHORT = ("--duration", "2s")
"""For tests that need a sample, not a mean."""


def command(folder: Path, server: Server, sshd: SshServer, *more: str) -> tuple[str, ...]:
    workload = folder / "hello.toml"
    workload.write_text(WORKLOAD)
    return (
        *("run", str(workload), "--target", server.target, "--users", "4"),
        *("--source", sshd.address, "--authorised-by", "the tests", *more),
    )


def found(bundle: Bundle) -> ServerFound:
    assert bundle.environment is not None
    assert bundle.environment.server is not None
    return bundle.environment.server


def test_its_processes_and_group_are_found_and_counted(
    headcount: Headcount, server: Server, sshd: SshServer, tmp_path: Path
) -> None:
    group = f"/system.slice/{server.unit}.service"
    before_s = service_group.cpu_s(group)
    ended = headcount.run(*command(tmp_path, server, sshd), PATH=sshd.path)
    used_s = service_group.cpu_s(group) - before_s
    assert ended.code in {0, 1, 4}, ended
    bundle = reader.load(headcount.bundle)
    seen = found(bundle)
    assert (seen.machine, seen.missing) == (sshd.address, None)
    assert list(seen.processes) == [str(server.pid)]
    assert set(seen.control_group.values()) == {group}
    assert f"at {sshd.address}, listens on {seen.addresses[0]}" in " ".join(ended.err.split())
    (level,) = bundle.levels
    counters = level.counters["sut"]
    # The server computes for 10 ms a request. The samples leave out a second or more of a level of
    # a few, and a second has 27 requests, give or take five.
    wanted = level.achieved_per_s * 0.01
    for name in ("process.cpu.utilization", "cgroup.cpu.utilization"):
        assert 0.8 * wanted <= counters[name].mean <= used_s / level.steady_s, name
    for name in ("socket.connections", "process.memory.usage", "system.cpu.foreign"):
        assert counters[name].samples >= 1, name
    assert bundle.verdict is not None


def test_missing_permissions_are_reported_at_once_and_recorded(
    headcount: Headcount, machine: OtherMachine, sshd: SshServer, tmp_path: Path
) -> None:
    """The login may not read any process, and the server is in no service's group."""
    drop = "exec setpriv --reuid=65534 --regid=65534 --clear-groups"
    sshd.force(f'{drop} sh -c \\"$SSH_ORIGINAL_COMMAND\\"')
    with burning(machine.address, machine.enter) as (pid, target):
        server = Server(pid, target, "")
        ended = headcount.run(*command(tmp_path, server, sshd, *SHORT), PATH=sshd.path)
        bundle = reader.load(headcount.bundle)
        missing = found(bundle).missing or ""
        assert "may not be looked into" in missing
        assert f"log in as root (--source ssh://root@{machine.address}:{sshd.port})" in missing
        assert missing in " ".join(ended.err.split())
        assert found(bundle).processes == {}
        named = headcount.run(
            *command(tmp_path, server, sshd, *SHORT, "--pid", str(pid), "--json"), PATH=sshd.path
        )
        bundle = reader.load(Path(named.json["bundle"]))
        assert found(bundle).found_by == "named with --pid"
        # Everybody may see their CPU time.
        assert bundle.levels[0].counters["sut"]["process.cpu.utilization"].mean > 0.0


def test_a_named_server_that_does_not_exist_is_an_error(
    headcount: Headcount, server: Server, sshd: SshServer, tmp_path: Path
) -> None:
    for option, value, message in (
        ("--unit", "hc-none", 'in a control group "hc-none.service"'),
        ("--cgroup", "/hc-none", "no process of"),
        ("--container", "hc-none", "has no running container"),
        ("--pid", str(2**22 + 1), "there is no such process"),
    ):
        ended = headcount.run(*command(tmp_path, server, sshd, option, value), PATH=sshd.path)
        assert ended.code == 2, ended
        assert f"{option} {value}" in ended.message
        assert message in " ".join(ended.message.split())
    plain = command(tmp_path, server, sshd, "--unit", server.unit)
    at = plain.index("--source")
    ended = headcount.run(*plain[:at], *plain[at + 2 :])
    assert ended.code == 2
    assert "add --source ssh://USER@HOST" in " ".join(ended.message.split())
    assert headcount.bundles() == []


def test_each_side_of_a_comparison_has_a_name_of_its_own(
    headcount: Headcount, tmp_path: Path
) -> None:
    workload = tmp_path / "hello.toml"
    workload.write_text(WORKLOAD.replace('"4s"', '"1s"'))
    with burning("127.0.0.1") as (one, first), burning("127.0.0.1") as (other, second):
        pair = ("run", str(workload), "--target", first, "--versus", second, "--users", "2")
        unknown = headcount.run(*pair, "--versus-pid", str(2**22 + 1))
        assert unknown.code == 2
        assert f"B ({second}): --pid {2**22 + 1}: there is no such process" in unknown.message
        ended = headcount.run(
            *pair, "--pid", str(one), "--versus-pid", str(other), "--pairs", "2", "--json"
        )
    assert ended.code in {0, 4}, ended
    for name, pid in (("A", one), ("B", other)):
        seen = found(reader.load(Path(ended.json["sides"][name]["bundle"])))
        assert (list(seen.processes), seen.found_by) == ([str(pid)], "named with --pid")
    alone = headcount.run(*pair[:4], "--versus-pid", str(one))
    assert alone.code == 2
    assert "there is no second target" in " ".join(alone.message.split())
