"""Figures of the lab's mail server: Dovecot's metrics, and the queue in front of it."""

import contextlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from headcount.counters import dovecot
from headcount.counters.source import Sample


class MailSource:
    """Counters of a mail server, read each second."""

    def __init__(
        self,
        stats: Path,
        queue_length: Callable[[], int | None],
        arrivals: Callable[[], Mapping[str, int]],
        name: str = "server",
        master: Path | None = None,
    ) -> None:
        """Read from these sockets; `queue_length` and `arrived` count messages waiting and sent.

        `stats` serves the metrics, `master` the processes of services.
        """
        self.name = name
        self._stats, self._master = stats, master
        self._queue_length, self._arrivals = queue_length, arrivals
        self._previous: tuple[float, dovecot.Metrics, int | None] | None = None

    def sample(self) -> Sample:
        """Read now; figures of parts that do not answer are absent."""
        at_s = time.monotonic()
        values: dict[str, float] = {}
        metrics: dovecot.Metrics = {}
        sent: int | None = None
        with contextlib.suppress(OSError):
            metrics = dovecot.metrics(dovecot.response(self._stats, dovecot.HELLO))
            values |= dovecot.gauges(metrics)
        if self._master is not None:
            with contextlib.suppress(OSError):
                values |= dovecot.services(dovecot.response(self._master, dovecot.SERVICES))
        with contextlib.suppress(OSError):
            waiting = self._queue_length()
            if waiting is not None:
                values["mail.queue"] = waiting
            arrivals = self._arrivals()
            sent = sum(arrivals.values()) if arrivals else None
        if self._previous is not None:
            was_s, were, had_sent = self._previous
            values |= dovecot.delta(were, metrics, at_s - was_s)
            if sent is not None and had_sent is not None and sent >= had_sent and at_s > was_s:
                values["mail.destinations"] = (sent - had_sent) / (at_s - was_s)
        self._previous = (at_s, metrics, sent)
        return Sample(at_s, values)

    def close(self) -> None:
        """Nothing is held between samples."""
