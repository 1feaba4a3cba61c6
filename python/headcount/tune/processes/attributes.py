"""How the kernel treats one thread: its nice value, scheduling policy, I/O priority and CPUs."""

import ctypes
import os
import platform
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, get_args

Part = Literal["nice", "policy", "io", "cpus"]
PARTS: tuple[Part, ...] = get_args(Part)
OTHER, BATCH = os.SCHED_OTHER, os.SCHED_BATCH
NO_CLASS, REAL_TIME, BEST_EFFORT = 0, 1, 2
"""Classes of I/O priority (linux/ioprio.h); the first follows the nice value."""
_SHIFT, _WHO_PROCESS = 13, 1
_SYSCALLS = {"x86_64": (252, 251), "aarch64": (31, 30), "riscv64": (31, 30)}
"""Numbers of ioprio_get and ioprio_set, which the C library has no names for."""
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Attributes:
    """The attributes of a thread.

    Attributes:
        nice: From -20, which gets most, to 19.
        policy: `OTHER` or `BATCH`; another one, such as real time, is never changed.
        io_class: Class of I/O priority; None where this machine's is not known.
        io_level: From 0, the first, to 7.
        cpus: The CPUs it may run on.

    """

    nice: int
    policy: int
    io_class: int | None
    io_level: int
    cpus: frozenset[int]

    @property
    def is_usual(self) -> bool:
        """Whether it is scheduled in the usual way, so that it may be changed."""
        return self.policy in (OTHER, BATCH)


def words(one: Attributes, parts: Collection[Part] = PARTS) -> str:
    """These parts of the attributes as `treat.sh` takes them, and `-` for the others."""
    has_io = "io" in parts and one.io_class is not None
    found = (
        one.nice if "nice" in parts else "-",
        one.policy if "policy" in parts else "-",
        f"{one.io_class} {one.io_level}" if has_io else "- -",
        ",".join(map(str, sorted(one.cpus))) if "cpus" in parts else "-",
    )
    return " ".join(map(str, found))


def read(tid: int) -> Attributes | None:
    """The attributes of a thread; None where it has gone."""
    try:
        io = _io(tid)
        return Attributes(
            os.getpriority(os.PRIO_PROCESS, tid),
            os.sched_getscheduler(tid) & ~os.SCHED_RESET_ON_FORK,
            None if io is None else io >> _SHIFT,
            0 if io is None else io & ((1 << _SHIFT) - 1),
            frozenset(os.sched_getaffinity(tid)),
        )
    except OSError:
        return None


def change(tid: int, now: Attributes, wanted: Attributes) -> None:
    """Give a thread other attributes; one that has gone is passed over.

    Raises PermissionError if this user may not.
    """
    with suppress(ProcessLookupError):
        if wanted.nice != now.nice:
            os.setpriority(os.PRIO_PROCESS, tid, wanted.nice)
        if wanted.policy != now.policy:
            os.sched_setscheduler(tid, wanted.policy, os.sched_param(0))
        if wanted.cpus != now.cpus:
            os.sched_setaffinity(tid, wanted.cpus)
        if (wanted.io_class, wanted.io_level) != (now.io_class, now.io_level):
            _set_io(tid, wanted)


def _io(tid: int) -> int | None:
    numbers = _SYSCALLS.get(platform.machine())
    if numbers is None:
        return None
    value = int(_LIBC.syscall(numbers[0], _WHO_PROCESS, tid))
    return None if value < 0 else value


def _set_io(tid: int, wanted: Attributes) -> None:
    numbers = _SYSCALLS.get(platform.machine())
    if numbers is None or wanted.io_class is None:
        return
    value = wanted.io_class << _SHIFT | wanted.io_level
    if _LIBC.syscall(numbers[1], _WHO_PROCESS, tid, value) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
