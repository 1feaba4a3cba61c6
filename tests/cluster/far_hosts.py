"""Machines of a cluster: an sshd on this machine, and one in another network behind a cable."""

import contextlib
import getpass
import random
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Self

from network import other_machine
from processes import Ended, Headcount
from ssh_server import SshServer, serving

LONGEST_S = 400.0
"""Libraries of 600 MB are sent, and compiled, also on a busy machine."""
BLOCK = 40
"""Ports of a node: those of its services, and one for each of its processes."""
LOWEST, HIGHEST = 12_000, 32_000
"""Below the ports that connections get."""


class FarHosts:
    """Two hosts, the file that names them, and the command line that uses them."""

    def __init__(self, folder: Path, servers: tuple[SshServer, SshServer]) -> None:
        self.folder, self.servers = folder, servers
        self.ip = servers[0].host
        """Of this machine, as both hosts see it."""
        self.far = folder / "far"
        self.file = folder / "lab.toml"
        self.headcount = Headcount(folder / "home")
        self.headcount.environment |= {
            "XDG_STATE_HOME": str(folder / "state"),
            "PATH": servers[0].path,
        }
        self.blocks = [free_block() for _ in range(2)]
        self.port = self.blocks[0][-1]
        first, second = servers
        # One client knows both.
        with (first.folder / "known_hosts").open("a", encoding="utf-8") as known:
            known.write((second.folder / "known_hosts").read_text("utf-8"))
        shutil.copy(first.folder / "user_key.pub", second.folder / "authorized_keys")
        self.write()

    @property
    def address(self) -> str:
        return f"ray://{self.ip}:{self.port}"

    def name(self, number: int) -> str:
        """What messages call a host."""
        server = self.servers[number]
        return f"{server.host}:{server.port}"

    def write(self, table: str = "", host: str = "") -> None:
        """Write the file, with more keys of the cluster, or of the second host."""
        text = f'[cluster]\nport = {self.port}\nports = "{span(self.blocks[0][:-1])}"\n'
        text += table or f'folder = "{self.far}"\n'
        own = f'ports = "{span(self.blocks[1])}"\n'  # it is on the head's machine
        for server, more in zip(self.servers, (own, host), strict=True):
            address = f"ssh://{getpass.getuser()}@{server.host}:{server.port}"
            text += f'\n[[host]]\naddress = "{address}"\ncpus = 1\n{more}'
        self.file.write_text(text, "utf-8")

    def run(self, verb: str, *arguments: str) -> Ended:
        return self.headcount.start("cluster", verb, *arguments).ended(LONGEST_S)

    def up(self) -> Ended:
        return self.run("up", str(self.file))

    def left(self) -> list[str]:
        """What of clusters is left on this machine."""
        state = self.folder / "state" / "headcount" / "clusters"
        files = [str(one) for one in (self.far, state) if one.exists()]
        return [*files, *self.processes()]

    def processes(self) -> list[str]:
        """Processes that a cluster of this folder has started."""
        mark = f"HEADCOUNT_CLUSTER_RUN={self.far}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (path / "environ").read_bytes():
                    found.append((path / "cmdline").read_text("utf-8", "replace"))
        return found


@contextlib.contextmanager
def far_hosts(folder: Path) -> Iterator[FarHosts]:
    """Two hosts; a cluster that a test leaves up is ended."""
    for name in ("a", "b"):
        (folder / name).mkdir(parents=True)
    with (
        other_machine() as other,
        serving(folder / "a", str(ip_address(other.address) - 1)) as first,
        serving(folder / "b", other.address, other.enter) as second,
    ):
        found = FarHosts(folder, (first, second))
        try:
            yield found
        finally:
            if found.left():
                found.run("down")
            found.headcount.close()


class Watch:
    """Commands and variables of all processes, again and again."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(0.2):
            for path in Path("/proc").glob("[0-9]*"):
                for name in ("cmdline", "environ"):
                    with contextlib.suppress(OSError):
                        self.seen.add((path / name).read_bytes())


def free_block() -> range:
    """Adjacent ports that nobody uses, from a random first one."""
    end_s = time.monotonic() + 30
    while time.monotonic() < end_s:
        first = random.randrange(LOWEST, HIGHEST - BLOCK)
        found = range(first, first + BLOCK)
        if all(is_free(port) for port in found):
            return found
    raise AssertionError("no free ports")


def is_free(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("", port))
        except OSError:
            return False
    return True


def span(ports: range) -> str:
    return f"{ports.start}-{ports.stop - 1}"
