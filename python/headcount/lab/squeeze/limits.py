"""How much of the machine a group of processes may have."""

from dataclasses import dataclass

CONTROLLERS = {
    "cpu_cores": "cpu",
    "weight": "cpu",
    "cpus": "cpuset",
    "memory_bytes": "memory",
    "disk_read_bytes": "io",
    "disk_write_bytes": "io",
    "disk_read_ops": "io",
    "disk_write_ops": "io",
}
"""The controller that enforces each limit, by its name in version 2 of control groups."""
USUAL_WEIGHT = 100
"""The default weight of a group (cgroup-v2.rst, cpu.weight)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a group; None is no limit.

    Attributes:
        cpu_cores: CPU seconds per second, in cores: 0.5 is half of one.
        cpus: The CPUs it may run on, as a Linux list: `0`, `0-1`, `0,2`.
        memory_bytes: Memory, including the page cache of the files that it read or wrote.
        disk_read_bytes, disk_write_bytes: Bytes/s to and from the disk. Writes that wait in the
            page cache are not held back by version 1 of control groups.
        disk_read_ops, disk_write_ops: Requests/s to the disk.
        weight: Share of a busy CPU relative to others, 1 to 10,000; 100 is the default.

    """

    cpu_cores: float | None = None
    cpus: str | None = None
    memory_bytes: int | None = None
    disk_read_bytes: int | None = None
    disk_write_bytes: int | None = None
    disk_read_ops: int | None = None
    disk_write_ops: int | None = None
    weight: int | None = None

    @property
    def controllers(self) -> frozenset[str]:
        """The controllers that are needed to enforce them."""
        return frozenset(
            controller
            for name, controller in CONTROLLERS.items()
            if getattr(self, name) is not None
        )


NONE = Limits()
