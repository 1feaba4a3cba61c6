"""What this process may use of the machine, which can be less than the machine has."""

import os
import resource
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from headcount.counters.proc import cgroup
from headcount.counters.proc.files import read_text


class Limits(BaseModel):
    """Limits of the process that describes the machine; None where there is no limit.

    Attributes:
        usable_cpus: Logical CPUs the process may run on.
        cpu_limit: CPU time its control group may use, in cores.
        memory_limit_bytes: Memory its control group may hold.
        open_files_soft: Open files it may have (``ulimit -Sn``).
        open_files_hard: What it may raise that to (``ulimit -Hn``).
        processes_soft: Processes and threads its user may have (``ulimit -Su``).

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    usable_cpus: int | None = None
    cpu_limit: float | None = None
    memory_limit_bytes: int | None = None
    open_files_soft: int | None = None
    open_files_hard: int | None = None
    processes_soft: int | None = None


def parse_groups(text: str) -> dict[str, str]:
    """Parse ``/proc/PID/cgroup`` to group name by controller; version 2 is ``unified``."""
    groups: dict[str, str] = {}
    for line in text.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if not rest:
            continue
        for controller in controllers.split(","):
            groups["unified" if number == "0" and not controller else controller] = name
    return groups


def describe_limits(root: Path) -> Limits:
    """Describe what the calling process may use."""
    cpu, memory_bytes = _group_limits(root)
    files_soft, files_hard = (_finite(one) for one in resource.getrlimit(resource.RLIMIT_NOFILE))
    return Limits(
        usable_cpus=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        cpu_limit=cpu,
        memory_limit_bytes=memory_bytes,
        open_files_soft=files_soft,
        open_files_hard=files_hard,
        processes_soft=_finite(resource.getrlimit(resource.RLIMIT_NPROC)[0]),
    )


def _group_limits(root: Path) -> tuple[float | None, int | None]:
    """Return the tightest limits of CPU and memory from the process's group up to the root."""
    cpus: list[float] = []
    sizes: list[int] = []
    groups = parse_groups(read_text(os.fspath(root / "proc/self/cgroup")) or "")
    for controller, name in groups.items():
        for group in (Path(name), *Path(name).parents):
            where = cgroup.folders(root / "sys", os.fspath(group))
            reading = cgroup.read({controller: where[controller]} if controller in where else {})
            cpus += [reading.cpu_limit] if reading.cpu_limit is not None else []
            size = reading.memory_limit_bytes
            sizes += [size] if size is not None else []
    return min(cpus, default=None), min(sizes, default=None)


def _finite(limit: int) -> int | None:
    return None if limit == resource.RLIM_INFINITY else limit
