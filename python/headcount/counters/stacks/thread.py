"""One thread at a moment: its name, its state, the call it is in, and the kernel's frames.

Formats: proc(5) (task/TID/stat, syscall, stack, wchan).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from headcount.counters.proc.files import read_text
from headcount.counters.stacks.calls import FAULT, Call

RUNNING = "R"
"""On a CPU, or ready for one."""
_ENTRY = frozenset(
    (
        "entry_SYSCALL_64_after_hwframe",
        "do_syscall_64",
        "x64_sys_call",
        "el0t_64_sync",
        "el0t_64_sync_handler",
        "el0_svc",
        "do_el0_svc",
        "invoke_syscall",
    )
)
"""Frames that are below every system call, and so mean nothing."""
_STATES = frozenset("RSD")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of a thread.

    Attributes:
        pid: Its process.
        name: Its own name.
        state: R, S or D: on a CPU or ready, sleeping, in a sleep that no signal ends.
        frames: The kernel's, from the outermost to the innermost; empty if unreadable.
        call: The name of the system call it waits in; None if unreadable.
        first: The call's first argument.
        has_descriptor: Whether that is a descriptor.

    """

    pid: int
    name: str
    state: str
    frames: tuple[str, ...] = ()
    call: str | None = None
    first: int = 0
    has_descriptor: bool = False


def read_thread(
    proc: str, pid: int, thread: int, table: Mapping[int, Call], *, with_stack: bool = True
) -> Reading | None:
    """Read a thread; None if it has gone, was stopped or has ended."""
    folder = f"{proc}/{pid}/task/{thread}"
    named = parse_name(read_text(f"{folder}/stat"))
    if named is None or named[1] not in _STATES:
        return None
    name, state = named
    if state == RUNNING:
        return Reading(pid, name, state)
    called = parse_call(read_text(f"{folder}/syscall"), table)
    frames = parse_frames(read_text(f"{folder}/stack")) if with_stack else ()
    if not frames:
        frames = _waiting_at(read_text(f"{folder}/wchan"))
    if called is None:
        return Reading(pid, name, state, frames)
    call, first = called
    return Reading(pid, name, state, frames, call.name, first, call.has_descriptor)


def parse_name(text: str | None) -> tuple[str, str] | None:
    """The name and the state in `stat`; the name may itself hold blanks and brackets.

    >>> parse_name("7 (a (b)) S 1 7")
    ('a (b)', 'S')
    """
    before, _, after = (text or "").rpartition(") ")
    name = before.partition(" (")[2]
    return (name, after[0]) if after and before else None


def parse_call(text: str | None, table: Mapping[int, Call]) -> tuple[Call, int] | None:
    """The call in `syscall` and its first argument; None if it was unreadable, or none is made.

    `-1` means that the thread sleeps outside a call; a running one has `running`.

    >>> parse_call("74 0x3 0x0 0x0 0x0 0x0 0x0 0x7ff 0x7f0", {74: Call("fsync", "sync", True)})
    (Call(name='fsync', kind='sync', has_descriptor=True), 3)
    """
    words = (text or "").split()
    if not words or words[0] == "running":
        return None
    try:
        number = int(words[0])
        first = int(words[1], 16) if len(words) > 1 else 0
    except ValueError:
        return None
    if number < 0:
        return Call(FAULT, "fault"), 0
    return table.get(number, Call(f"call_{number}", "other")), first


def parse_frames(text: str | None) -> tuple[str, ...]:
    r"""The frames in `stack`, from the outermost to the innermost, as FlameGraph marks kernel's.

    >>> parse_frames("[<0>] futex_wait+0x7/0x9\n[<0>] do_syscall_64+0x5d/0xe0\n")
    ('futex_wait_[k]',)
    """
    found = []
    for line in (text or "").splitlines():
        symbol = line.partition("] ")[2].partition("+0x")[0].strip()
        if symbol and symbol not in _ENTRY:
            found.append(f"{symbol}_[k]")
    return tuple(reversed(found))


def _waiting_at(text: str | None) -> tuple[str, ...]:
    """The one frame that `wchan` names; `0` is none."""
    symbol = (text or "").strip()
    return (f"{symbol}_[k]",) if symbol and symbol != "0" else ()
