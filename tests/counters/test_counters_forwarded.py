"""Ports of containers: the program that listens forwards to a server that is found behind it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from contained import Contained, container
from headcount.counters import address as addresses
from headcount.counters.proc.machine import ThisMachine
from headcount.counters.proc.serving import Found, Place, find_on
from headcount.counters.query import FarQuery
from headcount.counters.ssh.source import SshSource
from network import cable
from ssh_server import serving

RELAY = """#!{python}
import socket, sys, threading
options = dict(zip(sys.argv, sys.argv[1:]))
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
def pump(one, other):
    while data := one.recv(4096):
        other.sendall(data)
    other.shutdown(socket.SHUT_WR)
while True:
    client, _ = server.accept()
    there = socket.create_connection((options["-container-ip"], int(options["-container-port"])))
    for pair in ((client, there), (there, client)):
        threading.Thread(target=pump, args=pair, daemon=True).start()
"""
"""A relay with the name and the options of Docker's; Podman's `conmon` listens as well."""


@contextmanager
def relay(folder: Path, name: str, *options: str) -> Iterator[int]:
    """A program of that name which forwards; its port."""
    program = folder / name
    program.write_text(RELAY.format(python=sys.executable), "utf-8")
    program.chmod(0o755)
    process = subprocess.Popen(
        [program, *options], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout
        yield int(process.stdout.readline())
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def here_and_over_ssh(port: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Found]:
    """What is found on this machine, and over SSH."""
    places = (Place.of(f"127.0.0.1:{port}"),)
    with serving(folder) as sshd:
        monkeypatch.setenv("PATH", sshd.path)
        login = addresses.parse(sshd.address)
        with closing(SshSource(login, "sut", FarQuery(places))) as far:
            return [find_on(ThisMachine(), places), far.found]


def answer(port: int) -> bytes:
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", "/")
        return connection.getresponse().read()


def check(found: Found, one: Contained, port: int, name: str) -> None:
    assert sorted(found.names) == sorted(one.pids)
    assert set(found.control_group.values()) == {one.group}
    assert found.how == f"listens on 127.0.0.1:{port}, through {name}"
    assert found.missing is None


def test_docker_proxy_names_the_address_of_the_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with container() as other, container() as one:
        inside = ("nsenter", "-t", str(one.pids[-1]), "-n", "--")
        with (
            cable(str(one.pids[-1]), inside) as network,
            relay(
                tmp_path, "docker-proxy", "-proto", "tcp",
                "-container-ip", network.address, "-container-port", "80",
            ) as port,
        ):  # fmt: skip
            assert answer(port) == b"ok"
            for found in here_and_over_ssh(port, tmp_path, monkeypatch):
                check(found, one, port, "docker-proxy")
                assert not set(found.names) & set(other.pids)


def test_conmon_names_the_id_of_the_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        container(form="/machine.slice/libpod-{id}.scope") as one,
        relay(tmp_path, "conmon", "--api-version", "1", "-c", one.id, "-u", one.id) as port,
    ):
        for found in here_and_over_ssh(port, tmp_path, monkeypatch):
            check(found, one, port, "conmon")


def test_a_forwarder_without_a_destination_asks_for_the_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with relay(tmp_path, "rootlessport") as port:
        for found in here_and_over_ssh(port, tmp_path, monkeypatch):
            assert found.pids == ()
            assert "rootlessport listens on" in (found.missing or "")
            assert "name them with --container or --pid" in (found.missing or "")
