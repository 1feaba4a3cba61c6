"""`lab:app`: the application server in its own process, with its own data folder."""

import json
import resource
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

from headcount import __version__
from headcount.errors import InputError, MachineLimitError
from headcount.lab import port
from headcount.lab.home import Home
from headcount.lab.process import ServerProcess

HANDLES_RESERVE = 400
"""File handles left for everything but connections."""
LEAST_CONNECTIONS = 8
"""Fewer would not suffice for preparing, observing and checking."""
LEAST_HANDLES = HANDLES_RESERVE + 2 * LEAST_CONNECTIONS
"""The server does not start with fewer."""


def _connections() -> int:
    """Most connections that the limit of file handles allows; each may need two."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        100_000 if hard == resource.RLIM_INFINITY else min((hard - HANDLES_RESERVE) // 2, 100_000)
    )


SETTINGS = {"threads": "0", "write_mode": "buffered", "connections": str(_connections())}
"""What a plan's `[server]` table may set, with the defaults. `threads` 0 is ServerBench's rule."""


RANGES = {"threads": range(10_001), "connections": range(1, 1_000_001)}
WRITE_MODES = ("buffered", "dsync", "direct")


def _check(key: str, value: str) -> None:
    """Raise InputError for what the server would not accept."""
    if key not in SETTINGS:
        raise InputError(f"lab:app has no setting {key}; it has: {', '.join(SETTINGS)}")
    if key == "write_mode":
        if value not in WRITE_MODES:
            raise InputError(f'write_mode is "{value}"; it can be: {", ".join(WRITE_MODES)}')
    elif not value.isdecimal() or int(value) not in RANGES[key]:
        numbers = RANGES[key]
        raise InputError(f'{key} is "{value}"; it can be {numbers[0]} to {numbers[-1]}')


TOKEN_BYTES = 24
"""Random bytes: half as many would be unguessable already."""


class AppServer:
    """The lab's application server.

    Attributes:
        token: What it asks of clients if others might reach it; None on loopback.

    """

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        for key, value in settings.items():
            _check(key, value)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it on a free loopback port."""
        self.check_settings(settings)
        if "connections" not in settings and _connections() < LEAST_CONNECTIONS:
            raise MachineLimitError(
                f"the lab server needs at least {LEAST_HANDLES} file handles; raise the "
                f"limit first: ulimit -n {LEAST_HANDLES + 2000}"
            )
        self.settings: Mapping[str, str] = {**SETTINGS, **settings}
        self._home = Home("app")
        options = {
            "listen": f"{port.host()}:0",
            "data": str(self._home.path),
            "threads": int(self.settings["threads"]),
            "write_mode": self.settings["write_mode"],
            "connections": int(self.settings["connections"]),
        }
        command = [sys.executable, "-m", "headcount.own_server", "app", json.dumps(options)]
        self.token: str | None = None
        environment: dict[str, str] = {}
        if port.host() != port.LOOPBACK:  # others of this machine's networks might reach it
            self.token = secrets.token_urlsafe(TOKEN_BYTES)
            environment = {"HEADCOUNT_TOKEN": self.token}
        try:
            self._process = ServerProcess(command, environment)
            self.address: str = json.loads(self._process.ready_line("{"))["address"]
        except BaseException:
            self._home.delete()
            raise
        self.home = self._home.path
        self.logs: Mapping[str, Path] = {"app": self._process.log}
        self.pids = [self._process.pid]
        self.programs: Mapping[str, str] = {"headcount application server": __version__}

    def stop(self) -> None:
        """End the server and delete its data."""
        self._process.stop()
        self._home.delete()
