"""What was written and acknowledged during a failure, and what is there afterwards."""

import time
from collections.abc import Callable
from functools import partial

from headcount.bundle.failover import Writes
from headcount.errors import HeadcountError
from headcount.failover.ledger.compare import StaleRead, Written, compare
from headcount.failover.ledger.session import Session
from headcount.failover.ledger.store import Kept, Opening, Store

WRITE_EVERY_S = 0.005
"""Pause between two writes of a writer."""
READ_EVERY_S = 0.005
READER_S = 1.0
"""A reader logs on again after this time: a balancer may then give it another node."""

CHECKS = 5
"""Times to read the rows back: a server that has just recovered may end sessions once more, such as
when the address goes back to the first node."""
CHECK_AGAIN_S = 1.0
"""Pause between two of them."""


class Ledger:
    """Writers that write one numbered row after the other, and a reader that looks for them.

    Each writer has a session and numbers of its own, from 1. The reader asks over another session
    for a writer's newest row: one older than had been acknowledged before the question is stale.
    """

    def __init__(self, opening: Opening, writers: int, now_s: Callable[[], float]) -> None:
        """Make the table; nobody writes yet. `now_s` is the run's clock. Raises HeadcountError."""
        self._opening = opening
        self._now_s = now_s
        self._written = [Written() for _ in range(writers)]
        self._stale: list[StaleRead] = []
        self._turn = 0
        store = opening()
        try:
            store.begin()
        finally:
            store.close()
        acts = [partial(self._write, index) for index in range(writers)]
        self._sessions = [Session(opening, act, WRITE_EVERY_S) for act in acts]
        self._sessions.append(Session(opening, self._read, READ_EVERY_S, READER_S))

    def start(self) -> None:
        """Begin to write and to read."""
        for one in self._sessions:
            one.start()

    def end(self) -> None:
        """Write no more; safe to call twice."""
        for one in self._sessions:
            one.end()
        for one in self._sessions:
            one.join()

    def check(self, injected_s: float) -> Writes:
        """Read all back, after `end`; raises HeadcountError if that fails again and again."""
        for _ in range(CHECKS - 1):
            try:
                kept = self._kept()
                break
            except HeadcountError:
                time.sleep(CHECK_AGAIN_S)
        else:
            kept = self._kept()
        return compare(self._written, kept, self._stale, injected_s)

    def _kept(self) -> Kept:
        store = self._opening()
        try:
            return store.kept()
        finally:
            store.close()

    def _write(self, index: int, store: Store) -> None:
        one = self._written[index]
        number = one.next()
        store.write(index, number)  # if it fails, the number stays unanswered
        one.acknowledge(number, self._now_s())

    def _read(self, store: Store) -> None:
        index = self._turn = (self._turn + 1) % len(self._written)
        expected = self._written[index].newest
        found = store.newest(index)
        if found < expected:
            self._stale.append(StaleRead(index, found + 1, expected, self._now_s()))


def remove(opening: Opening) -> None:
    """Leave nothing of ledgers at the server; raises HeadcountError."""
    store = opening()
    try:
        store.remove()
    finally:
        store.close()
