"""The state of PostgreSQL's sessions, by the titles of their processes: needs no login.

A session's process is called `postgres: [CLUSTER: ]USER DATABASE HOST(PORT) DOING`. DOING is a
command (`SELECT`), followed by `waiting` while it waits for the lock of another transaction, or a
note that the session is idle. Source: PostgreSQL's manual, "Standard Unix Tools". With
`update_process_title = off` the title says nothing.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

SESSION = re.compile(r"postgres: .*?(?:\[local\]|\S+\(\d+\)) (?P<doing>[^\0]+)")
_RESTING = ("idle", "initializing", "authentication", "startup")
_WAITING = " waiting"


@dataclass(frozen=True, slots=True)
class Statements:
    """How many sessions execute a statement, and how many of these wait for a lock."""

    active: int
    waiting: int


def statements(pids: Iterable[int], title: Callable[[int], str | None]) -> Statements | None:
    """Counts of the sessions among some processes; None if none of them is a session.

    Args:
        pids: Processes, of any programs.
        title: Reads the title of a process (`/proc/PID/cmdline`); None if it has gone.

    """
    doing = [found["doing"].strip() for pid in pids if (found := SESSION.match(title(pid) or ""))]
    if not doing:
        return None
    active = [words for words in doing if not words.startswith(_RESTING)]
    return Statements(len(active), sum(words.endswith(_WAITING) for words in active))
