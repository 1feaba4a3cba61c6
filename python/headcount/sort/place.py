"""Folders: whether they can be written, what space they have, and which disk is behind them."""

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import InputError, SystemLimitError
from headcount.text import storage

SYS = Path("/sys")
MARGIN_BYTES = 16_000_000
"""Space left for the file system's own tables."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, and what it lies on.

    Attributes:
        folder: As it was given.
        device: Number of the file system (st_dev).
        disks: Names of the disks behind it, such as sda; none if they are not known, as for a
            network or memory file system.

    """

    folder: Path
    device: int
    disks: frozenset[str]


def place(folder: Path, option: str) -> Place:
    """The place of a folder to write into.

    Raises InputError if it is not a folder, or not writable.
    """
    try:
        status = folder.stat()
    except OSError as error:
        raise InputError(
            f"{option} {folder} cannot be used ({error.strerror}); choose a folder that exists"
        ) from error
    if not folder.is_dir():
        raise InputError(f"{option} {folder} is not a folder; choose one for the data")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{option} {folder} is not writable; choose another folder")
    number = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    return Place(folder, status.st_dev, disks(SYS / "dev" / "block" / number))


def disks(device: Path) -> frozenset[str]:
    """Names of the disks behind a block device: through partitions, LVM and RAID (sysfs(5))."""
    with contextlib.suppress(OSError):
        device = device.resolve(strict=True)
        if (device / "partition").exists():
            return disks(device.parent)
        below = device / "slaves"
        found = [disks(one) for one in below.iterdir()] if below.is_dir() else []
        return frozenset().union(*found) if found else frozenset({device.name})
    return frozenset()


def same_disk(one: Place, other: Place) -> str | None:
    """Why two folders cannot differ in speed; None if they may."""
    if one.device == other.device:
        return f"{one.folder} and {other.folder} are on the same file system"
    shared = sorted(one.disks & other.disks)
    if shared:
        return f"{one.folder} and {other.folder} are on the same disk, {', '.join(shared)}"
    return None


def disk_text(one: Place) -> str:
    """The disks behind a folder, in words."""
    return ", ".join(sorted(one.disks)) if one.disks else "a file system without a disk of its own"


def ensure_space(wanted: Iterable[tuple[Place, int]]) -> None:
    """Check that every file system has room for all that is to be written to it.

    Raises SystemLimitError naming the folder and what is missing.
    """
    needs: dict[int, tuple[Path, int]] = {}
    for where, size_bytes in wanted:
        folder, before = needs.get(where.device, (where.folder, 0))
        needs[where.device] = (folder, before + size_bytes)
    for folder, size_bytes in needs.values():
        figures = os.statvfs(folder)
        free_bytes = figures.f_bavail * figures.f_frsize
        if size_bytes + MARGIN_BYTES > free_bytes:
            raise SystemLimitError(
                f"{folder} has {storage(free_bytes)} free, and data, output and runs need "
                f"{storage(size_bytes + MARGIN_BYTES)}; free some space, or give a smaller --size"
            )


def memory_bytes(meminfo: str) -> Mapping[str, int]:
    """The figures of /proc/meminfo in bytes (proc(5))."""
    found = {}
    for line in meminfo.splitlines():
        name, _, value = line.partition(":")
        words = value.split()
        if words and words[0].isdecimal():
            found[name] = int(words[0]) * (1024 if words[1:] == ["kB"] else 1)
    return found


def ensure_memory(wanted_bytes: int) -> None:
    """Check that this much memory is available now.

    Raises SystemLimitError.
    """
    known = memory_bytes(Path("/proc/meminfo").read_text("ascii"))
    available = known.get("MemAvailable")
    if available is not None and wanted_bytes > available:
        raise SystemLimitError(
            f"the sort needs {storage(wanted_bytes)} of memory, and {storage(available)} is "
            "available; choose a smaller --sortsize"
        )
