"""A real Redis that a test owns and Headcount is pointed at."""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.lab.redis import RedisServer
from headcount.protocols.registry import start_lab


class Store:
    """The server, and what its owner sees in it."""

    def __init__(self, server: RedisServer) -> None:
        """Keep what is needed to speak to it."""
        self.server = server

    @property
    def target(self) -> str:
        """Its first database as Headcount's target."""
        scheme = "rediss" if self.server.authority else "redis"
        return f"{scheme}://{self.server.address}"

    def cli(self, *words: str) -> str:
        """What redis-cli prints for a command."""
        host, _, port = self.server.address.partition(":")
        tls = ("--tls", "--cacert", str(self.server.authority)) if self.server.authority else ()
        done = subprocess.run(
            ["redis-cli", "-h", host, "-p", port, *tls, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def calls(self, command: str) -> int:
        """How often a command was called, as Redis counts itself."""
        for line in self.cli("info", "commandstats").splitlines():
            if line.startswith(f"cmdstat_{command}:"):
                return int(line.split("calls=")[1].split(",")[0])
        return 0


@contextlib.contextmanager
def serving(**settings: str) -> Iterator[Store]:
    """An empty server, as long as it is needed."""
    with tempfile.TemporaryDirectory() as cache, pytest.MonkeyPatch.context() as patch:
        Path(cache).chmod(0o711)  # the server may run as another user
        patch.setenv("XDG_CACHE_HOME", cache)
        server = start_lab("redis", settings)
        assert isinstance(server, RedisServer)
        try:
            yield Store(server)
        finally:
            server.stop()
