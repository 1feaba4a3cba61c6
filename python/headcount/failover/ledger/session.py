"""A thread that does something with a server again and again, over sessions that may break."""

import time
from collections.abc import Callable
from threading import Event, Thread

from headcount.errors import HeadcountError
from headcount.failover.ledger.store import Opening, Store

BACK_OFF_S = 0.1
"""Pause between two attempts to log on, as for users."""


class Session:
    """Opens sessions, and calls `act` with them every `pause_s` until it is ended."""

    def __init__(
        self,
        opening: Opening,
        act: Callable[[Store], None],
        pause_s: float,
        longest_s: float = float("inf"),
    ) -> None:
        """`act` raises HeadcountError if the session is no longer usable.

        After `longest_s` a session is replaced by a new one.
        """
        self._opening = opening
        self._act = act
        self._pause_s = pause_s
        self._longest_s = longest_s
        self._ended = Event()
        self._thread = Thread(target=self._run, name="ledger", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def end(self) -> None:
        """Request the end; `join` waits for it."""
        self._ended.set()

    def join(self) -> None:
        """Wait for the operation under way to end."""
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                store = self._opening()
            except HeadcountError:
                self._ended.wait(BACK_OFF_S)
                continue
            try:
                self._use(store)
            except HeadcountError:
                self._ended.wait(BACK_OFF_S)
            finally:
                store.close()

    def _use(self, store: Store) -> None:
        end_s = time.monotonic() + self._longest_s
        while not self._ended.is_set() and time.monotonic() < end_s:
            self._act(store)
            self._ended.wait(self._pause_s)
