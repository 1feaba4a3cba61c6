"""Figures that the application server reports: threads, queue, time in the queue."""

import json
import time

from headcount._engine import app_statistics
from headcount.counters.source import Sample
from headcount.errors import HeadcountError

_US_PER_MS = 1000.0


class AppSource:
    """Counters of an application server, asked for over its own protocol."""

    def __init__(self, address: str, token: str | None = None, name: str = "server") -> None:
        """Ask the server at `ip:port`."""
        self.name = name
        self._address = address
        self._token = token
        self._previous: tuple[float, dict[str, float]] | None = None

    def sample(self) -> Sample:
        """Query the server now; empty if it does not answer."""
        at_s = time.monotonic()
        try:
            answer = json.loads(app_statistics(self._address, self._token))
        except HeadcountError:
            self._previous = None
            return Sample(at_s)
        threads = answer["threads"]
        values = {
            "app.connections": float(answer["connections"]["now"]),
            "app.threads": float(threads["now"]),
            "app.threads.busy": float(threads["busy"]),
            "app.threads.utilization": threads["busy"] / max(threads["limit"], 1),
            "app.queue.length": float(answer["queue"]["now"]),
        }
        totals = {
            "waits": float(answer["queue_wait"]["count"]),
            "waited_ms": answer["queue_wait"]["sum_us"] / _US_PER_MS,
            "requests": float(sum(kind["count"] for kind in answer["requests"].values())),
        }
        if self._previous is not None:
            values |= _rates(at_s - self._previous[0], self._previous[1], totals)
        self._previous = (at_s, totals)
        return Sample(at_s, values)

    def close(self) -> None:
        """Nothing is held between samples."""


def _rates(elapsed_s: float, before: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    grown = {key: now[key] - before[key] for key in now}
    if elapsed_s <= 0 or min(grown.values()) < 0:
        return {}  # the server was restarted
    rates = {"app.requests": grown["requests"] / elapsed_s}
    if grown["waits"]:
        rates["app.queue.wait"] = grown["waited_ms"] / grown["waits"]
    return rates
