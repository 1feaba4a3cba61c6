"""The servers that a server behind SSH waits for, against connections that were made to wait."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from headcount.counters import address as addresses
from headcount.counters.catalogue import lookup
from headcount.counters.naming import PEER, instance_name
from headcount.counters.proc.serving import Place
from headcount.counters.query import FarQuery
from headcount.counters.ssh.source import SshSource
from headcount.counters.ssh.upstream import Connection, connections
from ssh_server import serving

BEHIND = """
import os, socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
local = socket.socket(socket.AF_UNIX)
local.bind(sys.argv[1])
local.listen(8)
print(server.getsockname()[1], flush=True)
if os.fork() == 0:
    server.close(), local.close()
    while True:
        pass
taken = [local.accept() for _ in range(2)]
clients = [server.accept()[0] for _ in range(5)]
for client in clients[:2]:
    client.recv(8)
    client.sendall(b"answered")
time.sleep(60)
"""
"""Answers two of five, takes two of three at a path, and computes in a child."""
FRONT = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
local = [socket.socket(socket.AF_UNIX) for _ in range(3)]
for one in local:
    one.connect(sys.argv[2])
others = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(5)]
time.sleep(0.1)
for one in others[:4]:
    one.sendall(b"question")
others[0].recv(8), others[1].recv(8)
print("asked", flush=True)
time.sleep(60)
"""
"""Asks on four of five connections: two wait for an answer, and one was never used. Of three to a
path one is not accepted."""


@contextmanager
def program(text: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", text, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def test_connections_to_another_server_and_its_cpu_are_the_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "behind.sock")
    with serving(tmp_path) as sshd, program(BEHIND, path) as behind:
        monkeypatch.setenv("PATH", sshd.path)
        port = line(behind)
        with program(FRONT, port, path) as front:
            query = FarQuery((Place.of(f"127.0.0.1:{line(front)}"),))
            assert line(front) == "asked"
            with closing(SshSource(addresses.parse(sshd.address), "sut", query)) as one:
                seen: dict[str, float] = {}
                until = time.monotonic() + 60
                while "upstream.waiting" not in seen or "upstream.cpu.utilization" not in seen:
                    assert time.monotonic() < until, seen
                    time.sleep(0.5)
                    seen |= one.sample().values
                programs = one.programs_behind
    peer = f"127.0.0.1:{port}"
    local = f"unix:{path}"
    assert seen["upstream.connections"] == 8
    assert seen[_name_of("upstream.connections", peer)] == 5
    assert seen[_name_of("upstream.connections", local)] == 3
    assert seen["upstream.waiting"] == 3
    assert seen[_name_of("upstream.waiting", peer)] == 2
    assert seen[_name_of("upstream.waiting", local)] == 1
    assert seen[_name_of("upstream.accept_queue", peer)] == 0
    assert seen[_name_of("upstream.accept_queue", local)] == 1
    assert all(lookup(name) for name in seen)
    assert 0.1 < seen["upstream.cpu.utilization"] < 1.1
    assert set(programs) == {peer, local}
    assert programs[peer].startswith("python")


def _name_of(name: str, peer: str) -> str:
    return instance_name(name, PEER, peer)


SS = """\
ESTAB    0 0 10.0.0.1:4711 10.0.0.9:5432 users:(("app",pid=12,fd=5),("app",pid=13,fd=5)) uid:33 ino:1 sk:1 <->
\t ts sack cubic rtt:0.1/0.2 lastsnd:40 lastrcv:900 lastack:40 data_segs_out:7 data_segs_in:6 unacked:1
ESTAB    0 0 [::ffff:10.0.0.1]:4712 [::ffff:10.0.0.9]:5432 uid:33 ino:2 sk:2 <-> lastsnd:40 lastrcv:8 data_segs_out:7 data_segs_in:7
SYN-SENT 0 1 10.0.0.1:4713 10.0.0.8:6379 users:(("x",pid=7,fd=1)) timer:(on,1sec,0) ino:3 sk:3 <->
ESTAB    0 0 [fd00::1]:4714 [fd00::2]:80 ino:4 sk:4 <-> lastsnd:4 lastack:4 data_segs_out:1
nonsense
"""  # noqa: E501 - as ss(8) prints it


def test_lines_of_ss_are_read_whole_or_continued() -> None:
    assert list(connections(SS)) == [
        Connection("10.0.0.9:5432", True, 33, frozenset({12, 13})),
        Connection("10.0.0.9:5432", False, 33, frozenset()),
        Connection("10.0.0.8:6379", True, 0, frozenset({7})),
        Connection("[fd00::2]:80", True, 0, frozenset()),
    ]
    assert list(connections("")) == []
