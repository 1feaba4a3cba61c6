"""`lab:app`: the application server as a process of its own, with a data folder of its own."""

import json
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from headcount import __version__
from headcount.errors import InputError
from headcount.lab.process import ServerProcess

HANDLES_RESERVE = 400
"""File handles left for everything but connections."""


def _connections() -> str:
    """Most connections that the limit of file handles allows; each may need two."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 100_000 if hard == resource.RLIM_INFINITY else (hard - HANDLES_RESERVE) // 2
    return str(max(1, min(most, 100_000)))


SETTINGS = {"threads": "0", "write_mode": "buffered", "connections": _connections()}
"""What a plan's `[server]` table may set, with the defaults. `threads` 0 is ServerBench's rule."""


def folder() -> Path:
    """Where servers of the lab keep their data: on a disk, where people keep caches."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "headcount" / "lab"


class AppServer:
    """The application server of the lab."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it on a free loopback port."""
        unknown = [key for key in settings if key not in SETTINGS]
        if unknown:
            raise InputError(f"lab:app has no setting {unknown[0]}; it has: {', '.join(SETTINGS)}")
        self.settings: Mapping[str, str] = {**SETTINGS, **settings}
        folder().mkdir(parents=True, exist_ok=True)
        self._home = Path(tempfile.mkdtemp(prefix="app-", dir=folder()))
        command = [sys.executable, "-m", "headcount", "serve", "app", "--json"]
        command += ["--listen", "127.0.0.1:0", "--data", str(self._home / "data")]
        for key, value in self.settings.items():
            command += [f"--{key.replace('_', '-')}", value]
        try:
            self._process = ServerProcess(command, self._home / "log")
            self.address: str = json.loads(self._process.ready_line("{"))["address"]
        except BaseException:
            shutil.rmtree(self._home, ignore_errors=True)
            raise
        self.pids = [self._process.pid]
        self.programs: Mapping[str, str] = {"headcount application server": __version__}

    def stop(self) -> None:
        """End the server and delete its data."""
        self._process.stop()
        shutil.rmtree(self._home, ignore_errors=True)
