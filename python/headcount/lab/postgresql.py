"""`lab:postgresql`: a real PostgreSQL of this machine, on a loopback port.

PostgreSQL refuses to run as root; for root it runs as nobody, and as Debian ships it as postgres.
"""

import contextlib
import os
import re
import secrets
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import account, certificate, port, postgresql_settings, setting
from headcount.lab.home import Home, open_base
from headcount.lab.installed import Packages, command_output, find
from headcount.lab.kept import Kept, KeptServer
from headcount.lab.setting import STOCK
from headcount.lab.stock import postgresql as stock

PACKAGES = Packages("postgresql", "postgresql-server")
VERSIONS = Path("/usr/lib/postgresql")
"""Debian's folder, which has a subfolder for each version."""
PASSWORD_BYTES = 24
"""Random bytes: half as many would be unguessable already."""
CONFIGURATION = """
listen_addresses = '{host}'
port = {number}
unix_socket_directories = ''
"""
"""Reached over TCP only. All else has the defaults that initdb writes."""
TLS = """\
ssl_cert_file = '{folder}/{certificate}'
ssl_key_file = '{folder}/{key}'
"""


class PostgresqlServer(Kept):
    """PostgreSQL in the lab, running.

    Attributes:
        user: The superuser.
        password: Theirs, new with each start. It is in no command line, setting or message; the
            server keeps a hash of it (SCRAM-SHA-256).
        database: A database that is empty.
        authority: The certificate that users must trust; None without TLS.
        home: The folder of all its files.

    """

    user = "headcount"
    database = "postgres"
    ends_by = signal.SIGINT
    """Fast shutdown: SIGTERM waits until all clients have left."""

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        setting.complete("postgresql", postgresql_settings.POSTGRESQL, settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it; raises InputError for settings it does not have, else SystemLimitError."""
        known = postgresql_settings.POSTGRESQL
        self.settings: Mapping[str, str] = setting.complete("postgresql", known, settings)
        self._initdb, self._postgres = programs()
        self._is_stock = self.settings["profile"] == STOCK
        self._release = Path(self._postgres).parent.parent.name
        if self._is_stock:
            self.settings = {**self.settings, **stock.disclosed(self._release)}
        version = re.search(r"\) (\S+)", command_output([self._postgres, "--version"]))
        self.programs: Mapping[str, str] = {"postgresql": version[1] if version else "unknown"}
        self.password = secrets.token_urlsafe(PASSWORD_BYTES)
        self._account = (
            account.of_package(stock.USER, "PostgreSQL")
            if self._is_stock
            else account.unprivileged("PostgreSQL")
        )
        self._parts = port.started("PostgreSQL", self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken the port."""
        number = port.free()
        home = Home("postgresql", open_base())
        parts.callback(home.delete)
        self.home = home.path.absolute()
        self.authority: Path | None = None
        data = self.home / "data"
        try:
            command = self._make_stock(number) if self._is_stock else self._make_ours(number)
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {self.home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        self.server = server = KeptServer(command, self.home, "PostgreSQL", self._account)
        parts.callback(server.stop)
        self.logs: Mapping[str, Path] = {"postgresql": server.log}
        if not server.got_port(number, data / "log", lambda: _serves(data)):
            return False
        self.address, self.pids = f"{port.host()}:{number}", [server.server_pid]
        return True

    def _make_ours(self, number: int) -> list[str]:
        """Make a cluster with the lab's configuration; returns the command that starts it.

        Raises OSError, or SystemLimitError if a program fails.
        """
        data = self.home / "data"
        text = CONFIGURATION.format(host=port.host(), number=number)
        text += "".join(f"{line}\n" for line in postgresql_settings.parameters(self.settings))
        if self.settings["tls"] == "on":
            self._certify()
            names = {"certificate": certificate.CERTIFICATE, "key": certificate.KEY}
            text += TLS.format(folder=str(self.home).replace("'", "''"), **names)
        with self._initdb_options() as options:
            how = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
            command_output([self._initdb, "-D", str(data), *how, *options], self._account)
        with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(text)
        with (data / "pg_hba.conf").open("a", encoding="utf-8") as file:
            file.write(f"{stock.ANYBODY}\n")  # a network of the run's own
        return [self._postgres, "-D", str(data)]

    def _make_stock(self, number: int) -> list[str]:
        """The same, as Debian's package does it."""
        for folder in ("etc", "run"):
            (self.home / folder).mkdir()
        self._certify()
        with self._initdb_options() as options:
            command = stock.create_command(self._release, self.home, self._account, options)
            command_output(command)
        fields = {"home": str(self.home), "host": port.host(), "port": str(number)}
        stock.rewrite(self._release, fields)
        where = f"config_file={self.home}{stock.etc_of(self._release)}/{stock.MAIN}"
        return [self._postgres, "-D", str(self.home / "data"), "-c", where]

    def _certify(self) -> None:
        certificate.make(self.home)
        self.authority = self.home / certificate.AUTHORITY

    @contextlib.contextmanager
    def _initdb_options(self) -> Iterator[list[str]]:
        """Options for the superuser; from now on the server's account owns all of the home.

        Raises OSError.
        """
        secret = self.home / "password"
        handle = os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(self.password + "\n")
        self._account.own(self.home)
        yield [f"--username={self.user}", f"--pwfile={secret}"]
        secret.unlink()

    def stop(self) -> None:
        """End it and delete what it stored; safe to call twice."""
        self._parts.close()


def _serves(data: Path) -> bool:
    """Whether it accepts clients: it listens before it has replayed its write-ahead log.

    The last line of its lock file shows that; `pg_ctl --wait` reads it, too.
    """
    try:
        lines = (data / "postmaster.pid").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return bool(lines) and lines[-1].rstrip() == "ready"


def programs() -> tuple[str, str]:
    """The paths of initdb and postgres; raises NotInstalledError."""
    return _find("initdb"), _find("postgres")


def _find(program: str) -> str:
    """A program of the newest installed version; raises NotInstalledError."""
    found = [one for one in VERSIONS.glob(f"*/bin/{program}") if one.parent.parent.name.isdecimal()]
    if found:
        return str(max(found, key=lambda one: int(one.parent.parent.name)))
    return find(program, PACKAGES.advice("lab:postgresql needs PostgreSQL"))
