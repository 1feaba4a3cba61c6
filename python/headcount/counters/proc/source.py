"""The source of this machine's counters: host, a tree of processes, a control group."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from headcount.counters.proc import collectors, descriptors, groups, quotas, tree
from headcount.counters.proc import host as hosts
from headcount.counters.proc.collectors import Collectors, names_below
from headcount.counters.proc.descriptors import DescriptorLimits
from headcount.counters.proc.devices import Devices
from headcount.counters.proc.files import put, read_text
from headcount.counters.proc.fine import FineSampler
from headcount.counters.proc.group_reader import GroupReader
from headcount.counters.proc.groups import Group
from headcount.counters.proc.kept_files import files_of
from headcount.counters.proc.links import Links
from headcount.counters.proc.netlink import own_namespace
from headcount.counters.proc.process import Process
from headcount.counters.proc.programs import Programs
from headcount.counters.proc.quotas import Quotas
from headcount.counters.proc.served import gauges_of
from headcount.counters.proc.serving import Place
from headcount.counters.proc.upstream import peer_of
from headcount.counters.proc.upstream_programs import UpstreamPrograms
from headcount.counters.source import Sample

SAMPLER_CPU_TIME = "headcount.sampler.cpu_time_ms"

DUTY = 0.01
"""Share of one core that reading a tree of processes may cost: the next reading waits until the
cost of the last one is down to that. Our choice. A server with a process for each of 1,000
connections (smbd) costs 60 ms to read: its tree is then read every 6 s, instead of taking CPU time
from the load each second."""
PSS_DUTY = 0.001
"""The same for its proportional set size. That changes slowly, and the kernel walks all page tables
for it: 5 ms each second for the 300 MB of a generator of 2,000 users."""
_PSS_LONGEST_S = 5.0
"""It is read at least this often, as a level without a reading would lack the counter."""
_USUAL_S = 1.0
"""Usual interval of samples: figures that may be read this often are read at every sample."""


class HostSource:
    """Counters of this machine, of a tree of processes, its sockets and its control group.

    Network figures are those of the network namespace that the tree is in. A thread samples what
    changes within a second, from the first sample until ``close``.

    Args:
        name: Whose counters these are, such as ``"server"``.
        pids: Process ids at the root of the tree; None for no ``process.*`` counters, and for the
            listening sockets of all programs.
        cgroup: A control group's name below the root of the hierarchies, such as ``"/lab"``, or its
            names by controller. None for the service's that all of ``pids`` are in and Headcount
            itself is not, if any.
        places: Where the server listens: only sockets there count. None for all of the tree's.
        fine: Whether to sample sockets, queues and states of threads several times a second.
        proc: Where procfs is mounted.
        sys: Where sysfs is mounted.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self,
        name: str,
        pids: Iterable[int] | None = None,
        cgroup: str | Mapping[str, str] | None = None,
        *,
        places: Sequence[Place] | None = None,
        fine: bool = True,
        proc: Path = Path("/proc"),
        sys: Path = Path("/sys"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take no reading yet."""
        self.name = name
        self._proc = os.fspath(proc)
        self._clock = clock
        self._devices = Devices(sys)
        self._pids = None if pids is None else tuple(pids)
        self._processes = ProcessTree(self._pids, proc=proc) if self._pids is not None else None
        self._cgroup = cgroup
        self._previous: tuple[float, hosts.Host, Group] | None = None
        self._files = files_of(self._proc)
        self._groups = GroupReader(self._proc, sys, self._files, self._group_names)
        self._quotas = Quotas(self._proc, sys, self._files)
        self._programs = Programs(self._proc)
        self._upstream_programs = UpstreamPrograms(proc, sys)
        first = self._pids[0] if self._pids else None
        namespace = None if first is None else own_namespace(self._proc, first)
        self._net = f"{first}/net" if namespace is not None else "net"
        self._links = Links(self._proc, sys if namespace is None else None, namespace)
        self._fine = FineSampler(
            lambda: (
                gauges_of(self._proc, self._pids, namespace, self.members, places) if fine else ()
            )
        )

    def join(self, pids: Iterable[int]) -> None:
        """Count these processes as the server's from now on, with their descendants."""
        if self._processes is not None and self._pids is not None:
            self._pids = tuple(dict.fromkeys((*self._pids, *pids)))
            self._processes.join(pids)

    def sample(self) -> Sample:
        """Read the counters now; rates cover the time since the previous call."""
        began_s = time.thread_time()
        at_s = self._clock()
        host = hosts.read(self._text)
        moved = () if self._cgroup is not None else self._pids or ()
        group = self._groups.read(at_s, moved)
        values = hosts.gauges(host)
        if self._previous is not None:
            was_s, was_host, was_group = self._previous
            values |= hosts.delta(was_host, host, at_s - was_s, self._devices)
            values |= group.figures(was_group, at_s - was_s)
        else:
            values |= group.figures(None, 0.0)
        self._previous = at_s, host, group
        quota = self._quotas.sample(self._pids or ())
        self._files.turn()
        if quota.get(quotas.THROTTLED, 0.0) > values.get(quotas.THROTTLED, 0.0):
            values |= quota
        values |= self._links.sample(at_s, values)
        if self._processes is not None:
            figures = self._processes.sample(at_s)
            values |= self._programs.sample(at_s, host.stat, group, figures, self.members())
        fine = self._fine.take()
        values |= fine
        if self._net == "net":  # only our own network namespace's addresses match
            peers = [peer for name in fine if (peer := peer_of(name)) is not None]
            members = {one.pid for one in self.members()}
            values |= self._upstream_programs.sample(at_s, peers, members)
        cost_s = time.thread_time() - began_s + self._fine.cost_s()
        values[SAMPLER_CPU_TIME] = cost_s * 1000
        return Sample(at_s, values)

    def close(self) -> None:
        """End the thread, and forget the previous reading."""
        self._fine.close()
        self._links.close()
        self._files.close()
        if self._processes is not None:
            self._processes.close()
        self._previous = None

    def members(self) -> Iterable[Process]:
        """The server's processes as they were last read; none if unknown."""
        return self._processes.members() if self._processes is not None else ()

    def _group_names(self) -> str | Mapping[str, str]:
        """The server's control group; the new one if the server was moved."""
        if self._cgroup is not None:
            return self._cgroup
        return groups.shared_paths(self._proc, self._pids) if self._pids else {}

    def _text(self, path: str) -> str:
        if path.startswith("net/") and self._net != "net":
            # Kept open, it would hold the namespace of a server that has ended.
            return read_text(f"{self._proc}/{self._net}{path[3:]}") or ""
        return self._files.text(f"{self._proc}/{path}") or ""


class ProcessTree:
    """Counters of a tree of processes: part of :class:`HostSource`, and the generator's source.

    Args:
        pids: Process ids at the root of the tree.
        proc: Where procfs is mounted.
        descend: Whether the descendants of the roots belong to the tree.
        duty: Share of one core that reading it may cost.

    """

    def __init__(
        self,
        pids: Iterable[int],
        *,
        proc: Path = Path("/proc"),
        descend: bool = True,
        duty: float = DUTY,
    ) -> None:
        """Take no reading yet."""
        self._pids = tuple(pids)
        self._joining: set[int] = set()
        self._besides = frozenset() if os.getpid() in self._pids else frozenset({os.getpid()})
        self._proc = os.fspath(proc)
        self._descend = descend
        self._previous: tuple[float, tree.Tree] | None = None
        self._duty = duty
        self._due_s = float("-inf")
        self._pss_due_s = float("-inf")
        self._limits = DescriptorLimits(self._proc)
        self._collectors = Collectors(names_below(self._proc))
        self._files = files_of(self._proc)

    def join(self, pids: Iterable[int]) -> None:
        """Add these processes with the next reading."""
        self._joining.update(pids)

    def close(self) -> None:
        """Close the files of the processes."""
        self._files.close()

    def members(self) -> Iterable[Process]:
        """The processes of the tree as last read; none before the first reading."""
        return () if self._previous is None else tuple(self._previous[1].processes.values())

    def sample(self, at_s: float) -> dict[str, float]:
        """Read the tree at a moment of the caller's clock; rates since the previous reading.

        Empty while the cost of the last reading delays the next one.
        """
        if at_s < self._due_s:
            return {}
        began_s = time.thread_time()
        was = self._previous
        now = tree.read(
            self._proc,
            self._pids,
            was[1] if was else None,
            descend=self._descend,
            joining=self._joining,
            besides=self._besides,
            files=self._files,
        )
        self._files.turn()
        self._joining.clear()
        values = tree.gauges(now)
        if was is not None:
            values |= tree.delta(was[1], now, at_s - was[0])
        members = now.processes.values()
        put(values, descriptors.NAME, self._limits.utilization(at_s, members))
        put(values, collectors.NAME, self._collectors.utilization(at_s, members))
        self._previous = at_s, now
        read_s = time.thread_time()
        wait_s = (read_s - began_s) / self._duty
        self._due_s = at_s + (wait_s if wait_s > _USUAL_S else 0.0)
        if at_s >= self._pss_due_s:
            put(values, "process.memory.pss", tree.read_pss(self._proc, now))
            wait_s = (time.thread_time() - read_s) / PSS_DUTY
            self._pss_due_s = at_s + min(wait_s, _PSS_LONGEST_S)
        return values
