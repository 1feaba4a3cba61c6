"""A server found and followed over SSH from a real sshd, against what the kernel says here."""

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

import service_group
from headcount.counters import address as addresses
from headcount.counters.catalogue import lookup
from headcount.counters.proc.named import NOBODY, Named
from headcount.counters.proc.serving import Place
from headcount.counters.query import FarQuery
from headcount.counters.ssh.source import SshSource
from headcount.errors import TargetError
from network import other_machine
from processes import wait_for
from ssh_server import SshServer, serving
from web_server import serving as web_server

BUSY = """
import os, socket, sys, threading, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=16)
print(server.getsockname()[1], flush=True)
def spin():
    while True:
        pass
def wait():
    time.sleep(60)
if os.fork() == 0:
    for _ in range(3):
        threading.Thread(target=wait, daemon=True).start()
    spin()
time.sleep(60)
"""
"""A master that listens and accepts nothing, and a child with 4 threads, one of which computes."""
GROWING = """
import os, signal, socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
signal.signal(signal.SIGUSR1, lambda *_: os.fork())
print(server.getsockname()[1], flush=True)
while True:
    time.sleep(60)
"""
"""A server that starts a child when it gets a signal."""
NOBODY_ELSE = "exec setpriv --reuid=65534 --regid=65534 --clear-groups"
"""What the login runs as where it is to have no rights: no user of a plain Debian may log in."""


@pytest.fixture
def sshd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    folder = tmp_path / "ssh"
    folder.mkdir()
    with serving(folder) as one:
        monkeypatch.setenv("PATH", one.path)
        yield one


@pytest.fixture
def sshd_of_nobody(sshd: SshServer) -> SshServer:
    """An sshd whose logins may not look into any process of others."""
    sshd.force(f'{NOBODY_ELSE} sh -c \\"$SSH_ORIGINAL_COMMAND\\"')
    return sshd


@contextmanager
def server(
    script: str = BUSY, argument: int | str = 0, enter: tuple[str, ...] = ()
) -> Iterator[tuple[int, int]]:
    """A server of its own session: its process and its port."""
    process = subprocess.Popen(
        [*enter, sys.executable, "-c", script, str(argument)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout
        yield process.pid, int(process.stdout.readline())
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@contextmanager
def source(sshd: SshServer, port: int | None = None, named: Named = NOBODY) -> Iterator[SshSource]:
    """A source that follows the server at a port."""
    places = (Place.of(f"127.0.0.1:{port}"),) if port else ()
    with closing(SshSource(addresses.parse(sshd.address), "sut", FarQuery(places, named))) as one:
        yield one


def ticks(pid: int) -> int:
    """CPU time of a process, in clock ticks."""
    words = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return int(words[11]) + int(words[12])


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1]) * os.sysconf(
        "SC_PAGE_SIZE"
    )


def child_of(pid: int) -> int:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8")
    return int(text.split()[0])


def test_processes_cpu_memory_and_threads_are_those_of_the_kernel(sshd: SshServer) -> None:
    with server() as (pid, port), source(sshd, port) as one:
        assert one.found.pids == (pid,)
        assert one.found.missing is None
        family = [pid, child_of(pid)]
        assert sorted(one.found.names) == sorted(family)
        before = [ticks(each) for each in family]
        began = one.sample()
        between = [ticks(each) for each in family]
        time.sleep(1.0)
        least = [ticks(each) for each in family]
        ended = one.sample()
        most = sum(ticks(each) for each in family) - sum(before)
        values, elapsed_s = ended.values, ended.at_s - began.at_s
        used = values["process.cpu.utilization"] * elapsed_s * os.sysconf("SC_CLK_TCK")
        assert sum(least) - sum(between) - 1 <= used <= most + 1
        assert used > 10  # it computes all the time, on a machine that others use
        assert values["process.count"] == 2
        assert values["process.threads"] == 5
        # The kernel adds up the pages of threads and CPUs only now and then.
        assert values["process.memory.usage"] == pytest.approx(sum(map(resident, family)), rel=0.05)
        assert 0.0 < values["process.cpu.busiest_thread"] <= 1.0
        assert values["process.cpu.busiest_thread"] == pytest.approx(
            values["process.cpu.utilization"], abs=0.1
        )
        assert values["process.threads.runnable"] >= 1
        assert [name for name in values if lookup(name) is None] == []


