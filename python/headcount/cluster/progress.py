"""The progress of a long operation, a line every few seconds."""

import time
from collections.abc import Callable

EVERY_S = 5.0
MEGA = 1e6


class Progress:
    """Bytes on their way to a machine."""

    def __init__(self, machine: str, total_bytes: int, note: Callable[[str], None]) -> None:
        """Nothing was sent yet."""
        self._machine, self._total, self._note = machine, total_bytes / MEGA, note
        self._sent = 0
        self._began_s = self._noted_s = time.monotonic()
        note(f"{machine}: sending Headcount and its libraries, {self._total:,.0f} MB")

    def add(self, sent_bytes: int) -> None:
        """Note bytes that were sent."""
        self._sent += sent_bytes
        now_s = time.monotonic()
        if now_s - self._noted_s >= EVERY_S:
            self._noted_s = now_s
            self._note(f"{self._machine}: {self._sent / MEGA:,.0f} of {self._total:,.0f} MB")

    def end(self) -> None:
        """Note that all bytes were sent."""
        took_s = time.monotonic() - self._began_s
        self._note(f"{self._machine}: sent in {took_s:.0f} s")
