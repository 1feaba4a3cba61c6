"""Sizes and times of a sort experiment."""

from headcount.sort.statistics import Estimate
from headcount.text import duration, interval, storage


def size(value_bytes: float | None) -> str:
    """A number of bytes in decimal units, as in the paper: 16.0 MB."""
    return storage(value_bytes)


def seconds(value_s: float) -> str:
    """A time: 1.02 s, 640 ms."""
    return duration(value_s * 1000)


def time_interval(one: Estimate) -> str | None:
    """The interval of a time; None without one."""
    if one.low is None or one.high is None:
        return None
    return interval(one.low * 1000, one.high * 1000, duration)
