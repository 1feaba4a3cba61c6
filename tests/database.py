"""A real PostgreSQL that a test owns and Headcount is pointed at."""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.lab.postgresql import PostgresqlServer
from headcount.protocols.registry import start_lab


class Postgres:
    """The server, and what its owner sees in it."""

    def __init__(self, server: PostgresqlServer, cache: Path) -> None:
        """Keep what is needed to speak to it."""
        self.server = server
        self.password = server.password
        self._cache = cache

    @property
    def target(self) -> str:
        """Its database as Headcount's target."""
        return f"postgresql://{self.server.address}/{self.server.database}"

    def sql(self, statement: str, database: str | None = None) -> str:
        """The output of psql for the owner of the server, without headings."""
        host, _, port = self.server.address.partition(":")
        database = database or self.server.database
        done = subprocess.run(
            *(["psql", "-XAtq", "-h", host, "-p", port, "-U", self.server.user, "-d", database],),
            input=statement,
            env={**os.environ, "PGPASSWORD": self.password, "PGOPTIONS": "-c search_path=public"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert not done.stderr, done.stderr
        return done.stdout.strip()

    def schemas(self) -> set[str]:
        """The schemas of the database that are not PostgreSQL's own."""
        names = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema'"
        return set(self.sql(names).splitlines())

    def signal(self, number: signal.Signals) -> None:
        """Send it to all of the server's processes that are left."""
        (server,) = self.server.pids
        pids = [server]
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{server}/task/{server}/children").read_text("ascii")
            pids += map(int, children.split())
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


@contextlib.contextmanager
def serving(**settings: str) -> Iterator[Postgres]:
    """A server with an empty database, as long as it is needed."""
    with tempfile.TemporaryDirectory() as cache, pytest.MonkeyPatch.context() as patch:
        Path(cache).chmod(0o711)  # the server may run as another user
        patch.setenv("XDG_CACHE_HOME", cache)
        server = start_lab("postgresql", settings)
        assert isinstance(server, PostgresqlServer)
        try:
            yield Postgres(server, Path(cache))
        finally:
            server.stop()
