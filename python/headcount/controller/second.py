"""One second of a run in the bundle's form: plain figures, and histograms by tag."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from headcount._engine import Histogram, Interval, ScenarioCount, StepCount


def figures(
    interval: Interval,
    scenarios: Sequence[str],
    steps: Sequence[str],
    counters: Mapping[str, Mapping[str, float]],
    tasks: Sequence[str] = (),
    lines: Sequence[str] = (),
    *,
    t_s: float,
    level: int,
    phase: str,
) -> dict[str, Any]:
    """The line of `series.ndjson`."""
    return {
        "t_s": round(t_s, 6),
        "seconds": round(interval.to_s - interval.from_s, 6),
        "level": level,
        "phase": phase,
        "users": interval.users,
        "logging_on": interval.logging_on,
        "worker_cpu_s": [round(cpu_s, 6) for cpu_s in interval.worker_cpu_s],
        "think_s": round(interval.think_s, 6),
        "sessions_opened": interval.sessions_opened,
        "backlog": interval.backlog.count,
        "backlog_s": _sum_s(interval.backlog),
        "backlog_overdue": interval.backlog_overdue,
        "unserved": [
            [round(since_s + t_s - interval.to_s, 6), users] for since_s, users in interval.unserved
        ],
        "p95_ms": _quantile_ms(
            Histogram.merge([tally.response for tally in interval.scenarios]), 0.95
        ),
        "scenarios": {
            name: _scenario(tally)
            for name, tally in zip(scenarios, interval.scenarios, strict=True)
        },
        "steps": {name: _step(tally) for name, tally in zip(steps, interval.steps, strict=True)},
        "tasks": {
            name: {
                "completed": tally.completed,
                "failed": tally.failed,
                "service_s": round(tally.service_s, 6),
                "squares_ms2": round(tally.squares_ms2, 6),
            }
            for name, tally in zip(tasks, interval.tasks, strict=False)
            if tally.completed or tally.failed
        },
        **({"lines": _lines(interval, lines)} if lines else {}),
        "faults": _faults(interval, steps),
        "counters": {side: dict(values) for side, values in counters.items()},
    }


def _scenario(tally: ScenarioCount) -> dict[str, Any]:
    return {
        "started": tally.started,
        "completed": tally.completed,
        "failed": tally.failed,
        "slow": tally.slow,
        "late": tally.late,
        "overloaded": tally.overloaded,
        "pending": tally.pending.count,
        "pending_s": _sum_s(tally.pending),
        "overdue": tally.overdue,
        "response_s": round(tally.response_s, 6),
        "service_s": round(tally.service_s, 6),
        "read_bytes": tally.read_bytes,
        "written_bytes": tally.written_bytes,
        "p50_ms": _quantile_ms(tally.response, 0.5),
        "p95_ms": _quantile_ms(tally.response, 0.95),
    }


def _step(tally: StepCount) -> dict[str, Any]:
    return {
        "completed": tally.completed,
        "failed": tally.failed,
        "service_s": round(tally.service_s, 6),
        "read_bytes": tally.read_bytes,
        "written_bytes": tally.written_bytes,
    }


def _lines(interval: Interval, lines: Sequence[str]) -> dict[str, Any]:
    return {
        name: {
            "started": tally.started,
            "completed": tally.completed,
            "failed": tally.failed,
            "overloaded": tally.overloaded,
            "p50_ms": _quantile_ms(tally.response, 0.5),
            "p95_ms": _quantile_ms(tally.response, 0.95),
        }
        for name, tally in zip(lines, interval.lines, strict=True)
    }


def _faults(interval: Interval, steps: Sequence[str]) -> list[tuple[str | None, str, int]]:
    """Step, kind and number; messages are only kept per level."""
    counts: Counter[tuple[str | None, str]] = Counter()
    for fault in interval.faults:
        counts[None if fault.step is None else steps[fault.step], fault.kind] += fault.count
    return [(step, kind, number) for (step, kind), number in counts.items()]


def histograms(
    interval: Interval,
    scenarios: Sequence[str],
    steps: Sequence[str],
    tasks: Sequence[str] = (),
    lines: Sequence[str] = (),
) -> dict[str, Histogram]:
    """The histograms of the second, by the tag they get in the log."""
    tagged = {"lateness": interval.timer_lateness, "backlog": interval.backlog}
    for name, tally in zip(scenarios, interval.scenarios, strict=True):
        tagged[f"response/{name}"] = tally.response
        tagged[f"service/{name}"] = tally.service
        tagged[f"pending/{name}"] = tally.pending
    for name, step in zip(steps, interval.steps, strict=True):
        tagged[f"step/{name}"] = step.service
    for name, task in zip(tasks, interval.tasks, strict=False):
        tagged[f"task/{name}"] = task.service
    for name, line in zip(lines, interval.lines, strict=False):
        tagged[f"line/{name}"] = line.response
    return tagged


def _sum_s(histogram: Histogram) -> float:
    return round(histogram.mean_us * histogram.count / 1e6, 6)


def _quantile_ms(histogram: Histogram, quantile: float) -> float | None:
    return histogram.quantile_us(quantile) / 1000 if histogram.count else None
