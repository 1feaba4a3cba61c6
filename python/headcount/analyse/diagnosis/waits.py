"""What the server's threads wait for at the limit, from its stacks there and with few users.

A thread that waits for work looks like one that waits for a lock: both are in futex(2). The
differences are the address they wait at, and whether as many were there with few users. A thread
that is not running is in one of three states: it waits for something that has a name, it is idle,
or it is parked: it waits at its own address until another thread of the program wakes it. The
runtimes of Go and Java use parking for idle threads and for locks.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os.path import commonpath
from pathlib import PurePosixPath
from typing import Any

from headcount.analyse.diagnosis.thresholds import threshold
from headcount.analyse.diagnosis.wait_program import program_text
from headcount.analyse.diagnosis.wait_words import Rests, sentence, wait_words
from headcount.bundle.diagnosis import Wait, Waits
from headcount.bundle.stacks import PROC, LevelStacks, Stacks
from headcount.counters.stacks.calls import FUTEX, Kind, kind_of

_IDLE: frozenset[Kind] = frozenset({"accept", "child", "signal"})
"""Waits that are never for lack of anything but work."""
_ALIKE: frozenset[Kind] = frozenset({"lock", "sleep", "other"})
"""Waits that count as idle if about as many threads were there with few users."""
_ALIKE_OBJECTS = ("pipe:", "udp", "socket")
"""Objects of `receive` that also do: a thread that reads another thread's orders, for example."""
_CLIENT = "client"
_FILE, _FOLDER = "file:", "folder:"
_KERNEL = "_[k]"
_STATES = 3
"""Frames before those of the kernel: process, thread, state."""


@dataclass(frozen=True, slots=True)
class LevelWaits:
    """Mean numbers of threads at a level: those that run, and those that wait, by wait."""

    running: float
    waiting: Mapping[tuple[str, str, str | None], float]
    """By process, call and its object."""


def of_stacks(on: Stacks, off: Stacks, snapshots: int) -> LevelWaits:
    """Means over snapshots, of which there is at least one."""
    waiting: Counter[tuple[str, str, str | None]] = Counter()
    for stack, number in off.items():
        call, what = _leaf(stack)
        waiting[stack[0], call, what] += number
    means = {key: number / snapshots for key, number in waiting.items()}
    return LevelWaits(sum(on.values()) / snapshots, means)


def waits(
    stacks: Sequence[LevelStacks],
    events: Iterable[Mapping[str, Any]],
    at_limit: tuple[int, int],
    with_few: tuple[int, int] | None,
) -> Waits | None:
    """What threads wait for; None without stacks of the level at the limit.

    Args:
        stacks: All stacks of the bundle.
        events: All events of the bundle; they have the numbers of snapshots.
        at_limit: Index and users of a level at the limit.
        with_few: The same for the level with the fewest users; None if it is the same one.

    """
    seen = {
        (event["level"], event["tool"]): event["snapshots"]
        for event in events
        if event.get("event") == "stacks"
    }
    snapshots = {level: number for (level, tool), number in seen.items() if tool == PROC}
    there = _at(stacks, snapshots, at_limit[0])
    if there is None:
        return None
    few = _at(stacks, snapshots, with_few[0]) if with_few is not None else None
    found, rests = _sorted_out(there, few)
    threads = there.running + sum(there.waiting.values())
    least = max(threshold("waits.least"), threshold("waits.share") * threads)
    named = [one for one in found if one.threads >= least]
    return Waits(
        level=at_limit[0],
        users=at_limit[1],
        few_level=with_few[0] if with_few is not None and few is not None else None,
        few_users=with_few[1] if with_few is not None and few is not None else None,
        snapshots=snapshots[at_limit[0]],
        threads=round(threads, 2),
        running=round(there.running, 2),
        idle=round(rests.idle, 2),
        in_loop=round(rests.in_loop, 2),
        parked=round(rests.parked, 2),
        waits=named,
        program=program_text(stacks, seen, at_limit[0], with_few[0] if with_few else None),
        sentence=sentence(at_limit[1], threads, there.running, rests, named),
    )


def _at(
    stacks: Sequence[LevelStacks], snapshots: Mapping[int, int], level: int
) -> LevelWaits | None:
    number = snapshots.get(level, 0)
    own = {one.kind: one.stacks for one in stacks if one.level == level and one.tool == PROC}
    if not number or not own:
        return None
    return of_stacks(own.get("on", {}), own.get("off", {}), number)


def _sorted_out(there: LevelWaits, few: LevelWaits | None) -> tuple[list[Wait], Rests]:
    """The waits, largest first, and how many threads wait for nothing that has a name."""
    idle = in_loop = parked = 0.0
    sums: defaultdict[tuple[Kind, str | None], float] = defaultdict(float)
    for key, number in there.waiting.items():
        _, call, what = key
        kind = kind_of(call)
        before = few.waiting.get(key, 0.0) if few is not None else 0.0
        if kind in _IDLE or (kind == "receive" and what == _CLIENT):
            idle += number
        elif kind == "events":
            in_loop += number
        elif call == FUTEX and what is None:
            parked += number
        elif kind in _ALIKE or (kind == "receive" and (what or "").startswith(_ALIKE_OBJECTS)):
            if number < threshold("waits.grown") * before:
                idle += number
            else:
                sums[kind, None if call == FUTEX else what or _of_call(kind, call)] += number
        else:
            sums[kind, what] += number
    named = in_folders(sums)
    found = [
        Wait(kind=kind, object=what, threads=round(number, 2), sentence=wait_words(kind, what))
        for (kind, what), number in sorted(named.items(), key=lambda one: -one[1])
        if number > 0
    ]
    return found, Rests(idle, in_loop, parked)


def in_folders(
    named: Mapping[tuple[Kind, str | None], float],
) -> dict[tuple[Kind, str | None], float]:
    """The waits with their files merged into the folder, if no file accounts for most of a wait.

    >>> in_folders({("sync", "file:/a/1"): 2.0, ("sync", "file:/a/2"): 2.0, ("lock", None): 1.0})
    {('lock', None): 1.0, ('sync', 'folder:/a'): 4.0}
    """
    files: dict[Kind, dict[str, float]] = {}
    found: dict[tuple[Kind, str | None], float] = {}
    for (kind, what), number in named.items():
        if what is not None and what.startswith(_FILE):
            files.setdefault(kind, {})[what] = number
        else:
            found[kind, what] = number
    for kind, each in files.items():
        total = sum(each.values())
        if len(each) == 1 or max(each.values()) > total / 2:
            found |= {(kind, what): number for what, number in each.items()}
        else:
            folders = [str(PurePosixPath(what.removeprefix(_FILE)).parent) for what in each]
            found[kind, _FOLDER + commonpath(folders)] = total
    return found


def _of_call(kind: Kind, call: str) -> str | None:
    return call if kind == "other" else None


def _leaf(stack: tuple[str, ...]) -> tuple[str, str | None]:
    """The call and its object; for a stack without one, the kernel's innermost function.

    >>> _leaf(("nginx", "nginx", "sleeping", "f_[k]", "read(peer:10.0.0.9:5432)"))
    ('read', 'peer:10.0.0.9:5432')
    """
    if len(stack) <= _STATES:
        return "", None
    name, opening, rest = stack[-1].partition("(")
    if not opening or not rest.endswith(")"):
        return name.removesuffix(_KERNEL), None
    return name, rest[:-1]
