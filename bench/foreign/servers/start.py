"""Starts a server in a process of its own, as its administrator would, and ends it."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.foreign.address import LOOPBACK, network_of
from bench.foreign.case import Component
from bench.foreign.tools import Tools

START_S = 60.0
"""Longest wait for a server that starts."""
END_S = 5.0
"""Longest wait for one that ends before it is killed."""
PORTS = range(20_000, 29_000)
"""Below the kernel's ephemeral ports, so that no connection takes one meanwhile."""
PASSWORD = "only-a-test"  # noqa: S105 - of databases that live for a minute
HIDDEN = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
"""Variables of Headcount's environment that a foreign server does not have."""
LISTEN = "0A"
"""Of /proc/net/tcp (proc_net_tcp(5))."""


@dataclass(frozen=True)
class Place:
    """Where a server is started.

    Attributes:
        folder: For its configuration, and its data unless they are on the disk.
        port: Where it listens.
        tools: The programs that the bench built.
        addresses: Those of the servers started before it, by name.
        users: How many users come, at most.
        host: The address that it listens at: loopback, or in a network of the servers' own.

    """

    folder: Path
    port: int
    tools: Tools
    addresses: Mapping[str, str]
    users: int
    host: str = LOOPBACK

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"{self.host}:{self.port}"

    @property
    def flags(self) -> list[str]:
        """Where it listens, as flags of a program."""
        return ["--host", self.host, "--port", str(self.port)]

    @property
    def network(self) -> str:
        """The addresses that its users come from."""
        return network_of(self.host)


@dataclass(frozen=True)
class Start:
    """What it takes to start a server.

    Attributes:
        command: Its program and arguments.
        address: How others reach it.
        environment: Beside the bench's own.
        file: What is there when it is ready; without it, that it listens on its port.
        after: What is done once it is ready.

    """

    command: list[str]
    address: str
    environment: Mapping[str, str] = field(default_factory=dict)
    file: Path | None = None
    after: Callable[[], None] | None = None


def free_port(taken: set[int]) -> int:
    """A free port of the loopback."""
    for _ in range(1000):
        port = random.SystemRandom().choice(PORTS)
        if port in taken:
            continue
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind((LOOPBACK, port))
            taken.add(port)
            return port
    raise RuntimeError("no port is free")


@contextlib.contextmanager
def running(
    start: Start, component: Component, place: Place, within: Sequence[str]
) -> Iterator[subprocess.Popen[Any]]:
    """The server, until the end of the block; `within` is what its command is run by."""
    command = [*within, *_limited(component), *start.command]
    environment = {key: value for key, value in os.environ.items() if key not in HIDDEN}
    environment |= {"PGPASSWORD": PASSWORD, **start.environment, **component.environment}
    output = place.folder / "output"
    with output.open("wb") as file:
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            env=environment,
            cwd=place.folder,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + START_S
        while not _is_ready(server.pid, start, place.port):
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{component.kind}: {output.read_text('utf-8')[-2000:]}")
            time.sleep(0.05)
        if start.after is not None:
            start.after()
        yield server
    finally:
        end(server)


def end(server: subprocess.Popen[Any]) -> None:
    """End a process and all of its session."""
    for how in (signal.SIGCONT, signal.SIGTERM):
        _signal(server, how)
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(END_S)
    _signal(server, signal.SIGKILL)
    server.wait()


def _signal(server: subprocess.Popen[Any], how: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, how)


def _limited(component: Component) -> list[str]:
    """Limits set as by a shell; the process also ends if the bench is killed."""
    words = ["setpriv", "--pdeathsig", "TERM"]
    if component.cpus:
        words += ["taskset", "--cpu-list", component.cpus]
    if component.files_open:
        words += ["prlimit", f"--nofile={component.files_open}:{component.files_open}"]
    return words


def _is_ready(pid: int, start: Start, port: int) -> bool:
    if start.file is not None:
        return start.file.exists()
    return listens(pid, port)


def listens(pid: int, port: int) -> bool:
    """Whether a socket in the network namespace of a process listens, or waits for datagrams."""
    for table, wanted in (("tcp", LISTEN), ("tcp6", LISTEN), ("udp", "07")):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/net/{table}").read_text("ascii").splitlines()[1:]:
                words = line.split()
                if int(words[1].rpartition(":")[2], 16) == port and words[3] == wanted:
                    return True
    return False


def as_nobody(folder: Path) -> list[str]:
    """A prefix that runs a program as nobody, for programs that refuse root; chowns the folder."""
    if os.geteuid() != 0:
        return []
    subprocess.run(["chown", "-R", "nobody:nogroup", folder], check=True)
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


def pages(component: Component, folder: Path, users: int) -> Path:
    """The folder with the pages that a server has."""
    place = folder / "pages"
    place.mkdir(exist_ok=True)
    block = random.Random(1).randbytes(1000)
    line = b"".join(b"%02x %s\n" % (byte, b"a word of a page" * (byte % 3)) for byte in block)
    for one in component.files.split():
        name, _, size = one.partition("=")
        numbers = [name.replace("*", str(user)) for user in range(users + 1)]
        for each in numbers if "*" in name else [name]:
            content = (line * (int(size) // len(line) + 1))[: int(size)]
            (place / each).write_bytes(content)
    return place
