"""CPU quotas that throttle a server's processes, whichever group has them.

The group of all processes of a server may have no quota, but a slice or pod above it may have one,
or some of the processes are in another group, as when two services make up a mail server.
"""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from headcount.counters.proc import cgroup, groups
from headcount.counters.proc.cgroup import Quota
from headcount.counters.proc.kept_files import Files, PlainFiles

THROTTLED, LIMIT = "cgroup.cpu.throttled", "cgroup.cpu.limit"
_CONTROLLERS = {"cpu", "unified"}
"""Hierarchies that may have CPU quotas: version 1 mounts the controller by itself."""
_PIDS_MAX = 16
"""Most processes whose groups are looked up: few are at the root of a server's tree."""


class Quotas:
    """The CPU quotas of the groups of some processes, and of all groups above these.

    Args:
        proc: Where procfs is mounted.
        sys: Where sysfs is mounted.
        files: Reads the files; by default each is opened every time.

    """

    def __init__(self, proc: str, sys: Path, files: Files | None = None) -> None:
        """Take no reading yet."""
        self._proc = proc
        self._sys = sys
        self._files = files or PlainFiles()
        self._texts: dict[int, str | None] = {}
        self._known: set[str] = set()
        self._previous: dict[str, Quota] = {}

    def sample(self, pids: Iterable[int]) -> dict[str, float]:
        """The quota that throttled most often since the previous call: its limit, and how often.

        The share is of the scheduler's periods in which the group wanted the CPU at all. Empty
        if no group has a quota, or wanted the CPU.
        """
        now = {
            folder: found
            for folder in self._folders(pids)
            if (found := cgroup.quota(folder, self._files.text)) is not None
        }
        shares = {
            folder: (found.throttled - was.throttled) / (found.periods - was.periods)
            for folder, found in now.items()
            if (was := self._previous.get(folder)) is not None and found.periods > was.periods
        }
        self._previous = now
        if not shares:
            return {}
        strictest = max(shares, key=lambda folder: (shares[folder], -now[folder].limit))
        return {THROTTLED: min(shares[strictest], 1.0), LIMIT: now[strictest].limit}

    def _folders(self, pids: Iterable[int]) -> set[str]:
        """The folders of the groups of these processes, and of those above.

        The root counts: in a container it is the container's own group.
        """
        texts = {
            pid: self._files.text(f"{self._proc}/{pid}/cgroup") for pid in islice(pids, _PIDS_MAX)
        }
        if texts == self._texts:
            return self._known
        found: set[str] = set()
        for pid in texts:
            names = groups.paths(self._proc, pid)
            for controller in names.keys() & _CONTROLLERS:
                parts = names[controller].strip("/").split("/")
                for depth in range(len(parts) + 1):
                    above = "/".join(parts[:depth])
                    found.update(cgroup.folders(self._sys, {controller: above}).values())
        self._texts, self._known = texts, found
        return found
