"""A time in words: a range, if much of it may be the load generator's own delay."""

from typing import Literal

from headcount.bundle.level import Times
from headcount.text import duration, interval

NOTABLE = 0.1
"""The generator's own delay is printed from this share of a figure."""

Name = Literal["mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms"]


def time_text(times: Times | None, name: Name) -> str:
    """A figure of times; a dash if there are none."""
    if times is None:
        return duration(None)
    return with_own_delay(getattr(times, name), own_delay_ms(times, name))


def least_text(times: Times | None, name: Name) -> str:
    """The lower end of that range, for a line of its own; empty if a single figure is printed."""
    if times is None or own_delay_ms(times, name) <= NOTABLE * getattr(times, name):
        return ""
    return f"from {duration(max(getattr(times, name) - own_delay_ms(times, name), 0.0))}"


def own_delay_ms(times: Times, name: Name) -> float:
    """Upper bound on the load generator's own delay in a figure; 0 if unknown."""
    return 0.0 if times.own_delay is None else float(getattr(times.own_delay, name))


def with_own_delay(value_ms: float | None, own_ms: float) -> str:
    """A time, or the range that allows for the load generator's own delay.

    >>> with_own_delay(6.1, 4.0), with_own_delay(6.1, 0.5), with_own_delay(None, 0.5)
    ('2.10 to 6.10 ms', '6.10 ms', '\N{EN DASH}')
    """
    if value_ms is None or own_ms <= NOTABLE * value_ms:
        return duration(value_ms)
    return interval(max(value_ms - own_ms, 0.0), value_ms, duration)
