"""What can be compared: every metric, its unit, which direction is good, and its gate's margin."""

from dataclasses import dataclass
from typing import Literal

from headcount.errors import InputError


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of a run or a level.

    Attributes:
        id: Its name for programs.
        label: Its name for people, as a sentence begins.
        short: The label for the head of a table's row.
        unit: Unit of its values.
        better: Which direction is good.
        margin: Share by which it may get worse before a gate fails; None: not gated by default.
        kind: The wording of both directions of its percentage.

    """

    id: str
    label: str
    short: str
    unit: str
    better: Literal["higher", "lower"]
    margin: float | None
    kind: Literal["amount", "time", "cost"]


THROUGHPUT_MARGIN = 0.03
"""Margin of users and throughput: what 10 pairs of runs on a quiet machine (2% from run to run) can
show with a chance of 80%."""
TIME_MARGIN = 0.10
"""Margin of response times, which near the capacity move several times as much as the load."""

METRICS = (
    Metric("capacity", "Capacity", "capacity", "users", "higher", THROUGHPUT_MARGIN, "amount"),
    Metric(
        "plateau",
        "Throughput at the plateau",
        "plateau",
        "1/s",
        "higher",
        THROUGHPUT_MARGIN,
        "amount",
    ),
    Metric("score", "Score", "score", "1", "higher", THROUGHPUT_MARGIN, "amount"),
    Metric("score.time", "Score", "score", "ms", "lower", TIME_MARGIN, "time"),
    Metric("marks", "Marks", "marks", "1/min", "higher", THROUGHPUT_MARGIN, "amount"),
    Metric("price", "Price per user", "price/user", "", "lower", None, "cost"),
    Metric("throughput", "Throughput", "done/s", "1/s", "higher", THROUGHPUT_MARGIN, "amount"),
    Metric("response.mean", "Mean response time", "mean", "ms", "lower", TIME_MARGIN, "time"),
    Metric("response.p50", "p50 response time", "p50", "ms", "lower", TIME_MARGIN, "time"),
    Metric("response.p95", "p95 response time", "p95", "ms", "lower", TIME_MARGIN, "time"),
    Metric("response.p99", "p99 response time", "p99", "ms", "lower", TIME_MARGIN, "time"),
    Metric("cpu.each", "CPU per scenario", "CPU each", "s", "lower", None, "cost"),
    Metric("disk.each", "Disk bytes per scenario", "disk each", "By", "lower", None, "cost"),
    Metric("network.each", "Network bytes per scenario", "net each", "By", "lower", None, "cost"),
)
"""In the order in which they are shown."""

BY_ID = {metric.id: metric for metric in METRICS}
OF_LEVELS = tuple(
    metric
    for metric in METRICS
    if metric.id.partition(".")[0] in ("throughput", "response", "cpu", "disk", "network")
)
"""The metrics of a level, which are compared at equal users."""
RESPONSE = {"response.p50": 0.5, "response.p95": 0.95, "response.p99": 0.99}
"""The percentiles, each with the share of the scenarios that is not slower."""


def metric(name: str) -> Metric:
    """The metric of that name; raises InputError if there is none."""
    if name not in BY_ID:
        raise InputError(f'there is no metric "{name}"; there are: {", ".join(BY_ID)}')
    return BY_ID[name]
