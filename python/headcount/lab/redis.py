"""`lab:redis`: a real Redis of this machine, on a loopback port."""

import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import account, certificate, port, setting
from headcount.lab.home import Home, open_base
from headcount.lab.installed import Packages, command_output, find
from headcount.lab.kept import Kept, KeptServer
from headcount.lab.setting import ON_OFF, Setting

PACKAGES = Packages("redis-server", "redis")
CONFIGURATION = """\
bind {host}
{port} {number}
protected-mode no
dir {folder}
{lines}
"""
"""All else has Redis's defaults. Its data goes with the run, and it listens to this machine
alone, so there is no password."""
TLS = """\
port 0
tls-cert-file {folder}/{certificate}
tls-key-file {folder}/{key}
tls-ca-cert-file {folder}/{authority}
tls-auth-clients no
"""
REDIS: Mapping[str, Setting] = {
    "io_threads": Setting(
        "1",
        (),
        "io-threads",
        "Threads that read requests and write answers; commands run in one thread in any case.",
        most=128,
    ),
    "maxclients": Setting(
        "10000", (), "maxclients", "Most connections; more are refused.", most=1_000_000
    ),
    "maxmemory_mib": Setting(
        "0",
        ("0",),
        "maxmemory",
        "Memory for data, in MiB; 0 is no limit. What happens then is maxmemory_policy.",
        most=1_000_000,
    ),
    "maxmemory_policy": Setting(
        "noeviction",
        ("noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random"),
        "maxmemory-policy",
        "What a full memory does: refuse writes, or drop keys.",
    ),
    "appendonly": Setting(
        "no", ("yes", "no"), "appendonly", "Whether to log every write, against a crash."
    ),
    "appendfsync": Setting(
        "everysec",
        ("always", "everysec", "no"),
        "appendfsync",
        "When that log is put on disk. With always each write waits for it.",
    ),
    "save": Setting(
        "off",
        ON_OFF,
        "save",
        "Whether to write snapshots (3600 1 300 100 60 10000, Redis's default). Off because they "
        "come in the middle of levels.",
    ),
    "tcp_backlog": Setting(
        "511", (), "tcp-backlog", "Connections that may wait to be accepted.", most=65_535
    ),
    "tls": Setting(
        "off",
        ON_OFF,
        "tls-port",
        "Whether to speak TLS, with a certificate made for the run (P-256) that users trust.",
    ),
}
SNAPSHOTS = {"on": "3600 1 300 100 60 10000", "off": '""'}


class RedisServer(Kept):
    """Redis in the lab, running.

    Attributes:
        known: What `[server]` may set.
        authority: The certificate that users must trust; None without TLS.

    """

    known = REDIS

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        setting.complete("redis", REDIS, settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it; raises InputError for settings it does not have, else SystemLimitError."""
        self.settings: Mapping[str, str] = setting.complete("redis", REDIS, settings)
        self._program = program()
        version = re.search(r"v=(\S+)", command_output([self._program, "--version"]))
        self.programs: Mapping[str, str] = {"redis": version[1] if version else "unknown"}
        self._account = account.unprivileged("Redis")
        self._parts = port.started("Redis", self._start)

    @property
    def forgets(self) -> bool:
        """Whether a restart loses its data: it is in memory only."""
        return self.settings["appendonly"] == "no" and self.settings["save"] == "off"

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken the port."""
        number = port.free()
        home = Home("redis", open_base())
        parts.callback(home.delete)
        self.home = home.path.absolute()
        self.authority: Path | None = None
        if self.settings["tls"] == "on":
            certificate.make(self.home)
            self.authority = self.home / certificate.AUTHORITY
        file = self.home / "redis.conf"
        try:
            file.write_text(self._configuration(number), "utf-8")
            self._account.own(self.home)
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {self.home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        command = [self._program, str(file)]
        self.server = server = KeptServer(command, self.home, "Redis", self._account)
        parts.callback(server.stop)
        self.logs: Mapping[str, Path] = {"redis": server.log}
        if not server.got_port(number, self.home / "log"):
            return False
        self.address, self.pids = f"{port.host()}:{number}", [server.server_pid]
        return True

    def _configuration(self, number: int) -> str:
        given = self.settings
        lines = [
            f"{REDIS[key].parameter} {given[key]}"
            for key in ("io_threads", "maxclients", "maxmemory_policy", "appendonly", "appendfsync")
        ]
        lines += [f"tcp-backlog {given['tcp_backlog']}", f"save {SNAPSHOTS[given['save']]}"]
        lines += [f"maxmemory {given['maxmemory_mib']}mb"]
        if self.authority is not None:
            names = {
                "certificate": certificate.CERTIFICATE,
                "key": certificate.KEY,
                "authority": certificate.AUTHORITY,
            }
            lines.append(TLS.format(folder=f'"{self.home}"', **names).replace('"/', "/"))
        return CONFIGURATION.format(
            host=port.host(),
            port="port" if self.authority is None else "tls-port",
            number=number,
            folder=f'"{self.home}"',
            lines="\n".join(lines),
        )

    def stop(self) -> None:
        """End it and delete what it stored; safe to call twice."""
        self._parts.close()


def program() -> str:
    """The path of Redis; raises NotInstalledError."""
    return find("redis-server", PACKAGES.advice("lab:redis needs Redis"))
