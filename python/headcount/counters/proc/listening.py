"""The processes that listen on a port, found through ``/proc``, and their counters.

Formats: proc(5) (net/tcp, fd).
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import parse_stat
from headcount.counters.proc.source import HostSource
from headcount.counters.source import Sample

_LISTEN = "0A"
"""TCP_LISTEN of include/net/tcp_states.h in hexadecimal."""
_KEEPER = "headcount.lab.keeper"
"""The module that keeps lab servers, as its command line has it."""
_AGAIN_S = 2.0
"""How often processes that have ended are looked for anew: it reads the descriptors of all."""


def listeners(port: int, proc: Path = Path("/proc")) -> list[int]:
    """The processes that listen on a TCP port of this machine, without those whose parent does.

    Other people's processes are found by root alone: only they may look into their descriptors.
    """
    sockets = {
        f"socket:[{words[9]}]"
        for table in ("tcp", "tcp6")
        for line in (read_text(f"{proc}/net/{table}") or "").splitlines()[1:]
        if len(words := line.split()) > 9
        and words[3] == _LISTEN
        and int(words[1].rpartition(":")[2], 16) == port
    }
    return roots({pid for pid in _processes(proc) if sockets & _descriptors(proc, pid)}, proc)


def listening_processes(text: str, proc: Path = Path("/proc")) -> list[int]:
    """The processes of the lab server that was started last, of those in a home like `text`.

    A keeper has each lab server for a child, and names its home on its command line.
    """
    keepers = []
    for pid in _processes(proc):
        line = read_text(f"{proc}/{pid}/cmdline") or ""
        process = parse_stat(read_text(f"{proc}/{pid}/stat") or "")
        if process is not None and text in line and f"\0{_KEEPER}\0" in line:
            keepers.append((process.started_ticks, pid))
    if not keepers:
        return []
    _, keeper = max(keepers)
    found = set()
    for pid in _processes(proc):
        process = parse_stat(read_text(f"{proc}/{pid}/stat") or "")
        if process is not None and process.parent == keeper:
            found.add(pid)
    return roots(found, proc)


def roots(pids: set[int], proc: Path = Path("/proc")) -> list[int]:
    """Those of some processes whose parent is none of them."""
    kept = []
    for pid in sorted(pids):
        process = parse_stat(read_text(f"{proc}/{pid}/stat") or "")
        if process is not None and not process.ended and process.parent not in pids:
            kept.append(pid)
    return kept


def _processes(proc: Path) -> list[int]:
    return [int(name) for name in os.listdir(proc) if name.isdigit()]  # noqa: PTH208 - hot path


def _descriptors(proc: Path, pid: int) -> set[str]:
    folder = f"{proc}/{pid}/fd"
    found = set()
    try:
        for name in os.listdir(folder):  # noqa: PTH208 - hot path
            found.add(os.readlink(f"{folder}/{name}"))  # noqa: PTH115 - hot path
    except OSError:  # it has ended meanwhile, or is another's
        return found
    return found


class ServerSource:
    """Counters of this machine and of a server on it, which may be restarted meanwhile.

    Args:
        name: The source's name.
        find: Finds the processes at the root of the server's tree; none while it is down.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self, name: str, find: Callable[[], list[int]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Look for the server."""
        self.name = name
        self._find = find
        self._clock = clock
        self._pids = find()
        self._looked_s = clock()
        self._source = HostSource(name, pids=self._pids)

    def sample(self) -> Sample:
        """Counters of the machine; of the server while it runs."""
        if not self._lives():
            self._look_again()
        sample = self._source.sample()
        if self._lives():
            return sample
        # Sums over no process are zero, and what a server that is down would use is not known.
        kept = {name: one for name, one in sample.values.items() if name[:8] != "process."}
        return Sample(sample.at_s, kept)

    def close(self) -> None:
        """Forget the previous reading."""
        self._source.close()

    def _lives(self) -> bool:
        return any(Path(f"/proc/{pid}").exists() for pid in self._pids)

    def _look_again(self) -> None:
        now_s = self._clock()
        if now_s - self._looked_s < _AGAIN_S:
            return
        self._looked_s = now_s
        if pids := self._find():
            self._pids = pids
            self._source = HostSource(self.name, pids=pids)
