"""The processes of a machine, and which of them are a server's (proc_pid_stat(5))."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from headcount.tune.host import Host

_ALL = "cat /proc/[0-9]*/stat 2> /dev/null; :"
_PARENT, _SESSION, _NICE, _BEGAN, _POLICY = 1, 3, 16, 19, 38
"""Places of fields behind the name, from the state on."""


@dataclass(frozen=True, slots=True)
class Row:
    """A process or thread.

    Attributes:
        pid: Its number.
        parent: The process that started it.
        session: The session it is in.
        nice: Its nice value.
        began: When it began, in clock ticks since the machine did.
        policy: Its scheduling policy.

    """

    pid: int
    parent: int
    session: int
    nice: int
    began: int
    policy: int


def row(line: str) -> Row | None:
    """The process in a line of `/proc/PID/stat`; None for any other line."""
    head, bracket, rest = line.rpartition(")")
    words = rest.split()
    if not bracket or len(words) <= _POLICY:
        return None
    numbers = (int(words[at]) for at in (_PARENT, _SESSION, _NICE, _BEGAN, _POLICY))
    return Row(int(head.partition(" ")[0]), *numbers)


def table(host: Host) -> Mapping[int, Row]:
    """All processes, by number."""
    output = host.run(["sh", "-c", _ALL]).output
    rows = filter(None, map(row, output.splitlines()))
    return {one.pid: one for one in rows}


def descendants(rows: Mapping[int, Row], roots: Iterable[int]) -> Collection[int]:
    """Some processes with all of their descendants."""
    found = {pid for pid in roots if pid in rows}
    waiting = list(found)
    children: dict[int, list[int]] = {}
    for one in rows.values():
        children.setdefault(one.parent, []).append(one.pid)
    while waiting:
        born = [pid for pid in children.get(waiting.pop(), ()) if pid not in found]
        found.update(born)
        waiting += born
    return found
