"""The resource that would be full next, by the utilisation law.

U = U0 + D X: the use of a resource grows with throughput by the demand D of a scenario, from its
use without load (Denning and Buzen, "The Operational Analysis of Queueing Network Models", ACM
Computing Surveys 10(3), 1978). It is full at X* = (capacity - U0) / D, which is the throughput of
X* (R + Z) users with the response time R of few users. The projection and its interval assume that
the demand stays the same: an extrapolation, never a finding.

The CPU that other programs use does not serve users: it is taken off both use and capacity.

On all busy servers tried, a scenario needed less CPU than the line predicts, by an amount that
lower levels do not show (docs/diagnosis-proof.md). So a projection of the CPU, and of its busiest
thread, has only a lower bound.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.analyse.diagnosis.evidence import cpu, disk, network, software, thread
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.resample import SEED
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.bundle.diagnosis import Limit, Next, Side
from headcount.counters.naming import split_instance
from headcount.text import count, significant

LEAST_LEVELS = 3
"""Fewest levels for a line with a residual."""
SPREAD = 1.5
"""Smallest ratio of the largest throughput to the smallest that gives a slope."""
BEYOND = 1.02
"""If a resource should have been full at the throughput reached, its capacity is another one."""
SURE_SLOPE = 4.0
"""Standard errors by which the slope must exceed zero: use that hardly grows is not projected."""
DRAWS = 400
FAR = 100.0
"""Multiple of the users tried beyond which a projection means nothing."""

FROM_BELOW: frozenset[Limit] = frozenset({"cpu", "thread"})
"""A busy server needs less of these per scenario: their projections have no upper bound."""

NAMES: dict[Limit, str] = {
    "cpu": "the CPU",
    "thread": "its busiest thread",
    "memory": "the memory",
    "disk": "the disk",
    "network": "the network",
    "pool": "its pool of workers",
}


@dataclass(frozen=True, slots=True)
class Resource:
    """Something with a capacity, and its use at a level, if observed, in the same unit."""

    limit: Limit
    counter: str
    side: Side
    use: Callable[[Observation], float | None]
    capacity: float
    unit: str
    by_users: bool = False
    """Whether it grows with users rather than throughput."""
    is_own: bool = False
    """Whether only the users' demand uses it: without throughput, it is not used."""


def projection(
    observations: Sequence[Observation], seen: Saturation, named: Sequence[Limit]
) -> Next | None:
    """The first of the other resources to be full, or None if no figure shows it."""
    light = seen.light
    if light is None or not light.per_s:
        return None
    hidden = {*named, *(("thread",) if "cpu" in named else ())}
    valid = [o for o in observations if o.valid and o.per_s > 0]
    found = [
        made
        for resource in resources(valid)
        if resource.limit not in hidden and (made := _projected(resource, valid, light)) is not None
    ]
    return min(found, key=lambda one: one.users, default=None)


def resources(levels: Sequence[Observation]) -> Iterator[Resource]:
    """Everything with a capacity and a use that the levels show."""
    if not levels:
        return
    last = max(levels, key=lambda o: o.users)
    limit = last.mean(cpu.LIMIT)
    if limit and last.mean(cpu.GROUP) is not None:
        yield Resource("cpu", cpu.GROUP, "sut", lambda o: o.mean(cpu.GROUP), limit, "{cpu}")
    else:
        yield Resource("cpu", cpu.HOST, "sut", _without_others, 1 - _others(last), "1", is_own=True)
    busiest = thread.BUSIEST
    yield Resource("thread", busiest, "sut", lambda o: o.mean(busiest), 1.0, "1", is_own=True)
    yield Resource("disk", disk.BUSY, "sut", lambda o: o.mean(disk.BUSY), 1.0, "1")
    memory = "system.memory.utilization"
    yield Resource("memory", memory, "sut", lambda o: o.mean(memory), 1.0, "1", by_users=True)
    for busy, most, _ in software.BUSY:
        allowed = last.mean(most)
        if allowed:
            side: Side = "server" if busy in last.means.get("server", {}) else "sut"
            yield Resource("pool", busy, side, lambda o, busy=busy: o.mean(busy), allowed, "{1}")  # type: ignore[misc]
    for name, speed in last.means.get("sut", {}).items():
        family, interface = split_instance(name)
        if family == network.SPEED and interface is not None and speed > 0:
            for way in (network.SENT, network.RECEIVED):
                of = f"{way[:-1]},network.interface.name={interface}}}"
                yield Resource(
                    "network",
                    of,
                    "sut",
                    lambda o, of=of: o.means.get("sut", {}).get(of),  # type: ignore[misc]
                    speed * threshold("network.link.high"),
                    "By/s",
                )


def _others(level: Observation) -> float:
    """The share of the machine's CPUs that other programs use; 0 if unknown."""
    used = cpu.cores(level)
    return min((used.foreign or 0.0) / used.there, 1.0) if used.there else 0.0


