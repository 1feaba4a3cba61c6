"""The levels of a run as a table: a row a level, and as rows of scenarios and of counters."""

from collections.abc import Callable, Sequence

from headcount.analyse.time_text import own_delay_ms
from headcount.bundle.level import LevelResult, ScenarioResult, Times
from headcount.bundle.reader import Bundle
from headcount.counters.catalogue import label, lookup
from headcount.report.export.table import Column, Table, Value
from headcount.report.resources import is_over_loopback, resources
from headcount.report.selection import published

TIMES = ("mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms")
NAMES = {
    "mean_ms": "Mean",
    "p50_ms": "Median",
    "p90_ms": "90th percentile",
    "p95_ms": "95th percentile",
    "p99_ms": "99th percentile",
    "p999_ms": "99.9th percentile",
    "max_ms": "Longest",
}
RESPONSE = "From the moment the scenario was due to its end."
"""Explanation added to each column of response times."""

Get = Callable[[LevelResult], Value]


def _time(name: str) -> Get:
    return lambda level: _of(level.total.response, name)


def _of(times: Times | None, name: str) -> Value:
    return None if times is None else float(getattr(times, name))


def _end(pair: tuple[float, float] | None, which: int) -> Value:
    return None if pair is None else pair[which]


_ABOUT: Sequence[tuple[Column, Get]] = (
    (Column("level", "Level", "Number of the level in the run."), lambda o: o.index),
    (Column("purpose", "Purpose", "What the level was run for."), lambda o: o.purpose),
    (Column("users", "Users", "Users working throughout the level."), lambda o: o.users),
    (Column("outcome", "Outcome", "Whether every criterion held."), lambda o: o.outcome),
    (Column("started_at", "Started (UTC)", "ISO 8601."), lambda o: o.started_at),
    (Column("steady_s", "Measured (s)", "Length of the measured part."), lambda o: o.steady_s),
)
_LOAD: Sequence[tuple[Column, Get]] = (
    (
        Column("offered_per_s", "Offered (scenarios/s)", "Scenarios that fell due."),
        lambda o: o.offered_per_s,
    ),
    (
        Column("achieved_per_s", "Throughput (scenarios/s)", "Scenarios completed."),
        lambda o: o.achieved_per_s,
    ),
    (
        Column("achieved_low_per_s", "Throughput, low (scenarios/s)", "95% confidence interval."),
        lambda o: _end(o.total.rate_interval_per_s, 0),
    ),
    (
        Column("achieved_high_per_s", "Throughput, high (scenarios/s)", "95% confidence interval."),
        lambda o: _end(o.total.rate_interval_per_s, 1),
    ),
    (
        Column("completed", "Completed (scenarios)", "In the measured part."),
        lambda o: o.total.completed,
    ),
    (Column("failed", "Failed (scenarios)", "In the measured part."), lambda o: o.total.failed),
    (Column("slow", "Slow (scenarios)", "Over their limit."), lambda o: o.total.slow),
    (
        Column("overload_share", "Overload (share)", "Failed, slow or late, of all decided."),
        lambda o: o.total.overload,
    ),
    (
        Column("read_bytes_per_s", "Read (bytes/s)", "By users, from the server."),
        lambda o: o.total.read_bytes_per_s,
    ),
    (
        Column("written_bytes_per_s", "Written (bytes/s)", "By users, to the server."),
        lambda o: o.total.written_bytes_per_s,
    ),
)
_TIMES: Sequence[tuple[Column, Get]] = (
    *(
        (Column(f"response_{name}", f"Response, {NAMES[name].lower()} (ms)", RESPONSE), _time(name))
        for name in TIMES
    ),
    (
        Column("response_p95_low_ms", "Response p95, low (ms)", "95% confidence interval."),
        lambda o: _end(o.total.p95_interval_ms, 0),
    ),
    (
        Column("response_p95_high_ms", "Response p95, high (ms)", "95% confidence interval."),
        lambda o: _end(o.total.p95_interval_ms, 1),
    ),
    (
        Column(
            "response_p95_may_be_wider",
            "Response p95, interval may be wider",
            "The level is too short for bursts of slow responses.",
        ),
        lambda o: o.total.p95_interval_unreliable,
    ),
    (
        Column(
            "response_p95_own_delay_ms",
            "Response p95, load generator's own delay (ms)",
            "At most so much of it.",
        ),
        lambda o: own_delay_ms(o.total.response, "p95_ms") if o.total.response else None,
    ),
    (
        Column("service_p95_ms", "Service, 95th percentile (ms)", "From its actual start."),
        lambda o: _of(o.total.service, "p95_ms"),
    ),
)
_TRUST: Sequence[tuple[Column, Get]] = (
    (
        Column("little_error_share", "Little's law, error (share)", "Users against throughput."),
        lambda o: o.little_error,
    ),
    (Column("steady", "Steady", "Whether it was in steady state."), lambda o: o.steadiness.steady),
    (
        Column("generator_cpu_cores", "Load generator CPU (cores)", "Of its workers."),
        lambda o: o.generator.cpu_cores,
    ),
    (
        Column("generator_late_p99_ms", "Load generator lateness p99 (ms)", "Of its own timers."),
        lambda o: o.generator.timer_lateness_p99_ms,
    ),
    (Column("reasons", "Why it did not pass"), lambda o: "; ".join(o.reasons) or None),
)


