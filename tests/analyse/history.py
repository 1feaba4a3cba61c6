"""Invented histories of users, counted exactly and second by second as the engine would.

Times are whole microseconds up to 2,000, where an HDR histogram of three digits is exact.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hdrh.histogram import HdrHistogram
from hypothesis import strategies as st

from headcount._engine import Histogram
from headcount.analyse.window import Window

HORIZON_US = 2_000
LIMITS_US = (150, 60)
"""Limits of the two scenarios."""

EMPTY = Histogram.merge([])


def histogram(values_us: Sequence[int], times: int = 1) -> Histogram:
    """Build a histogram with the hdrhistogram package."""
    if not values_us:
        return EMPTY
    dense = HdrHistogram(1, 3_600_000_000, 3)
    for value in values_us:
        assert dense.record_value(value, times)
    return Histogram.decode(base64.b64decode(dense.encode()))


@dataclass(frozen=True)
class Request:
    """One scenario of one user."""

    due: int
    began: int
    ended: int
    scenario: int
    failed: bool

    def over(self, at: int, limit: int) -> bool:
        """Whether it is known at a moment to have failed or to be slower than a limit."""
        if self.ended <= at:
            return self.failed or self.ended - self.due > limit
        return self.due <= at and at - self.due > limit

    def decided(self, at: int, limit: int) -> bool:
        """Whether it is known at a moment on which side of the limit it is."""
        return self.ended <= at or self.over(at, limit)

    def waited(self, start: int, end: int) -> int:
        """How long its user waited for it between two moments."""
        return max(min(self.ended, end) - max(self.due, start), 0)


@dataclass
class Count:
    """Stands in for a `ScenarioCount`."""

    started: int = 0
    completed: int = 0
    failed: int = 0
    slow: int = 0
    late: int = 0
    overloaded: int = 0
    overdue: int = 0
    response_s: float = 0.0
    service_s: float = 0.0
    read_bytes: int = 0
    written_bytes: int = 0
    response: Histogram = EMPTY
    service: Histogram = EMPTY
    pending: Histogram = EMPTY


@dataclass
class Task:
    """Stands in for a `TaskCount`."""

    completed: int = 0
    failed: int = 0
    service_s: float = 0.0
    squares_ms2: float = 0.0
    service: Histogram = EMPTY


def task(times_us: Sequence[int], failed: int = 0) -> Task:
    """Count tasks that took these times."""
    return Task(
        completed=len(times_us),
        failed=failed,
        service_s=sum(times_us) / 1e6,
        squares_ms2=sum((each / 1000) ** 2 for each in times_us),
        service=histogram(times_us),
    )


@dataclass
class Slice:
    """Stands in for an `Interval`."""

    from_s: float
    to_s: float
    scenarios: list[Count]
    users: int = 0
    completed: list[tuple[float, int]] = field(default_factory=list)
    logging_on: int = 0
    unserved: list[tuple[float, int]] = field(default_factory=list)
    worker_cpu_s: list[float] = field(default_factory=list)
    think_s: float = 0.0
    sessions_opened: int = 0
    steps: list[Any] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    lines: list[Any] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    faults: list[Any] = field(default_factory=list)
    timer_lateness: Histogram = EMPTY
    start_lateness: Histogram = EMPTY
    backlog: Histogram = EMPTY
    backlog_overdue: int = 0


def window(slices: Sequence[Slice], before: Slice | None = None) -> Window:
    return Window(slices, before)  # type: ignore[arg-type]


def one_window(*counts: Count, seconds: float = 1.0, **more: Any) -> Window:
    """Return a window of a single slice."""
    return window([Slice(0.0, seconds, list(counts), **more)])


def slices_of(requests: Sequence[Request], edges: Sequence[int]) -> list[Slice]:
    """Count a history in the slices between the edges, the first beginning at 0."""
    starts = [0, *edges[:-1]]
    return [_slice(requests, a, b, first=a == 0) for a, b in zip(starts, edges, strict=True)]


def _slice(requests: Sequence[Request], start: int, end: int, *, first: bool) -> Slice:
    after = -1 if first else start  # what happens at 0 belongs to the first slice
    counts = [_count(requests, index, after, end) for index in range(len(LIMITS_US))]
    backlog = [end - r.due for r in requests if r.due <= end < r.began]
    overdue = sum(age > max(LIMITS_US) for age in backlog)
    slice_ = Slice(start / 1e6, end / 1e6, counts, backlog=histogram(backlog))
    slice_.backlog_overdue = overdue
    return slice_


def _count(requests: Sequence[Request], index: int, start: int, end: int) -> Count:
    mine = [r for r in requests if r.scenario == index]
    limit = LIMITS_US[index]
    ended = [r for r in mine if start < r.ended <= end]
    done = [r for r in ended if not r.failed]
    ages = [end - r.due for r in mine if r.began <= end < r.ended]
    late = [r.began - r.due > limit for r in ended]
    slow = [not r.failed and r.ended - r.due > limit for r in ended]
    return Count(
        started=sum(start < r.began <= end for r in mine),
        completed=len(done),
        failed=len(ended) - len(done),
        slow=sum(slow),
        late=sum(late),
        overloaded=sum(r.failed or a or b for r, a, b in zip(ended, late, slow, strict=True)),
        overdue=sum(age > limit for age in ages),
        response_s=sum(r.ended - r.due for r in ended) / 1e6,
        service_s=sum(r.ended - r.began for r in ended) / 1e6,
        response=histogram([r.ended - r.due for r in done]),
        service=histogram([r.ended - r.began for r in done]),
        pending=histogram(ages),
    )


def _life(pace: str, turns: list[tuple[int, int, int, bool]]) -> list[Request]:
    """One user: (pause, service time, scenario, failed) one after the other."""
    requests: list[Request] = []
    due = ended = 0
    for pause, service, scenario, failed in turns:
        due = (ended if pace == "closed" else due) + pause
        began = max(due, ended)
        ended = began + service
        requests.append(Request(due, began, ended, scenario, failed))
    return requests


_turn = st.tuples(
    st.integers(1, 200),
    st.integers(0, 400),
    st.integers(0, 1),
    st.integers(0, 9).map(lambda n: not n),
)


def histories(pace: str) -> st.SearchStrategy[list[Request]]:
    """Histories of up to four users."""
    users = st.lists(st.lists(_turn, max_size=12), min_size=1, max_size=4)
    return users.map(lambda lives: [request for life in lives for request in _life(pace, life)])


edges = st.sets(st.integers(1, HORIZON_US), min_size=1, max_size=8).map(sorted)
