"""What a mail server of the lab says of itself: Dovecot's metrics, and the queue in front of it."""

import contextlib
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from headcount.counters.source import Sample

PATIENCE_S = 0.5
"""A server that is busy may not answer in time; then nothing is known in this second."""
HELLO = b"VERSION\tstats-reader-client\t2\t0\nDUMP\tcount\n"
"""Asks for how often each metric has happened (Dovecot 2.3, `doveadm stats dump`)."""
MOST_BYTES = 65_536
"""An answer is a line for each of a few metrics."""
END = b"\n\n"
"""The line after the last metric is empty."""


class MailSource:
    """Counters of a mail server, read each second.

    Dovecot is asked at a socket of its own, which starts no process and takes no session.
    """

    def __init__(
        self,
        stats: Path,
        queue_length: Callable[[], int | None],
        arrived: Callable[[], Mapping[str, int]],
        name: str = "server",
    ) -> None:
        """Read at this socket; `queue_length` and `arrived` tell what waits, and what went out."""
        self.name = name
        self._stats = stats
        self._queue_length, self._arrived = queue_length, arrived
        self._previous: tuple[float, dict[str, float]] | None = None

    def sample(self) -> Sample:
        """Read now; what does not answer is absent."""
        at_s = time.monotonic()
        values: dict[str, float] = {}
        totals: dict[str, float] = {}
        with contextlib.suppress(OSError):
            values, totals = figures(_asked(self._stats))
        with contextlib.suppress(OSError):
            waiting = self._queue_length()
            if waiting is not None:
                values["mail.queue"] = waiting
            sent_on = self._arrived()
            if sent_on:
                totals["mail.destinations"] = sum(sent_on.values())
        if self._previous is not None:
            values |= _rates(at_s - self._previous[0], self._previous[1], totals)
        self._previous = (at_s, totals)
        return Sample(at_s, values)

    def close(self) -> None:
        """Nothing is held between samples."""


def figures(text: str) -> tuple[dict[str, float], dict[str, float]]:
    """The gauges in what Dovecot says, by counter, and its totals since it started."""
    told = {}
    for line in text.splitlines():
        name, _, count = line.partition("\t")
        if count.isdecimal():
            told[name] = float(count)
    if not {"deliveries", "logins", "logouts"} <= set(told):
        return {}, {}
    gauges = {}
    if told["logins"] >= told["logouts"]:
        gauges["mail.sessions"] = told["logins"] - told["logouts"]
    return gauges, {"mail.deliveries": told["deliveries"], "mail.logons": told["logins"]}


def _asked(stats: Path) -> str:
    """What Dovecot answers; raises OSError, TimeoutError among them."""
    text = b""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(PATIENCE_S)
        asking.connect(str(stats))
        asking.sendall(HELLO)
        while not text.endswith(END) and len(text) < MOST_BYTES:
            piece = asking.recv(MOST_BYTES)
            if not piece:
                break
            text += piece
    return text.decode("utf-8", errors="replace")


def _rates(
    elapsed_s: float, before: Mapping[str, float], now: Mapping[str, float]
) -> dict[str, float]:
    grown = {key: now[key] - before[key] for key in now if key in before}
    if elapsed_s <= 0 or not grown or min(grown.values()) < 0:
        return {}  # the server was restarted in between
    return {key: value / elapsed_s for key, value in grown.items()}
