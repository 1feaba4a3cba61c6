"""Locks that are observed: of PostgreSQL, even behind the server, of the JVM, and on files."""

from dataclasses import dataclass

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.thresholds import between
from headcount.text import share, significant

INSIDE = "postgresql.backends.waiting{postgresql.wait=lwlock}"
WRITING = "postgresql.backends.waiting{postgresql.wait=io}"
BLOCKED = "process.threads.blocked.occupied"
LOCKS = (
    ("postgresql.backends.waiting{postgresql.wait=lock}", "another transaction's lock"),
    (INSIDE, "a lock inside the server"),
)
LOCKED = {
    "row": ("postgresql.locks.waiting{postgresql.lock=row}", "the same row"),
    "advisory": ("postgresql.locks.waiting{postgresql.lock=advisory}", "an advisory lock"),
    "relation": ("postgresql.locks.waiting{postgresql.lock=relation}", "a whole table"),
}
"""What transactions lock, by kind."""
ACTIVE = "postgresql.backends.active"
DATABASE = "database"
"""The kind of a lock in a database behind the server."""
BEHIND_ACTIVE, BEHIND_WAITING = "upstream.postgresql.active", "upstream.postgresql.waiting"
ALWAYS_WAITED_FOR = (0.5, 1.5)
"""Mean number of statements that wait for a lock: if hardly one does, it is often free."""
MONITOR = "monitor"
"""The kind of a lock that is a monitor of a Java program."""
CONTENDED = "jvm.monitors.contended"
FILE = "file"
"""The kind of a lock on a file, such as SQLite's."""
FILE_HELD, FILE_WAITING = "process.file_locks.held", "process.file_locks.waiting"
SLEEPING = "process.threads.waiting{wait=sleep}"
FILE_MOSTLY_HELD = (0.6, 0.85)
"""Share of samples in which a file is locked: between two locks it is free until a waiter that
sleeps tries again."""
EACH_WAITS = (0.3, 0.8)
"""Monitors that a scenario finds taken: behind the limiting lock, each waits once. Other monitors
that are taken now and then, such as that of a log, affect few."""


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that a program or the kernel reports.

    Attributes:
        score: How surely scenarios wait for each other there, from 0 to 1.
        counter, value, text: The figure that shows it.
        kind: What is locked; None if unknown.

    """

    score: float
    counter: str
    value: float
    text: str
    kind: str | None


def reported_lock(level: Observation) -> Lock | None:
    """The lock that most wait for; None if none is reported."""
    found = [*_of_server(level), *_of_database_behind(level), *_of_jvm(level), *_of_file(level)]
    return max(found, key=lambda one: one.score, default=None)


def lock_share(level: Observation) -> float:
    """Of the statements that a database works on, the share waiting for a lock; 0 if unknown.

    A monitor does not count: on a full CPU, its holder often has to wait for the CPU.
    """
    found = [*_of_server(level), *_of_database_behind(level)]
    return max((one.score for one in found), default=0.0)


def commit_queue(level: Observation) -> float:
    """How surely statements that wait for a lock inside PostgreSQL wait for one that writes.

    One statement writes the log for all that commit meanwhile: it waits for I/O, and the others for
    its lock. The share of time in which one does, as reported by PostgreSQL and the kernel.
    """
    if not level.mean(INSIDE):
        return 0.0
    return min(level.mean(WRITING) or 0.0, level.mean(BLOCKED) or 0.0, 1.0)


def lock_behind(level: Observation) -> float:
    """How surely statements wait for each other's locks in a database behind the server.

    The share of active ones that wait, if one always does: then the lock is never free.
    """
    active, waiting = level.mean(BEHIND_ACTIVE), level.mean(BEHIND_WAITING)
    if not active or not waiting:
        return 0.0
    return min(waiting / active, 1.0) * between(waiting, *ALWAYS_WAITED_FOR)


def lock_elsewhere(level: Observation) -> float:
    """How surely a lock explains why the server waits for another one, or for workers of its own.

    That lock is in a database behind it, or on a file that its workers share.
    """
    on_file = max((one.score for one in _of_file(level)), default=0.0)
    return max(lock_behind(level), on_file)


def _of_server(level: Observation) -> list[Lock]:
    active = level.mean(ACTIVE)
    if not active:
        return []
    kind = _kind(level)
    on = f", on {LOCKED[kind][1]}" if kind is not None else ""
    found = []
    for name, what in LOCKS:
        waiting = level.mean(name) or 0.0
        part = min(waiting / active, 1.0)
        if name == INSIDE:
            part *= 1 - commit_queue(level)
        text = f"{significant(waiting)} statements waited for {what}{on}"
        found.append(Lock(part, name, waiting, text, kind))
    return found


def _kind(level: Observation) -> str | None:
    """What most waiters for a transaction's lock wait for: a kind of `LOCKED`."""
    found = {kind: level.mean(name) or 0.0 for kind, (name, _) in LOCKED.items()}
    most = max(found, key=lambda kind: found[kind])
    return most if found[most] > 0 else None


def _of_database_behind(level: Observation) -> list[Lock]:
    active, waiting = level.mean(BEHIND_ACTIVE), level.mean(BEHIND_WAITING)
    if not active or waiting is None:
        return []
    text = (
        f"{significant(waiting)} of {significant(active)} statements in PostgreSQL behind it "
        "waited for another transaction's lock"
    )
    return [Lock(lock_behind(level), BEHIND_WAITING, waiting, text, DATABASE)]


def _of_jvm(level: Observation) -> list[Lock]:
    contended = level.mean(CONTENDED)
    if contended is None or not level.per_s:
        return []
    each = contended / level.per_s
    text = f"each scenario waited {significant(each)} times for a monitor (synchronized)"
    return [Lock(between(each, *EACH_WAITS), CONTENDED, contended, text, MONITOR)]


def _of_file(level: Observation) -> list[Lock]:
    """A file that is nearly always locked while threads wait for it, or sleep to try again."""
    held = level.mean(FILE_HELD)
    if not held:
        return []
    waiting = (level.mean(FILE_WAITING) or 0.0) + (level.mean(SLEEPING) or 0.0)
    text = (
        f"a file was locked {share(held)} of the time, while {significant(waiting)} threads waited "
        "for a lock on one or slept"
    )
    score = between(held, *FILE_MOSTLY_HELD) * between(waiting, *ALWAYS_WAITED_FOR)
    return [Lock(score, FILE_HELD, held, text, FILE)]
