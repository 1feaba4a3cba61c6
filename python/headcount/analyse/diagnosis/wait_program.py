"""Where in a program most of the additional threads wait, compared with few users, from a tool.

The kernel knows nothing of goroutines, and of a Java thread at a lock only that it is parked.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from headcount.analyse.diagnosis.thresholds import threshold
from headcount.bundle.stacks import LevelStacks, Stacks

_TOOLS = {"jstack": "threads", "py-spy": "threads", "go": "goroutines"}
"""Tools that see waiting threads, and their names for them."""
_LIBRARIES = (
    *("java.", "javax.", "jdk.", "sun.", "runtime.", "sync.", "internal/", "time.", "net."),
    *("net/http.", "io.", "bufio.", "os.", "syscall.", "database/sql.", "context."),
    *("park(", "monitor(", "wait("),
)
"""Frames of languages' own libraries begin with one of these."""
_FILES = (
    "(threading.py)",
    "(socket.py)",
    "(queue.py)",
    "(selectors.py)",
    "(ssl.py)",
    "(thread.py)",
)
"""Python's library frames end with one of these."""
_FIRST = 3
"""Frames before those of the program: process, thread, state."""
_Place = tuple[str, str | None]
"""The innermost frame, and the innermost one outside libraries."""


def program_text(
    stacks: Sequence[LevelStacks],
    seen: Mapping[tuple[int, str], int],
    level: int,
    few: int | None,
) -> str | None:
    """The place with the largest growth of waiting threads; None without a tool or without growth.

    Args:
        stacks: All stacks of the bundle.
        seen: Number of snapshots, by level and tool.
        level: The level at the limit.
        few: The level with the fewest users; None if it is the same one.

    """
    for tool, what in _TOOLS.items():
        off = {one.level: one.stacks for one in stacks if one.tool == tool and one.kind == "off"}
        if level not in off or not seen.get((level, tool)):
            continue
        now = _places(off[level], seen[level, tool])
        times = seen.get((few, tool), 0) if few is not None else 0
        then = _places(off[few], times) if few in off and times else {}
        grown = {
            place: number
            for place, number in now.items()
            if number
            >= max(threshold("waits.least"), threshold("waits.grown") * then.get(place, 0))
        }
        if not grown:
            return None
        place = max(grown, key=lambda one: (grown[one] - then.get(one, 0), one))
        whole = sum(off[level].values()) / seen[level, tool]
        caller = f", called by {place[1]}" if place[1] is not None else ""
        return (
            f"{grown[place]:.0f} of {whole:.0f} waiting {what} are in {place[0]}{caller} ({tool})"
        )
    return None


def _places(off: Stacks, times: int) -> dict[_Place, float]:
    """Mean numbers of waiting threads by place.

    Threads outside any function of the program wait for work, such as the next request.
    """
    found: Counter[_Place] = Counter()
    for stack, number in off.items():
        frames = stack[_FIRST:]
        own = [one for one in frames if not one.startswith(_LIBRARIES) and not one.endswith(_FILES)]
        if not own:
            continue
        caller = own[-1] if own and own[-1] != stack[-1] else None
        found[stack[-1], caller] += number
    return {place: number / times for place, number in found.items()}