def _without_others(level: Observation) -> float | None:
    """The share of the machine's CPUs that serves the users of the run."""
    host = level.mean(cpu.HOST)
    return None if host is None else max(host - _others(level), 0.0)


@dataclass(frozen=True, slots=True)
class Line:
    """How the use of a resource grows: from `background` without load, by `demand` per unit.

    `spread` is the covariance of both, with `free` degrees of freedom; `most` is the largest load
    that was measured.
    """

    background: float
    demand: float
    spread: np.ndarray
    free: int
    most: float


def _line(resource: Resource, levels: Sequence[Observation]) -> Line | None:
    """The line through the levels; None if they do not surely show one."""
    points = [(o.users if resource.by_users else o.per_s, resource.use(o)) for o in levels]
    known = [(float(x), use) for x, use in points if use is not None]
    if len(known) < LEAST_LEVELS:
        return None
    x, use = (np.array(column) for column in zip(*known, strict=True))
    is_flat = x.max() < SPREAD * x.min() or len(set(x)) < LEAST_LEVELS
    if use.max() < threshold("next.least") * resource.capacity or (is_flat and not resource.is_own):
        return None
    # If the throughput is always the same, as behind a rate limit, no level shows the use without
    # load; a resource that only users use has none.
    columns = [x] if is_flat else [np.ones_like(x), x]
    design = np.column_stack(columns)
    fitted, residual, _, _ = np.linalg.lstsq(design, use, rcond=None)
    free = max(len(x) - len(columns), 1)
    variance = float(residual[0]) / free if residual.size else 0.0
    first = 2 - len(columns)
    spread = np.zeros((2, 2))
    spread[first:, first:] = variance * np.linalg.inv(design.T @ design)
    background, demand = (0.0, *map(float, fitted))[-2:]
    if demand <= 0 or demand < SURE_SLOPE * np.sqrt(spread[1, 1]):
        return None
    return Line(background, demand, spread, free, float(x.max()))


def _projected(
    resource: Resource, levels: Sequence[Observation], light: Observation
) -> Next | None:
    line = _line(resource, levels)
    if line is None:
        return None
    full = (resource.capacity - line.background) / line.demand
    # A user spends R + Z on a scenario at few users.
    each = 1.0 if resource.by_users else light.users / light.per_s
    if full < BEYOND * line.most or full * each > FAR * max(o.users for o in levels):
        return None
    low, high = _interval(resource.capacity, line)
    users = full * each
    per_s = full * light.per_s / light.users if resource.by_users else full
    lower = max(low * each, float(max(o.users for o in levels)) if resource.by_users else 0.0)
    upper = None if high is None or resource.limit in FROM_BELOW else high * each
    sentence = _sentence(resource, users, min(lower, users), upper)
    if users < max(o.users for o in levels):
        # There had been this many users already: they waited for the first limit.
        sentence = _sentence_of_rate(resource, full, low, None if upper is None else high)
    return Next(
        limit=resource.limit,
        counter=resource.counter,
        side=resource.side,
        users=float(users),
        low=float(min(lower, users)),
        high=None if upper is None else float(max(upper, users)),
        per_s=float(per_s),
        demand=line.demand,
        background=line.background,
        capacity=resource.capacity,
        unit=resource.unit if resource.unit != "{1}" else "{worker}",
        sentence=sentence,
    )


def _interval(capacity: float, line: Line) -> tuple[float, float | None]:
    """Where the line may meet the capacity, from lines drawn with the fit's own covariance.

    Uses Student's t with its degrees of freedom: a few levels show little about the residuals.
    """
    rng = np.random.default_rng(SEED)
    off = rng.multivariate_normal((0.0, 0.0), line.spread, size=DRAWS)
    scale = np.sqrt(line.free / rng.chisquare(line.free, size=(DRAWS, 1)))
    drawn = np.array((line.background, line.demand)) + off * scale
    meets = np.where(drawn[:, 1] > 0, (capacity - drawn[:, 0]) / drawn[:, 1], np.inf)
    low, high = np.quantile(meets, [0.025, 0.975], method="nearest")
    return float(low), float(high) if np.isfinite(high) else None


def _sentence(resource: Resource, users: float, low: float, high: float | None) -> str:
    upper = f" to {count(high)}" if high is not None else " or more"
    return (
        f"{NAMES[resource.limit]} would be full next, at about {count(users)} users "
        f"({count(low)}{upper}): extrapolated, not measured"
    )


def _sentence_of_rate(resource: Resource, full: float, low: float, high: float | None) -> str:
    upper = f" to {significant(high)}" if high is not None else " or more"
    return (
        f"{NAMES[resource.limit]} would be full next, at about {significant(full)} scenarios/s "
        f"({significant(min(low, full))}{upper}): extrapolated, not measured"
    )
