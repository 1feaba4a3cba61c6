"""Cuts the CPU time of a control group that Headcount did not make, and restores it.

Formats: cgroup-v2.rst (`cpu.max`), scheduler/sched-bwc.rst (`cpu.cfs_quota_us`).
"""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab.squeeze.files import put, refusal
from headcount.lab.squeeze.group import LEAST_US, PERIOD_US

QUOTA, PERIOD, BOTH = "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.max"
RESTORER_S = 10.0
"""How long the restorer may take to write one line and end."""


@dataclass(frozen=True)
class Quota:
    """The CPU time of a group.

    Attributes:
        path: The file with it.
        before: The original content of the file.
        period_us: The period of the quota.

    """

    path: Path
    before: str
    period_us: int

    def cut(self, cores: float) -> None:
        """Let the group use this many cores; raises SystemLimitError."""
        quota_us = max(LEAST_US, round(cores * self.period_us))
        self._put(str(quota_us) if self.path.name == QUOTA else f"{quota_us} {self.period_us}")

    def restore(self) -> None:
        """Write the original content; raises SystemLimitError."""
        self._put(self.before)

    def _put(self, text: str) -> None:
        try:
            put(self.path, text)
        except OSError as error:
            raise refusal("change the CPU time of the server's control group", error) from error


def quota_of(where: Mapping[str, str]) -> Quota | None:
    """The quota of a group, from its folder by controller (`cpu` of version 1, else `unified`).

    None if the group has no such file.
    """
    try:
        if "cpu" in where:
            folder = Path(where["cpu"])
            return Quota(folder / QUOTA, _text(folder / QUOTA), int(_text(folder / PERIOD)))
        if "unified" in where:
            path = Path(where["unified"]) / BOTH
            text = _text(path)
            words = text.split()
            return Quota(path, text, int(words[1]) if len(words) > 1 else PERIOD_US)
    except (OSError, ValueError):
        pass
    return None


@contextmanager
def restored(quota: Quota) -> Iterator[None]:
    """Restore the CPU time at the end of the block, by another process if this one is killed.

    Raises SystemLimitError if it cannot be written while the group is still there.
    """
    restorer = subprocess.Popen(
        [sys.executable, "-m", "headcount.lab.squeeze.restorer", str(quota.path), quota.before],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        try:
            quota.restore()
        except SystemLimitError:
            if quota.path.exists():
                raise
        finally:
            restorer.communicate(timeout=RESTORER_S)


def _text(path: Path) -> str:
    return path.read_text("ascii").strip()
