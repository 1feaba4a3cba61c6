"""A server as a container has it: process ids, network and control group of its own.

Runtimes make the same of namespaces and groups; the group's name is theirs with an id.
"""

import contextlib
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import service_group

SERVER = """
import os, socket, sys
server = socket.socket()
server.bind(("0.0.0.0", 80))
server.listen(7)
if os.fork() == 0:
    while True:
        pass
print(os.getpid(), flush=True)
while True:
    client, _ = server.accept()
    client.recv(4096)
    client.sendall(b"HTTP/1.0 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    client.close()
"""
"""It listens at a port that nobody else has to spare, and a child of it computes."""


@dataclass(frozen=True)
class Contained:
    """A container: its id, its group's name, and its processes as this machine numbers them."""

    id: str
    group: str
    pids: list[int]


@contextlib.contextmanager
def container(script: str = SERVER, form: str = "/docker/{id}") -> Iterator[Contained]:
    """One that runs a server; everything is taken away afterwards."""
    number = uuid.uuid4().hex * 2
    name = form.format(id=number)
    with service_group.group(name) as made:
        enter = "; ".join(f"echo 0 > {folder / 'cgroup.procs'}" for folder in made)
        unshare = "exec unshare --net --pid --mount-proc --fork --kill-child"
        process = subprocess.Popen(
            ["sh", "-c", f'{enter}; {unshare} "$0" -c "$1"', sys.executable, script],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            assert process.stdout
            assert process.stdout.readline() == "1\n"  # the first process of its own namespace
            yield Contained(number, name, members(made[0]))
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def members(folder: Path) -> list[int]:
    return [int(word) for word in (folder / "cgroup.procs").read_text("utf-8").split()]
