"""The processes that listen on a port, found through ``/proc``, and their counters.

Formats: proc(5) (net/tcp, fd).
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from headcount.counters.proc.files import read_text
from headcount.counters.proc.machine import ThisMachine, processes
from headcount.counters.proc.process import Process, parse_stat
from headcount.counters.proc.serving import Place, roots
from headcount.counters.proc.source import DUTY, SAMPLER_CPU_TIME, HostSource
from headcount.counters.source import Sample

_LISTEN = "0A"
"""TCP_LISTEN of include/net/tcp_states.h in hexadecimal."""
_KEEPER = "headcount.lab.keeper"
"""The module that keeps lab servers, as its command line has it."""
_INIT = 1
_AGAIN_S = 2.0
"""How often to search for processes that have ended: it reads the descriptors of all processes."""
_MORE_S = 5.0
"""How often to check whether a running server has processes outside its tree."""


def listeners(port: int, proc: Path = Path("/proc")) -> list[int]:
    """The processes that listen on a TCP port of this machine, without those whose parent does.

    Only root finds processes of other users: only root may read their descriptors.
    """
    sockets = {
        f"socket:[{words[9]}]"
        for table in ("tcp", "tcp6")
        for line in (read_text(f"{proc}/net/{table}") or "").splitlines()[1:]
        if len(words := line.split()) > 9
        and words[3] == _LISTEN
        and int(words[1].rpartition(":")[2], 16) == port
    }
    held = {pid for pid in processes(proc) if sockets & _descriptors(proc, pid)}
    # If its first connection starts a service, init holds the socket, too.
    return roots(held - {_INIT}, ThisMachine(str(proc)))


def listening_processes(text: str, proc: Path = Path("/proc")) -> list[int]:
    """The processes of the lab server that was started last, of those whose home contains `text`.

    Each lab server is a child of a keeper, which has the home on its command line.
    """
    keepers = []
    for pid in processes(proc):
        line = read_text(f"{proc}/{pid}/cmdline") or ""
        process = parse_stat(read_text(f"{proc}/{pid}/stat") or "")
        if process is not None and text in line and f"\0{_KEEPER}\0" in line:
            keepers.append((process.started_ticks, pid))
    if not keepers:
        return []
    _, keeper = max(keepers)
    found = set()
    for pid in processes(proc):
        process = parse_stat(read_text(f"{proc}/{pid}/stat") or "")
        if process is not None and process.parent == keeper:
            found.add(pid)
    return roots(found, ThisMachine(str(proc)))


def _descriptors(proc: Path, pid: int) -> set[str]:
    folder = f"{proc}/{pid}/fd"
    found = set()
    try:
        for name in os.listdir(folder):  # noqa: PTH208 - hot path
            found.add(os.readlink(f"{folder}/{name}"))  # noqa: PTH115 - hot path
    except OSError:  # it has ended, or belongs to another user
        return found
    return found


class ServerSource:
    """Counters of this machine and of a server on it, which may be restarted meanwhile.

    Args:
        name: The source's name.
        find: Finds the processes at the root of the server's tree; none while it is down.
        clock: Seconds that never run backwards.
        places: The places where it listens, None for all its sockets.
        group: Its control group by controller, None for the one that its processes share.

    """

    def __init__(
        self,
        name: str,
        find: Callable[[], Sequence[int]],
        clock: Callable[[], float] = time.monotonic,
        places: Sequence[Place] | None = None,
        group: Mapping[str, str] | None = None,
    ) -> None:
        """Look for the server."""
        self.name = name
        self._find = find
        self._clock = clock
        self._places = places
        self._group = group
        self._cost_s = 0.0
        self._pids = self._found()
        self._looked_s = clock()
        self._source = self._opened()

    def sample(self) -> Sample:
        """Counters of the machine; of the server while it runs."""
        lives, cost_s = self._lives(), 0.0
        if self._clock() - self._looked_s >= max(
            _MORE_S if lives else _AGAIN_S, self._cost_s / DUTY
        ):
            self._look_again(lives=lives)
            cost_s = self._cost_s
        sample = self._source.sample()
        values = dict(sample.values)
        values[SAMPLER_CPU_TIME] += cost_s * 1000
        if not self._lives():
            # Sums over no processes are zero, but the figures of a server that is down are unknown.
            values = {name: one for name, one in values.items() if name[:8] != "process."}
        return Sample(sample.at_s, values)

    def members(self) -> Iterable[Process]:
        """The server's processes as they were last read; none while it is down."""
        return self._source.members()

    def close(self) -> None:
        """Forget the previous reading."""
        self._source.close()

    def _lives(self) -> bool:
        return any(Path(f"/proc/{pid}").exists() for pid in self._pids)

    def _look_again(self, *, lives: bool) -> None:
        """Add new processes, or start over with those of a restarted server."""
        pids = self._found()
        self._looked_s = self._clock()
        if not pids:
            return
        if lives:
            self._source.join(set(pids) - set(self._pids))
        else:
            self._source.close()
            self._source = self._opened(pids)
        self._pids = pids

    def _found(self) -> list[int]:
        began_s = time.thread_time()
        pids = list(self._find())
        self._cost_s = time.thread_time() - began_s
        return pids

    def _opened(self, pids: Sequence[int] | None = None) -> HostSource:
        return HostSource(
            self.name, pids=pids or self._pids, cgroup=self._group, places=self._places
        )