def test_sockets_of_the_target_alone_with_their_queues(sshd: SshServer) -> None:
    with ExitStack() as stack:
        _, port = stack.enter_context(server())
        other = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for where in (("127.0.0.1", port), other.getsockname()):
            for _ in range(3):
                stack.enter_context(socket.create_connection(where)).sendall(b"12345")
        values = stack.enter_context(source(sshd, port)).sample().values
        assert values["socket.connections"] == 3
        assert values["socket.accept_queue"] == values["socket.accept_queue.max"] == 3
        assert values["socket.accept_queue.limit"] == 16
        assert values["socket.accept_queue.utilization"] == pytest.approx(3 / 16)
        assert values["socket.receive_queue"] == 15
        assert values["socket.receive_queue.share"] == 1.0


def test_without_ss_the_tables_say_the_same(
    sshd: SshServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "head", "date", "grep", "ls", "uname", "getconf"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    sshd.force(f'PATH={tools}; export PATH; exec sh -c \\"$SSH_ORIGINAL_COMMAND\\"')
    with ExitStack() as stack:
        pid, port = stack.enter_context(server())
        for _ in range(3):
            stack.enter_context(socket.create_connection(("127.0.0.1", port))).sendall(b"12345")
        one = stack.enter_context(source(sshd, port))
        values = one.sample().values
        assert one.found.pids == (pid,)
        assert values["socket.connections"] == values["socket.accept_queue"] == 3
        assert values["socket.receive_queue"] == 15
        assert "socket.accept_queue.limit" not in values  # those tables do not have it
    del monkeypatch


def test_nginx_is_its_master_with_all_workers(sshd: SshServer, tmp_path: Path) -> None:
    with web_server("nginx", tmp_path, workers="3") as web:
        (master,) = web.pids
        port = int(web.address.rpartition(":")[2])
        with source(sshd, port) as one:
            text = Path(f"/proc/{master}/task/{master}/children").read_text("utf-8")
            workers = [int(word) for word in text.split()]
            assert len(workers) >= 3
            assert one.found.pids == (master,)
            assert sorted(one.found.names) == sorted([master, *workers])
            assert set(one.found.names.values()) == {"nginx"}


def test_a_group_is_the_server_and_its_figures_are_the_kernels(sshd: SshServer) -> None:
    name = f"/system.slice/hc-{uuid.uuid4().hex[:8]}.service"
    with service_group.group(name) as folders, server() as (pid, port):
        service_group.move(pid, folders)
        service_group.move(child_of(pid), folders)
        with source(sshd, port) as one:
            assert set(one.found.control_group.values()) == {name}
            before_s = service_group.cpu_s(name)
            began = one.sample()
            between_s = service_group.cpu_s(name)
            time.sleep(1.0)
            least_s = service_group.cpu_s(name) - between_s
            ended = one.sample()
            most_s = service_group.cpu_s(name) - before_s
            used_s = ended.values["cgroup.cpu.utilization"] * (ended.at_s - began.at_s)
            assert least_s * 0.98 <= used_s <= most_s * 1.02
            assert ended.values["system.cpu.foreign"] >= 0.0


def test_a_server_that_is_restarted_is_found_again(
    sshd: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headcount.counters.ssh.server.LOST_S", 0.0)
    with server() as (pid, port), source(sshd, port) as one:
        assert one.sample().values["process.count"] == 2
        os.killpg(pid, signal.SIGKILL)
        wait_for(lambda: "process.count" not in one.sample().values)
        with server(argument=port) as (again, _):
            wait_for(lambda: one.sample().values.get("process.count") == 2)
            assert one.found.pids == (again,)


def test_the_server_is_found_again_after_a_lost_login(sshd: SshServer) -> None:
    with server() as (pid, port), source(sshd, port) as one:
        assert one.sample().values["process.count"] == 2
        sshd.hang_up()
        with pytest.raises(TargetError):
            one.sample()
        sshd.start_again()
        assert one.sample().values["process.count"] == 2
        assert one.found.pids == (pid,)


def test_cpu_of_lost_children_is_not_taken_for_other_programs(sshd: SshServer) -> None:
    """Their time is in nobody's figures, so what other programs used is not known, either."""
    losing = "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    for script, is_known in ((BUSY, True), (losing + BUSY, False)):
        with server(script) as (_, port), source(sshd, port) as one:
            one.sample()
            time.sleep(0.3)
            assert ("system.cpu.foreign" in one.sample().values) == is_known


def test_processes_that_come_later_are_counted(
    sshd: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headcount.counters.ssh.server.JOIN_S", 0.0)
    with server(GROWING) as (pid, port), source(sshd, port) as one:
        assert one.sample().values["process.count"] == 1
        os.kill(pid, signal.SIGUSR1)
        wait_for(lambda: one.sample().values["process.count"] == 2)
        folders = [f"/proc/{each}/fd" for each in (pid, *map(int, children(pid)))]
        values = one.sample().values
        if "process.open_file_descriptors" in values:  # since Linux 6.2
            count = sum(len(os.listdir(folder)) for folder in folders)  # noqa: PTH208
            assert values["process.open_file_descriptors"] == count


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()


def test_behind_address_translation_the_port_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = BUSY.replace('"127.0.0.1", int(sys.argv[1])', "sys.argv[1], 0")
    with other_machine() as machine, serving(tmp_path, machine.address, machine.enter) as sshd:
        monkeypatch.setenv("PATH", sshd.path)
        with server(script, machine.address, machine.enter) as (pid, port):
            query = FarQuery((Place.of(f"203.0.113.7:{port}"),))
            with closing(SshSource(addresses.parse(sshd.address), "sut", query)) as one:
                assert one.found.pids == (pid,)
                assert one.found.how == f"listens on {machine.address}:{port}"
                assert one.sample().values["socket.accept_queue.limit"] == 16


def test_without_rights_the_message_says_how_to_log_in(sshd_of_nobody: SshServer) -> None:
    sshd = sshd_of_nobody
    with server() as (_, port), source(sshd, port) as one:
        assert one.found.pids == ()
        missing = one.found.missing or ""
        assert f"listen on 127.0.0.1:{port} may not be looked into" in missing
        assert f"log in as root (--source ssh://root@127.0.0.1:{sshd.port})" in missing
        assert "--unit" in missing
        values = one.sample().values
        assert values["socket.accept_queue"] == 0  # everybody may see that
        assert "process.count" not in values


def test_without_rights_the_service_of_a_socket_is_known_by_its_group(
    sshd_of_nobody: SshServer,
) -> None:
    """ss(8) tells everybody in which group a socket was made: the server must start in it."""
    name = f"/system.slice/hc-{uuid.uuid4().hex[:8]}.service"
    enter = "".join(
        f"open({str(folder / 'cgroup.procs')!r}, 'w').write('0')\n"
        for folder in service_group.folders(name)
    )
    with (
        service_group.group(name),
        server(enter + BUSY) as (pid, port),
        source(sshd_of_nobody, port) as one,
    ):
        assert one.found.pids == (pid,)
        assert one.found.missing is None
        assert "by its control group" in one.found.how
        one.sample()
        time.sleep(0.5)
        values = one.sample().values
        assert values["process.count"] == 2
        assert values["cgroup.cpu.utilization"] > 0.0
        assert "process.disk.io{disk.io.direction=read}" not in values  # that is not for everybody
