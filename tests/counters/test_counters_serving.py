"""From an address of this machine to the server's processes, its control group, its sockets."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import counters_machine as machine
import pytest

from headcount.counters.proc import groups
from headcount.counters.proc.listening import ServerSource
from headcount.counters.proc.serving import Place, find
from headcount.counters.proc.sockets import Listener
from processes import wait_for


@contextmanager
def server(kind: str, workers: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server of serving_child.py, and where it listens; all its processes end."""
    script = Path(__file__).with_name("serving_child.py")
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, script, kind, str(workers)],
        stdin=pipe,
        stdout=pipe,
        text=True,
        bufsize=1,
        start_new_session=True,
    )
    try:
        assert process.stdout
        yield process, f"127.0.0.1:{int(process.stdout.readline())}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("kind", ["shared", "own"])
def test_the_master_of_all_workers_is_found(kind: str) -> None:
    with server(kind, 3) as (process, address):
        found = find([Place.of(address)])
        assert found.pids == (process.pid,)
        assert len(found.names) == 4
        assert all("python" in name for name in found.names.values())
        assert found.missing is None
        assert address in found.how


def test_a_server_that_headcount_descends_from_is_found_alone() -> None:
    """The processes that listen are this test's own: its parents are nobody's master."""
    with socket.create_server(("127.0.0.1", 0)) as own:
        address = f"127.0.0.1:{own.getsockname()[1]}"
        script = (
            "import sys; from headcount.counters.proc.serving import Place, find\n"
            "found = find([Place.of(sys.argv[1])]); print(*found.pids); import os\n"
            "print(os.getpid() in found.names)"
        )
        command = [sys.executable, "-c", script, address]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        assert ended.stdout.split() == [str(os.getpid()), "False"]


def test_workers_and_group_members_that_start_later_are_counted() -> None:
    class Clock:
        now_s = 0.0

        def __call__(self) -> float:
            return self.now_s

    clock = Clock()
    with server("shared", 1) as (process, address), server("shared", 1) as (other, _):
        pids = [process.pid]
        with closing(
            ServerSource("sut", lambda: pids, clock, places=[Place.of(address)])
        ) as source:
            assert source.sample().values["process.count"] == 2
            assert process.stdin
            assert process.stdout
            process.stdin.write("\n")
            assert process.stdout.readline() == "more\n"
            assert source.sample().values["process.count"] == 3
            pids.append(other.pid)  # as of the same service
            assert source.sample().values["process.count"] == 3
            clock.now_s += 6
            assert source.sample().values["process.count"] == 5


def test_a_server_that_cannot_be_inspected_is_reported_with_a_fix() -> None:
    """Another user's descriptors are closed to everybody but root."""
    assert os.getuid() == 0, "tests run as root, as the lab needs"
    with server("shared", 1) as (process, address):
        script = (
            "import os, sys; from headcount.counters.proc.serving import Place, find\n"
            "os.setgid(65534); os.setuid(65534)\n"
            "found = find([Place.of(sys.argv[1])]); assert not found.pids; print(found.missing)\n"
            "named = find([Place.of(sys.argv[1])], [int(sys.argv[2])], 'named')\n"
            "print(len(named.names))"
        )
        command = [sys.executable, "-c", script, address, str(process.pid)]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        sentence, many = ended.stdout.splitlines()
        assert f"listen on {address} may not be looked into" in sentence
        assert "run as root or as the user root" in sentence
        assert many == "2"  # everybody may see its members and their CPU time


def test_a_port_without_a_listener_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    found = find([Place.of(f"127.0.0.1:{port}")])
    assert found.pids == ()
    assert f"no socket of this machine listens on 127.0.0.1:{port}" in (found.missing or "")


def listener(inode: int, address: str, port: int = 80) -> Listener:
    place = Place.of(f"[{address}]:{port}" if ":" in address else f"{address}:{port}")
    return Listener(inode, place.family, place.address, port, 0, None)


@pytest.mark.parametrize(
    ("target", "taken"),
    [
        ("127.0.0.1:80", {1}),  # its own address before any
        ("127.0.0.2:80", {2}),  # any address of its family before any of both
        ("[::1]:80", {3}),
        ("10.0.0.7:80", {6}),  # as an address of IPv6
        ("127.0.0.1:81", {4}),
        ("[::1]:81", set()),
    ],
)
def test_the_socket_that_the_kernel_would_choose(target: str, taken: set[int]) -> None:
    listeners = [
        listener(1, "127.0.0.1"),
        listener(2, "0.0.0.0"),  # noqa: S104 - a socket that is never opened
        listener(3, "::"),
        listener(4, "0.0.0.0", 81),  # noqa: S104
        listener(5, "127.0.0.9", 81),
        listener(6, "::ffff:10.0.0.7"),
    ]
    assert {one.inode for one in Place.of(target).of_listeners(listeners)} == taken
    assert {one.inode for one in Place.of("[::1]:80").of_listeners(listeners)} == {3}


