"""Samba's figures: its limit on processes, and the counts of smbstatus.

smbstatus is the only program that a view starts: smbd's databases have no other reader. It runs
beside the samples, at the pace of `headcount.counters.samba`, and not at all if its first answer
is slow.
"""

import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from headcount.counters.samba import SambaSource
from headcount.counters.views.foreign_file import foreign_text
from headcount.counters.views.reading import Reading

CONFIGURATIONS = ("/etc/samba/smb.conf", "/usr/local/samba/etc/smb.conf")
"""Where distributions, and Samba itself, keep it."""
FOLDERS = ("/usr/bin", "/usr/sbin", "/usr/local/samba/bin")
COUNTED = "samba.sessions"
PATIENCE_S = 2.0
"""Longest wait for the first answer of smbstatus; the limit is known without it."""
_MOST = re.compile(r"^\s*max\s*smbd\s*processes\s*=\s*(\d+)\s*$", re.IGNORECASE | re.MULTILINE)


class SambaReader:
    """Reads the configuration at a path once, and asks smbstatus now and then."""

    def __init__(self, path: str, status: str | None = None) -> None:
        """Ask nothing yet; `status` is where smbstatus is, if not where it usually is."""
        self._path = path
        self._status = status or program()
        self._source: SambaSource | None = None
        self._is_read = False
        self._limit: dict[str, float] = {}

    def __call__(self) -> Reading | None:
        """What is new; empty if the file is not a configuration of Samba.

        Raises OSError if it cannot be read.
        """
        if self._is_read:
            values = self._source.sample().values if self._source is not None else self._limit
            return Reading(values) if values else None
        text = foreign_text(Path(self._path))
        if "[global]" not in text.lower():
            return Reading()
        self._is_read = True
        most = most_processes(text)
        self._limit = {"samba.processes.limit": float(most)} if most else {}
        return Reading(self._first(most))

    def close(self) -> None:
        """End an smbstatus that has not answered."""
        if self._source is not None:
            self._source.close()

    def _first(self, most: int) -> Mapping[str, float]:
        """The limit, and the first answer of smbstatus; without one it is not asked again."""
        if self._status is None:
            return self._limit
        source = SambaSource([self._status, "--configfile", self._path, "--json"], most=most)
        ends_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends_s:
            values = source.sample().values
            if COUNTED in values:
                self._source = source
                return values
            time.sleep(0.02)
        source.close()
        return self._limit


def most_processes(configuration: str) -> int:
    """Processes that smbd may have, by its configuration; 0 for no limit, which is the default."""
    found = _MOST.findall(configuration)
    return int(found[-1]) if found else 0


def program() -> str | None:
    """The path of smbstatus; None if it is not installed."""
    return shutil.which("smbstatus") or shutil.which("smbstatus", path=":".join(FOLDERS))
