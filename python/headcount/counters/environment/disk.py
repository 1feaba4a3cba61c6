"""The machine's disks."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from headcount.counters.environment.reading import first_line, folders, number, selected_option

_SECTOR_BYTES = 512
"""``/sys/block/*/size`` is in sectors of 512 bytes whatever the disk's own."""


class Disk(BaseModel):
    """One disk.

    Attributes:
        name: The kernel's name, such as "nvme0n1".
        model: The maker's name for it; virtual disks have none.
        size_bytes: Its capacity.
        rotational: Whether the kernel considers it spinning; a hypervisor may report it wrongly.
        scheduler: The kernel's request scheduler in use.
        queue_requests: Requests the kernel queues for it.
        read_ahead_kib: How far the kernel reads ahead.
        write_cache: "write back" where the disk may hold written data in memory.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    model: str | None = None
    size_bytes: int | None = None
    rotational: bool | None = None
    scheduler: str | None = None
    queue_requests: int | None = None
    read_ahead_kib: int | None = None
    write_cache: str | None = None


def describe_disks(root: Path) -> tuple[Disk, ...]:
    """Describe the disks with hardware or a hypervisor behind them, and what is stacked on them.

    Loop and memory disks that hold nothing are left out.
    """
    disks = (_describe(folder) for folder in folders(root / "sys/block"))
    return tuple(disk for disk in disks if disk.size_bytes)


def _describe(folder: Path) -> Disk:
    sectors = number(folder / "size")
    rotational = number(folder / "queue/rotational")
    return Disk(
        name=folder.name.replace("!", "/"),
        model=first_line(folder / "device/model"),
        size_bytes=sectors * _SECTOR_BYTES if sectors is not None else None,
        rotational=bool(rotational) if rotational is not None else None,
        scheduler=selected_option(folder / "queue/scheduler"),
        queue_requests=number(folder / "queue/nr_requests"),
        read_ahead_kib=number(folder / "queue/read_ahead_kb"),
        write_cache=first_line(folder / "queue/write_cache"),
    )