def levels(bundle: Bundle) -> Table:
    """A row for each level, in the order they were run."""
    loopback = is_over_loopback(bundle.environment)
    standing = _standing(bundle)
    used: Sequence[tuple[Column, Get]] = (
        (
            Column("server_cpu_share", "Server CPU (share)", "Of the whole machine."),
            lambda o: resources(o, loopback=loopback).cpu_share,
        ),
        (
            Column("server_memory_share", "Server memory (share)", "Not available any more."),
            lambda o: resources(o, loopback=loopback).memory_share,
        ),
        (
            Column("server_disk_bytes_per_s", "Server disk (bytes/s)", "Read and written."),
            lambda o: resources(o, loopback=loopback).disk_bytes_per_s,
        ),
        (
            Column("server_network_bytes_per_s", "Server network (bytes/s)", "Both ways."),
            lambda o: resources(o, loopback=loopback).network_bytes_per_s,
        ),
    )
    answer: Sequence[tuple[Column, Get]] = (
        (
            Column(
                "answer", "Stands for the answer", "Whether the quoted figures are from this level."
            ),
            lambda o: o.index == standing,
        ),
    )
    cells = (*_ABOUT, *answer, *_LOAD, *_TIMES, *used, *_TRUST)
    rows = [[get(level) for _, get in cells] for level in bundle.levels]
    return Table("levels", "Levels", [column for column, _ in cells], rows)


def _standing(bundle: Bundle) -> int | None:
    """The index of the level that stands for the capacity."""
    found = published(bundle.verdict, bundle.levels) if bundle.verdict else None
    return found.index if found else None


def scenarios(bundle: Bundle) -> Table:
    """A row for each scenario of each level."""
    columns = [
        Column("level", "Level"),
        Column("users", "Users"),
        Column("scenario", "Scenario"),
        Column("completed", "Completed"),
        Column("failed", "Failed"),
        Column("slow", "Slow"),
        Column("overload_share", "Overload (share)"),
        Column("rate_per_s", "Throughput (1/s)"),
        *(Column(f"response_{name}", f"{NAMES[name]} (ms)", RESPONSE) for name in TIMES),
    ]
    rows = [
        _scenario(level, one) for level in bundle.levels for one in (level.total, *level.scenarios)
    ]
    return Table("scenarios", "Scenarios", columns, rows)


def _scenario(level: LevelResult, one: ScenarioResult) -> list[Value]:
    head: list[Value] = [level.index, level.users, one.name]
    counts: list[Value] = [one.completed, one.failed, one.slow, one.overload, one.rate_per_s]
    return [*head, *counts, *(_of(one.response, name) for name in TIMES)]


def counters(bundle: Bundle) -> Table:
    """A row for each counter of each level, with its unit and what it means."""
    columns = [
        Column("level", "Level"),
        Column("users", "Users"),
        Column("side", "Side", "sut: the server's machine; server: the server's own counters."),
        Column("counter", "Counter", "The OpenTelemetry name, if there is one."),
        Column("label", "Name"),
        Column("unit", "Unit", "UCUM; 1 is a share from 0 to 1."),
        Column("mean", "Mean"),
        Column("max", "Largest"),
        Column("p95", "95th percentile"),
        Column("samples", "Samples"),
    ]
    rows: list[list[Value]] = []
    for level in bundle.levels:
        for side, found in level.counters.items():
            for name, one in found.items():
                known = lookup(name)
                unit = known.unit if known else None
                figures: list[Value] = [one.mean, one.max, one.p95, one.samples]
                head: list[Value] = [level.index, level.users, side, name, label(name), unit]
                rows.append([*head, *figures])
    return Table("counters", "Counters", columns, rows)
