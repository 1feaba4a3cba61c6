"""System calls that threads wait in: their names, and what they wait for.

Numbers: the kernel's ``unistd_64.h`` of x86-64, and the generic table of arm64.
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal[
    "lock",
    "events",
    "accept",
    "connect",
    "receive",
    "send",
    "sleep",
    "sync",
    "file",
    "child",
    "signal",
    "fault",
    "other",
]
"""What a call waits for: `file` is a file's name or place in a folder, `fault` a page."""
FUTEX = "futex"
FAULT = "page_fault"
"""Stands for a call of a thread that sleeps outside any, as when it touches a page on disk."""


@dataclass(frozen=True, slots=True)
class Call:
    """A system call; `has_descriptor` says if its first argument is a file descriptor."""

    name: str
    kind: Kind
    has_descriptor: bool = False


_FD = True
_CALLS: tuple[tuple[Call, int | None, int | None], ...] = (
    (Call(FUTEX, "lock"), 202, 98),
    (Call("futex_wait", "lock"), 455, 455),
    (Call("flock", "lock", _FD), 73, 32),
    (Call("fcntl", "lock", _FD), 72, 25),
    (Call("semop", "lock"), 65, 193),
    (Call("semtimedop", "lock"), 220, 192),
    (Call("epoll_wait", "events"), 232, None),
    (Call("epoll_pwait", "events"), 281, 22),
    (Call("epoll_pwait2", "events"), 441, 441),
    (Call("poll", "events"), 7, None),
    (Call("ppoll", "events"), 271, 73),
    (Call("select", "events"), 23, None),
    (Call("pselect6", "events"), 270, 72),
    (Call("io_getevents", "events"), 208, 4),
    (Call("io_uring_enter", "events"), 426, 426),
    (Call("accept", "accept", _FD), 43, 202),
    (Call("accept4", "accept", _FD), 288, 242),
    (Call("connect", "connect", _FD), 42, 203),
    (Call("recvfrom", "receive", _FD), 45, 207),
    (Call("recvmsg", "receive", _FD), 47, 212),
    (Call("recvmmsg", "receive", _FD), 299, 243),
    (Call("read", "receive", _FD), 0, 63),
    (Call("pread64", "receive", _FD), 17, 67),
    (Call("readv", "receive", _FD), 19, 65),
    (Call("preadv", "receive", _FD), 295, 69),
    (Call("sendto", "send", _FD), 44, 206),
    (Call("sendmsg", "send", _FD), 46, 211),
    (Call("sendfile", "send", _FD), 40, 71),
    (Call("splice", "send", _FD), 275, 76),
    (Call("write", "send", _FD), 1, 64),
    (Call("pwrite64", "send", _FD), 18, 68),
    (Call("writev", "send", _FD), 20, 66),
    (Call("pwritev", "send", _FD), 296, 70),
    (Call("nanosleep", "sleep"), 35, 101),
    (Call("clock_nanosleep", "sleep"), 230, 115),
    (Call("fsync", "sync", _FD), 74, 82),
    (Call("fdatasync", "sync", _FD), 75, 83),
    (Call("sync_file_range", "sync", _FD), 277, 84),
    (Call("ftruncate", "sync", _FD), 77, 46),
    (Call("fallocate", "sync", _FD), 285, 47),
    (Call("msync", "sync"), 26, 227),
    (Call("openat", "file"), 257, 56),
    (Call("open", "file"), 2, None),
    (Call("unlink", "file"), 87, None),
    (Call("unlinkat", "file"), 263, 35),
    (Call("rename", "file"), 82, None),
    (Call("renameat2", "file"), 316, 276),
    (Call("newfstatat", "file"), 262, 79),
    (Call("mkdirat", "file"), 258, 34),
    (Call("getdents64", "file", _FD), 217, 61),
    (Call("wait4", "child"), 61, 260),
    (Call("waitid", "child"), 247, 95),
    (Call("rt_sigtimedwait", "signal"), 128, 137),
    (Call("rt_sigsuspend", "signal"), 130, 133),
    (Call("pause", "signal"), 34, None),
)
_KINDS: Mapping[str, Kind] = {call.name: call.kind for call, _, _ in _CALLS}


@cache
def calls(machine: str = platform.machine()) -> Mapping[int, Call]:
    """The calls by number for a processor, as uname(2) names it; empty for an unknown one."""
    if machine == "x86_64":
        return {number: call for call, number, _ in _CALLS if number is not None}
    if machine == "aarch64":
        return {number: call for call, _, number in _CALLS if number is not None}
    return {}


def kind_of(name: str) -> Kind:
    """What a call of that name waits for.

    >>> kind_of("fsync"), kind_of("page_fault"), kind_of("call_999")
    ('sync', 'fault', 'other')
    """
    return "fault" if name == FAULT else _KINDS.get(name, "other")
