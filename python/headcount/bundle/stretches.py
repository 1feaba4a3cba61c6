"""The seconds of a run with those of long levels summed up, so that a long run fits into memory.

A level that is measured for more than ten minutes is analysed in stretches (`stretch_s` in
`levels.json`). Here each stretch is one record with the fields of a second.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from headcount.bundle.level import LevelResult

Second = dict[str, Any]
SLACK_S = 0.5
"""How exactly the engine's seconds are kept."""
RUN = ("seconds", "think_s", "sessions_opened")
"""Figures of the run that are sums; the others are states at the end."""
STATES = ("pending", "pending_s", "overdue")
"""Figures of a scenario that are states at the end."""
PERCENTILES = ("p50_ms", "p95_ms")
"""Figures whose mean a stretch keeps, weighted by what was completed in each second."""
_NO_SUMS = frozenset({*STATES, *PERCENTILES})


class Head(NamedTuple):
    """When a second was, and what it was part of: fields of a second."""

    t_s: float
    seconds: float
    level: int
    phase: str
    users: int

    @property
    def from_s(self) -> float:
        """When it began."""
        return self.t_s - self.seconds


def head_of(second: Mapping[str, Any]) -> Head:
    """The head of a second."""
    return Head(*(second[key] for key in Head._fields))


class Cut:
    """Where stretches begin."""

    def __init__(self, lengths_s: Mapping[int, float]) -> None:
        """`lengths_s` has the length of the stretches of each level."""
        self._lengths_s = lengths_s
        self._level = 0
        self._from_s = 0.0

    def begins(self, second: Head) -> bool:
        """Whether a stretch begins with the next second."""
        level = second.level if second.phase == "steady" else 0
        length_s = self._lengths_s.get(level, 1.0)
        from_s = second.from_s
        is_within = from_s - self._from_s < length_s - SLACK_S
        if level and level == self._level and length_s > 1 and is_within:
            return False
        self._level, self._from_s = level, from_s
        return True


def stretches(seconds: Iterable[Second], lengths_s: Mapping[int, float]) -> Iterator[Second]:
    """The seconds in order, those of levels with longer stretches summed up."""
    cut = Cut(lengths_s)
    open_: _Sum | None = None
    for second in seconds:
        if cut.begins(head_of(second)) or open_ is None:
            if open_ is not None:
                yield open_.record()
            open_ = _Sum(second)
        else:
            open_.add(second)
    if open_ is not None:
        yield open_.record()


def lengths_s(levels: Iterable[LevelResult]) -> dict[int, float]:
    """The length of the stretches of each level."""
    return {level.index: level.stretch_s for level in levels}


_Mean = list[float]
"""Of the known values: the sum of each times its weight, and the sum of the weights."""


def _added(means: dict[str, _Mean], values: Iterable[tuple[str, Any]], weight: float) -> None:
    """Add a second's values, by name, to their means."""
    for name, value in values:
        mean = means.get(name)
        if mean is None:
            mean = means[name] = [0.0, 0.0]
        if value is not None:
            mean[0] += value * weight
            mean[1] += weight


def _mean(mean: _Mean) -> float | None:
    return mean[0] / mean[1] if mean[1] else None


class _Sum:
    """The sum of consecutive seconds."""

    def __init__(self, second: Second) -> None:
        """Begin with the first second."""
        self._seconds = 0
        self._last = second
        self._run: Counter[str] = Counter()
        self._worker_cpu_s: list[float] = []
        self._groups: dict[str, dict[str, dict[str, Any]]] = {}
        self._p95_ms: dict[str, _Mean] = {}
        self._percentiles: dict[tuple[str, str], dict[str, _Mean]] = {}
        self._counters: dict[str, dict[str, _Mean]] = {}
        self._faults: Counter[tuple[str | None, str]] = Counter()
        self._first = second

    def add(self, second: Second) -> None:
        """Add the next second."""
        if not self._seconds:
            self._take(self._first)
        self._take(second)

    def record(self) -> Second:
        """The sum as one second; the first itself if there is no other."""
        if not self._seconds:
            return self._first
        return {
            **self._last,
            **self._run,
            "worker_cpu_s": self._worker_cpu_s,
            "p95_ms": _mean(self._p95_ms["p95_ms"]),
            **{kind: self._figures(kind) for kind in ("scenarios", "steps", "tasks")},
            **({"lines": self._figures("lines")} if "lines" in self._last else {}),
            "faults": [[*fault, number] for fault, number in self._faults.items()],
            "counters": {
                side: {name: _mean(mean) for name, mean in means.items()}
                for side, means in self._counters.items()
                if means
            },
        }

    def _take(self, second: Second) -> None:
        self._seconds += 1
        self._last = second
        self._run.update({name: second[name] for name in RUN if name in second})
        cpu_s = second.get("worker_cpu_s", [])
        before = self._worker_cpu_s or [0.0] * len(cpu_s)
        self._worker_cpu_s = [a + b for a, b in zip(before, cpu_s, strict=False)]
        completed = sum(of["completed"] for of in second["scenarios"].values())
        _added(self._p95_ms, [("p95_ms", second.get("p95_ms"))], completed)
        for kind in ("scenarios", "steps", "tasks", "lines"):
            groups = self._groups.setdefault(kind, {})
            for name, of in second.get(kind, {}).items():
                sums = groups.setdefault(name, {})
                for key, value in of.items():
                    if key not in _NO_SUMS:
                        sums[key] = value + sums.get(key, 0)
        for kind in ("scenarios", "lines"):
            for name, of in second.get(kind, {}).items():
                means = self._percentiles.setdefault((kind, name), {})
                _added(means, [(key, of.get(key)) for key in PERCENTILES], of["completed"])
        for side, values in second["counters"].items():
            _added(self._counters.setdefault(side, {}), values.items(), second["seconds"])
        for step, fault, number in second.get("faults", []):
            self._faults[step, fault] += number

    def _figures(self, kind: str) -> dict[str, dict[str, Any]]:
        """The figures of each scenario, step, task or line."""
        found = {name: dict(sums) for name, sums in self._groups.get(kind, {}).items()}
        for name, figures in found.items() if kind in ("scenarios", "lines") else ():
            last = self._last[kind].get(name, {})
            figures |= {key: last[key] for key in STATES if key in last}
            figures |= {key: _mean(self._percentiles[kind, name][key]) for key in PERCENTILES}
        return found