@pytest.mark.parametrize(
    ("name", "belongs"),
    [
        ("/system.slice/nginx.service", True),
        ("/system.slice/system-postgresql.slice/postgresql@15-main.service", True),
        ("/system.slice/docker-0123abcd.scope", True),
        ("/docker/0123abcd", True),
        ("/user.slice/user-1000.slice/user@1000.service/app.slice/web.service", True),
        ("/lab", True),
        ("/", False),
        ("/system.slice", False),
        ("/init.scope", False),
        ("/user.slice/user-1000.slice/session-3.scope", False),
        ("/user.slice/user-1000.slice/user@1000.service", False),
        ("/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.shell-7.scope", False),
        ("/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope", False),
        ("/system.slice/ssh.service", False),
        ("/system.slice/cron.service", False),
    ],
)
def test_which_groups_are_a_servers_own(name: str, belongs: bool, tmp_path: Path) -> None:
    files = {"proc/1/cgroup": f"0::{name}\n", "proc/self/cgroup": "0::/other\n"}
    machine.write(tmp_path, files)
    expected = {"unified": name} if belongs else {}
    assert groups.shared_paths(str(tmp_path / "proc"), [1]) == expected


def test_only_connections_to_the_target_count() -> None:
    """A server with two ports, whose second has other users; with and without its processes."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2))
        places = [Place.of(f"127.0.0.1:{one.getsockname()[1]}")]
        for listening, many in ((one, 2), (other, 5)):
            for _ in range(many):
                stack.enter_context(socket.create_connection(listening.getsockname()))
        for pids in ([os.getppid()], []):
            source = stack.enter_context(
                closing(ServerSource("sut", lambda pids=pids: pids, places=places))
            )
            values: dict[str, float] = {}

            def seen(source: ServerSource = source, values: dict[str, float] = values) -> bool:
                values.update(source.sample().values)
                return "socket.connections" in values

            wait_for(seen)
            assert values["socket.connections"] == pytest.approx(2)
            assert values["socket.accept_queue.max"] == 2


def test_the_lowest_limit_of_a_group_and_its_parents_counts(tmp_path: Path) -> None:
    root = "sys/fs/cgroup"
    files = {
        f"{root}/cgroup.controllers": "cpu memory pids\n",
        f"{root}/web.slice/cpu.max": "150000 100000\n",
        f"{root}/web.slice/memory.max": "max\n",
        f"{root}/web.slice/pids.max": "64\n",
        f"{root}/web.slice/nginx.service/cpu.max": "max 100000\n",
        f"{root}/web.slice/nginx.service/memory.max": "1048576\n",
        f"{root}/web.slice/nginx.service/pids.max": "512\n",
    }
    machine.write(tmp_path, files)
    found = groups.limits(tmp_path / "sys", {"unified": "/web.slice/nginx.service"})
    assert found == {"cpu": 1.5, "memory": 1048576, "processes": 64}
    assert groups.limits(tmp_path / "sys", {}) == {}


def test_the_whole_group_of_a_service_is_the_server(tmp_path: Path) -> None:
    """A master, its worker, and a helper of the same unit that is nobody's child."""

    def one(pid: int, parent: int, name: str, group: str) -> dict[str, str]:
        tail = " ".join(["0"] * 20)
        rest = f"S {parent} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5000 999 25 {tail}"
        return {
            f"proc/{pid}/stat": f"{pid} ({name}) {rest}\n",
            f"proc/{pid}/comm": f"{name}\n",
            f"proc/{pid}/cmdline": f"/usr/sbin/{name}\0",
            f"proc/{pid}/cgroup": f"0::{group}\n",
        }

    unit = "/system.slice/web.service"
    head = "  sl  local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt uid\n"
    row = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:0 0 0 0 777 1\n"
    files = {
        **one(1, 0, "init", "/init.scope"),
        **one(70, 1, "web", unit),
        **one(71, 70, "web", unit),
        **one(72, 1, "helper", unit),
        **one(73, 1, "other", "/system.slice/other.service"),
        "proc/self/cgroup": "0::/user.slice\n",
        "proc/net/tcp": head + row.replace("00:0 0", "00:00000000 00000000"),
        "proc/uptime": "100.0 1.0\n",
        "sys/fs/cgroup/cgroup.controllers": "cpu\n",
        "sys/fs/cgroup/system.slice/web.service/cgroup.procs": "70\n71\n72\n",
        "sys/fs/cgroup/system.slice/web.service/pids.max": "40\n",
    }
    machine.write(tmp_path, files)
    for pid in (1, 70, 71):  # systemd keeps the socket of a unit open, too
        descriptors = tmp_path / f"proc/{pid}/fd"
        descriptors.mkdir()
        (descriptors / "3").symlink_to("socket:[777]")
    place = Place.of("127.0.0.1:8080")
    found = find([place], proc=tmp_path / "proc", sys=tmp_path / "sys")
    assert found.names == {70: "web", 71: "web", 72: "helper"}
    assert found.pids == (70, 72)
    assert found.control_group == {"unified": unit}
    assert found.limits == {"processes": 40}
