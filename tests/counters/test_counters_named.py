"""Servers that the user names, on this machine and over SSH: units, control groups, containers."""

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import counters_machine as machine
import pytest

import service_group
from contained import Contained, container, members
from headcount.counters import address as addresses
from headcount.counters.proc.listening import ServerSource
from headcount.counters.proc.machine import ThisMachine
from headcount.counters.proc.named import Named, resolve
from headcount.counters.proc.serving import Found, find_on
from headcount.counters.query import FarQuery
from headcount.counters.ssh.source import SshSource
from processes import wait_for
from ssh_server import SshServer, serving

Finder = Callable[[Named], Found]


@pytest.fixture
def sshd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    with serving(tmp_path) as one:
        monkeypatch.setenv("PATH", one.path)
        yield one


@pytest.fixture(params=["here", "ssh"])
def finder(request: pytest.FixtureRequest) -> Finder:
    """Finds a named server on this machine, looked at directly or over SSH."""
    if request.param == "here":
        return lambda named: find_on(ThisMachine(), (), named)
    sshd = request.getfixturevalue("sshd")

    def far(named: Named) -> Found:
        with closing(source(sshd, named)) as one:
            return one.found

    return far


def source(sshd: SshServer, named: Named) -> SshSource:
    return SshSource(addresses.parse(sshd.address), "sut", FarQuery((), named))


@pytest.fixture
def unit() -> Iterator[tuple[str, list[int]]]:
    """A unit of systemd, by the name of its group, with a process and its child."""
    name = f"hc-{uuid.uuid4().hex[:8]}"
    script = "import os, time; os.fork(); time.sleep(60)"
    with (
        service_group.group(f"/system.slice/{name}.service") as folders,
        subprocess.Popen(
            [sys.executable, "-c", "input(); " + script], stdin=subprocess.PIPE
        ) as one,
    ):
        service_group.move(one.pid, folders)
        assert one.stdin
        one.stdin.write(b"\n")
        one.stdin.flush()
        wait_for(lambda: len(members(folders[0])) == 2)
        try:
            yield name, members(folders[0])
        finally:
            for pid in members(folders[0]):
                os.kill(pid, 9)


def test_a_unit_is_all_processes_of_its_group(finder: Finder, unit: tuple[str, list[int]]) -> None:
    name, pids = unit
    for text in (name, f"{name}.service"):
        found = finder(Named(units=(text,)))
        assert sorted(found.names) == sorted(pids)
        assert found.how == "named with --unit"
        assert set(found.control_group.values()) == {f"/system.slice/{name}.service"}
        assert found.missing is None


def test_a_control_group_by_its_name_or_its_folder(
    finder: Finder, unit: tuple[str, list[int]]
) -> None:
    name, pids = unit
    group = f"/system.slice/{name}.service"
    for text in (group, group[1:], *map(str, service_group.folders(group))):
        found = finder(Named(cgroups=(text,)))
        assert sorted(found.names) == sorted(pids)
        assert set(found.control_group.values()) == {group}


@pytest.mark.parametrize(
    "form",
    ["/docker/{id}", "/system.slice/docker-{id}.scope", "/machine.slice/libpod-{id}.scope"],
)
def test_a_container_by_its_id(finder: Finder, form: str) -> None:
    with container(form=form) as one:
        for text in (one.id, one.id[:12]):
            found = finder(Named(containers=(text,)))
            assert sorted(found.names) == sorted(one.pids)
            assert set(found.control_group.values()) == {one.group}


