"""A run as time series: metrics with labels and times, as monitoring systems keep them."""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headcount.bundle.reader import Bundle
from headcount.counters.catalogue import lookup
from headcount.counters.naming import split_instance
from headcount.errors import InputError

_ATTRIBUTES = re.compile(r"(?P<metric>[^{]+)(?:\{(?P<attributes>.*)\})?")
RESUMED, LEVEL = "resumed", "level-start"
"""Events: another process goes on, which may take a while to prepare its first level."""
_ATTRIBUTE = re.compile(r"([a-z][\w.]*)=")


@dataclass(slots=True)
class Metric:
    """One metric with all its points.

    Attributes:
        name: OpenTelemetry's, such as `system.cpu.utilization`.
        unit: UCUM code.
        about: What it is.
        series: By attributes, the points: seconds since 1970 (UTC) and value.

    """

    name: str
    unit: str
    about: str
    series: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = field(
        default_factory=dict
    )

    def put(self, attributes: dict[str, str], at_s: float, value: float) -> None:
        """Add a point."""
        self.series.setdefault(tuple(sorted(attributes.items())), []).append((at_s, value))


LOAD: tuple[tuple[str, str, str, Callable[[dict[str, Any]], float | None]], ...] = (
    ("headcount.users", "{user}", "Virtual users at work.", lambda o: o["users"]),
    (
        "headcount.level",
        "1",
        "Number of the level; 0: it was run again later.",
        lambda o: o["level"],
    ),
    (
        "headcount.response.p95",
        "ms",
        "95th percentile of the response times that ended in this second.",
        lambda o: o["p95_ms"],
    ),
)
"""Metrics of a second as a whole."""


def points(bundle: Bundle) -> list[Metric]:
    """Every metric of a run, by name; raises InputError if the run kept no seconds."""
    begun = _begun_s(bundle)
    made: dict[str, Metric] = {}
    for second in bundle.each_second():
        at_s = second["t_s"] + next(zero for after_s, zero in begun if second["t_s"] > after_s)
        for name, unit, about, attributes, value in _figures(second):
            if value is not None:
                metric = made.setdefault(name, Metric(name, unit, about))
                metric.put(attributes, at_s, float(value))
    if not made:
        raise InputError(f"{bundle.folder} has no seconds (series.ndjson): nothing to export")
    return [made[name] for name in sorted(made)]


def _begun_s(bundle: Bundle) -> list[tuple[float, float]]:
    """The time of second 0 by the clock of each process that played the run, the last one first.

    Each with the second after which it holds: the clock of a run stands still until it is resumed.
    Times are in seconds since 1970.
    """
    found: list[tuple[float, float]] = []
    resumed_s: float | None = None
    for event in bundle.events:
        zero = datetime.fromisoformat(event["at"]).timestamp() - float(event["t_s"])
        if event["event"] == RESUMED:
            resumed_s = float(event["t_s"])
        if not found:
            found.append((-math.inf, zero))
        elif resumed_s is not None and event["event"] in (RESUMED, LEVEL):
            found = [*(one for one in found if one[0] < resumed_s), (resumed_s, zero)]
            resumed_s = resumed_s if event["event"] == RESUMED else None
    if found:
        return found[::-1]
    if bundle.environment is None:
        raise InputError(f"{bundle.folder} does not say when it began: it has no environment.json")
    return [(-math.inf, datetime.fromisoformat(bundle.environment.started_at).timestamp())]


Figure = tuple[str, str, str, dict[str, str], float | None]


def _figures(second: dict[str, Any]) -> Iterator[Figure]:
    for name, unit, about, get in LOAD:
        yield name, unit, about, {}, get(second)
    took_s = max(second["seconds"], 1e-9)
    for scenario, found in second["scenarios"].items():
        of = {"headcount.scenario": scenario}
        for outcome in ("completed", "failed", "slow"):
            with_outcome = of | {"headcount.outcome": outcome}
            about = "Scenarios that ended in a second, by outcome; slow ones count as completed."
            rate = found[outcome] / took_s
            yield "headcount.scenarios", "{scenario}/s", about, with_outcome, rate
    for side, found in second["counters"].items():
        for counter, value in found.items():
            known = lookup(counter)
            metric, attributes = attributes_of(counter)
            unit, about = (known.unit, known.meaning) if known else ("1", counter)
            yield metric, unit, about, attributes | {"headcount.side": side}, value


def attributes_of(counter: str) -> tuple[str, dict[str, str]]:
    """A counter's metric and attributes.

    >>> attributes_of("system.disk.io{disk.io.direction=read,system.device=vda}")
    ('system.disk.io', {'disk.io.direction': 'read', 'system.device': 'vda'})
    """
    family, instance = split_instance(counter)
    match = _ATTRIBUTES.fullmatch(family)
    if match is None or match["attributes"] is None:
        found = {}
    else:
        found = dict(part.split("=", 1) for part in match["attributes"].split(","))
    if instance is not None and match is not None:
        rest = counter[: -len(instance) - 2]
        found[_ATTRIBUTE.findall(rest + "=")[-1]] = instance
    return (match["metric"] if match else counter), found
