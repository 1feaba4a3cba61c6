"""The seconds of a run with those of long levels summed up, so that a long run fits into memory.

A level that is measured for more than ten minutes is analysed in stretches (`stretch_s` in
`levels.json`). Here each stretch is one record with the fields of a second.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headcount.bundle.level import LevelResult

Second = dict[str, Any]
SLACK_S = 0.5
"""How exactly the engine's seconds are kept."""
RUN = ("seconds", "think_s", "sessions_opened")
"""Figures of the run that are sums; the others say how things stood at the end."""
STATES = ("pending", "pending_s", "overdue")
"""Figures of a scenario that say how things stood at the end."""
PERCENTILES = ("p50_ms", "p95_ms")
"""Figures of which a stretch has the mean, weighted by what was completed in each second."""


class Cut:
    """Where stretches begin."""

    def __init__(self, lengths_s: Mapping[int, float]) -> None:
        """`lengths_s`: of the stretches of each level."""
        self._lengths_s = lengths_s
        self._level = 0
        self._from_s = 0.0

    def begins(self, second: Mapping[str, Any]) -> bool:
        """Whether a stretch begins with the next second."""
        level = second["level"] if second["phase"] == "steady" else 0
        length_s = self._lengths_s.get(level, 1.0)
        from_s = second["t_s"] - second["seconds"]
        is_within = from_s - self._from_s < length_s - SLACK_S
        if level and level == self._level and length_s > 1 and is_within:
            return False
        self._level, self._from_s = level, from_s
        return True


def stretches(seconds: Iterable[Second], lengths_s: Mapping[int, float]) -> Iterator[Second]:
    """The seconds in their order, those of levels with longer stretches summed up."""
    cut = Cut(lengths_s)
    open_: _Sum | None = None
    for second in seconds:
        if cut.begins(second) or open_ is None:
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


class _Mean:
    """A weighted mean of the values that are known."""

    __slots__ = ("total", "weight")

    def __init__(self) -> None:
        self.total = self.weight = 0.0

    def add(self, value: float | None, weight: float) -> None:
        if value is not None:
            self.total += value * weight
            self.weight += weight

    @property
    def value(self) -> float | None:
        return self.total / self.weight if self.weight else None


class _Sum:
    """The sum of consecutive seconds."""

    def __init__(self, second: Second) -> None:
        """Begin with the first."""
        self._seconds = 0
        self._last = second
        self._run: Counter[str] = Counter()
        self._worker_cpu_s: list[float] = []
        self._groups: dict[tuple[str, str], Counter[str]] = {}
        self._means: dict[tuple[str, ...], _Mean] = {}
        self._faults: Counter[tuple[str | None, str]] = Counter()
        self._first = second

    def add(self, second: Second) -> None:
        """Add the next."""
        if not self._seconds:
            self._take(self._first)
        self._take(second)

    def record(self) -> Second:
        """All of them as one second; the first itself if there is no other."""
        if not self._seconds:
            return self._first
        counters: dict[str, dict[str, float | None]] = {}
        for place, mean in self._means.items():
            if place[0] == "counters":
                counters.setdefault(place[1], {})[place[2]] = mean.value
        return {
            **self._last,
            **self._run,
            "worker_cpu_s": self._worker_cpu_s,
            "p95_ms": self._means["p95_ms",].value,
            **{kind: self._figures(kind) for kind in ("scenarios", "steps", "tasks")},
            "faults": [[*fault, number] for fault, number in self._faults.items()],
            "counters": counters,
        }

    def _take(self, second: Second) -> None:
        self._seconds += 1
        self._last = second
        self._run.update({name: second[name] for name in RUN if name in second})
        cpu_s = second.get("worker_cpu_s", [])
        before = self._worker_cpu_s or [0.0] * len(cpu_s)
        self._worker_cpu_s = [a + b for a, b in zip(before, cpu_s, strict=False)]
        completed = sum(of["completed"] for of in second["scenarios"].values())
        self._mean(("p95_ms",), second.get("p95_ms"), completed)
        for kind in ("scenarios", "steps", "tasks"):
            for name, of in second.get(kind, {}).items():
                sums = self._groups.setdefault((kind, name), Counter())
                sums.update({key: of[key] for key in of.keys() - {*STATES, *PERCENTILES}})
        for name, of in second["scenarios"].items():
            for key in PERCENTILES:
                self._mean(("scenarios", name, key), of.get(key), of["completed"])
        for side, values in second["counters"].items():
            for name, value in values.items():
                self._mean(("counters", side, name), value, second["seconds"])
        for step, kind, number in second.get("faults", []):
            self._faults[step, kind] += number

    def _mean(self, place: tuple[str, ...], value: float | None, weight: float) -> None:
        self._means.setdefault(place, _Mean()).add(value, weight)

    def _figures(self, kind: str) -> dict[str, dict[str, Any]]:
        """The figures of each scenario, step or task."""
        found: dict[str, dict[str, Any]] = {}
        for (of, name), sums in self._groups.items():
            if of == kind:
                found[name] = dict(sums)
        for name, figures in found.items() if kind == "scenarios" else ():
            last = self._last["scenarios"].get(name, {})
            figures |= {key: last[key] for key in STATES if key in last}
            figures |= {key: self._means["scenarios", name, key].value for key in PERCENTILES}
        return found