def test_the_runtime_is_asked_for_a_container_by_name(
    sshd: SshServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runtime is a program of this test: it knows one name, and its first process."""
    with container() as one:
        tool = tmp_path / "bin" / "podman"
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(
            '#!/bin/sh\n[ "$1 $2 $3 $4 $5" = "inspect --format {{.State.Pid}} -- web" ] '
            f"&& echo {one.pids[-1]}\n"
        )
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
        sshd.force(f'PATH={tool.parent}:$PATH; sh -c \\"$SSH_ORIGINAL_COMMAND\\"')
        here = find_on(ThisMachine(), (), Named(containers=("web",)))
        with closing(source(sshd, Named(containers=("web",)))) as far:
            for found in (here, far.found):
                assert sorted(found.names) == sorted(one.pids)
                assert set(found.control_group.values()) == {one.group}
                assert found.missing is None


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (
            Named(units=("hc-none",)),
            '--unit hc-none: no process of {name} is in a control group "hc',
        ),
        (
            Named(cgroups=("/hc-none",)),
            "--cgroup /hc-none: no process of {name} is in that control",
        ),
        (Named(containers=("hc-none",)), "--container hc-none: {name} has no running container"),
        (Named(containers=("a b; id",)), '"a b; id" cannot be the name of a container'),
        (Named(pids=(2**22 + 1,)), "--pid 4194305: there is no such process on {name}"),
    ],
)
def test_a_name_without_a_server_is_reported_once(
    finder: Finder, named: Named, message: str
) -> None:
    found = finder(named)
    assert found.pids == ()
    name = "this machine" if "this machine" in (found.missing or "") else "127.0.0.1"
    assert message.format(name=name) in (found.missing or "")
    assert (found.missing or "").count("--") <= 2


def test_a_unit_of_several_users_is_ambiguous(tmp_path: Path) -> None:
    slices = [
        f"/user.slice/user-{one}.slice/user@{one}.service/app.slice/web.service" for one in (1, 2)
    ]
    for pid, group in enumerate(slices, start=70):
        machine.write(tmp_path, {f"proc/{pid}/cgroup": f"0::{group}\n", f"proc/{pid}/stat": ""})
    here = ThisMachine(str(tmp_path / "proc"), tmp_path / "sys")
    found = find_on(here, (), Named(units=("web",)))
    assert found.pids == ()
    for group in slices:
        assert f"--cgroup {group}" in (found.missing or "")


@pytest.mark.parametrize("unit", ["shop.web", "shop@10.0.0.7"])
def test_a_unit_may_have_a_point_in_its_name(tmp_path: Path, unit: str) -> None:
    group = f"/system.slice/{unit}.service"
    machine.write(
        tmp_path, {"proc/70/cgroup": f"0::{group}\n", "proc/70/stat": "70 (web) S 1 70 70\n"}
    )
    here = ThisMachine(str(tmp_path / "proc"), tmp_path / "sys")
    for text in (unit, f"{unit}.service"):
        found = resolve(here, Named(units=(text,)))
        assert (found.pids, found.missing) == ({70}, None)


def all_values(one: ServerSource | SshSource) -> dict[str, float]:
    """Everything that a source shows within a few samples."""
    values: dict[str, float] = {}

    def complete() -> bool:
        values.update(one.sample().values)
        time.sleep(0.2)
        return {"cgroup.cpu.utilization", "socket.accept_queue.max", "process.count"} <= set(values)

    wait_for(complete)
    return values


def test_the_counters_of_a_container_are_of_its_namespaces(sshd: SshServer) -> None:
    """Its socket is in a network of its own, where it alone listens; its group uses one core."""
    with container() as one:
        named = Named(containers=(one.id,))
        here = find_on(ThisMachine(), (), named)
        local = ServerSource("sut", lambda: here.pids, group=here.control_group)
        with closing(local), closing(source(sshd, named)) as far:
            for each in (local, far):
                check_counters(each, one)


def check_counters(each: ServerSource | SshSource, one: Contained) -> None:
    values = all_values(each)
    assert values["process.count"] == len(one.pids)
    assert values["socket.accept_queue.max"] == 0
    assert values["socket.connections"] == 0
    before_s = service_group.cpu_s(one.group)
    began = each.sample()
    between_s = service_group.cpu_s(one.group)
    time.sleep(0.5)
    least_s = service_group.cpu_s(one.group) - between_s
    ended = each.sample()
    most_s = service_group.cpu_s(one.group) - before_s
    values = dict(ended.values)
    used_s = values["cgroup.cpu.utilization"] * (ended.at_s - began.at_s)
    assert least_s * 0.98 <= used_s <= most_s * 1.02
    # A network of its own has only a loopback, which is down: nothing else was counted.
    assert not [name for name in values if "network.interface.name=eth" in name]
