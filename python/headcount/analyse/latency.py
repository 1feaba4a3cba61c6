"""How latency changes the memory that a connection costs. Pure functions.

Each latency is played once in each repeat. A cost is the memory that the server holds while users
are at work, less the memory before, divided by its users. Costs have Student's interval over the
repeats. So have differences, taken within each repeat: drift of the machine affects both sides.
"""

from collections.abc import Sequence

from headcount.analyse.shares import PROCESSES
from headcount.analyse.statistics.student import mean_and_error, quantile
from headcount.bundle.latency import LatencyCost, LatencyMemory, LatencyPoint, MemoryOf
from headcount.text import listed, storage

KINDS: tuple[MemoryOf, ...] = ("processes", "sockets", "kernel")
NAMES = {"processes": "the server's processes", "sockets": "the server's sockets"}
"""The memory that is the server's alone. The kernel of the whole machine appears in the table but
not in sentences, because other programs change it too."""
SOCKETS = (
    "Sockets: what the kernel holds for the server's TCP connections: data to be read, data not "
    "yet acknowledged (pages that are sent from the page cache, too), and what is set aside."
)
KERNEL = (
    "Kernel: SUnreclaim, KernelStack and TCP buffers of the whole machine: the sockets above, the "
    "users' ends of the connections, and the use of other programs."
)
COUNTED = [PROCESSES, SOCKETS, KERNEL]
SHORTFALL = 0.05
"""Most that throughput may fall short of the load offered: beyond it, fewer were under way."""
Interval = tuple[float, float | None, float | None]


def mean_interval(values: Sequence[float]) -> Interval:
    """The mean of one or more values with its 95% interval; a single value has no interval."""
    if len(values) == 1:
        return values[0], None, None
    mean, error = mean_and_error(values)
    half = quantile(len(values) - 1) * error
    return mean, mean - half, mean + half


def per_connection(point: LatencyPoint, of: MemoryOf) -> float | None:
    """Bytes that the server or the kernel holds per connection; None if unknown."""
    before, during = (_held_bytes(memory, of) for memory in (point.before, point.during))
    if before is None or during is None:
        return None
    return (during - before) / point.users


def _held_bytes(memory: LatencyMemory, of: MemoryOf) -> float | None:
    if of == "processes":
        return memory.process_bytes
    return memory.socket_bytes if of == "sockets" else memory.kernel_bytes


def costs(points: Sequence[LatencyPoint]) -> list[LatencyCost]:
    """The costs at each latency, shortest first, and their difference from the shortest."""
    found = []
    latencies = sorted({point.latency_s for point in points})
    for latency_s in latencies:
        for of in KINDS:
            here = _by_repeat(points, latency_s, of)
            if not here:
                continue
            first = _by_repeat(points, latencies[0], of) if latency_s > latencies[0] else {}
            value, low, high = mean_interval(list(here.values()))
            pairs = [here[repeat] - first[repeat] for repeat in here if repeat in first]
            more, more_low, more_high = mean_interval(pairs) if pairs else (None, None, None)
            cost = LatencyCost(
                latency_s=latency_s,
                of=of,
                value=value,
                low=low,
                high=high,
                more=more,
                more_low=more_low,
                more_high=more_high,
                repeats=len(here),
            )
            found.append(cost)
    return found


def _by_repeat(points: Sequence[LatencyPoint], latency_s: float, of: MemoryOf) -> dict[int, float]:
    known = {
        point.repeat: per_connection(point, of) for point in points if point.latency_s == latency_s
    }
    return {repeat: value for repeat, value in known.items() if value is not None}


def is_measurable(cost: LatencyCost) -> bool:
    """Whether the interval of the difference excludes 0."""
    if cost.more_low is None or cost.more_high is None:
        return False
    return cost.more_low > 0 or cost.more_high < 0


def latency_text(latency_s: float) -> str:
    """A latency for people."""
    return f"{latency_s * 1000:g} ms"


def amount(value: float, low: float | None, high: float | None) -> str:
    """Bytes with their interval."""
    if low is None or high is None:
        return storage(value)
    return f"{storage(value)} [{storage(low)}, {storage(high)}]"


def sentences(found: Sequence[LatencyCost]) -> list[str]:
    """How much more a connection costs at each latency than at the shortest one."""
    made = []
    for latency_s in sorted({cost.latency_s for cost in found})[1:]:
        here = [cost for cost in found if cost.latency_s == latency_s and cost.of in NAMES]
        here = [cost for cost in here if cost.more_low is not None]
        parts = [
            f"{storage(abs(cost.more or 0.0))} {_bounds(cost)} "
            f"{'less' if (cost.more or 0.0) < 0 else 'more'} in {NAMES[cost.of]}"
            for cost in here
            if is_measurable(cost)
        ]
        nothing = [NAMES[cost.of] for cost in here if not is_measurable(cost)]
        if nothing:
            parts.append(f"nothing measurable in {listed(nothing, 'or')}")
        if parts:
            made.append(f"{latency_text(latency_s)} cost a connection {'; '.join(parts)}.")
    return made


def _bounds(cost: LatencyCost) -> str:
    """The ends of the interval of a difference, without its sign."""
    low, high = sorted(abs(end or 0.0) for end in (cost.more_low, cost.more_high))
    return f"[{storage(low)}, {storage(high)}]"


def doubts(points: Sequence[LatencyPoint]) -> list[str]:
    """Reasons to doubt a comparison of the latencies."""
    found = []
    for point in points:
        where = f"{latency_text(point.latency_s)}, repeat {point.repeat + 1}"
        if point.outcome != "passed":
            found.append(f"{where}: the level {_outcome(point)}: {'; '.join(point.reasons)}")
        if point.achieved_per_s < (1 - SHORTFALL) * point.offered_per_s:
            found.append(
                f"{where}: {point.achieved_per_s:.3g} of {point.offered_per_s:.3g} scenarios/s "
                "were done, so the latencies are not compared at the same throughput"
            )
    return found


def _outcome(point: LatencyPoint) -> str:
    return "is invalid" if point.outcome == "invalid" else "failed"
