"""Levels of servers of known limits, by the machine-repairman model (M/M/m with N customers).

The model is exact and independent of Headcount: stationary probabilities of a birth-death process.
What counters show at a limit is what injections at real servers showed.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import (
    CounterSummary,
    FaultResult,
    GeneratorResult,
    LevelResult,
    ScenarioResult,
    Steadiness,
    Times,
)

CPUS = 4.0


@dataclass(frozen=True)
class Queue:
    """What a closed queueing model says at a number of users."""

    per_s: float
    response_s: float
    waiting: float
    """Users in the queue, on average."""
    some_wait: float
    """Probability that anybody waits or, of one place, is served."""


def queue(users: int, places: int, service_s: float, think_s: float) -> Queue:
    """Solve the machine-repairman model."""
    if think_s == 0:
        per_s = min(users, places) / service_s
        return Queue(per_s, users / per_s, max(users - places, 0), float(users >= places))
    logs = [0.0]
    for n in range(users):
        arrival, leaving = (users - n) / think_s, min(n + 1, places) / service_s
        logs.append(logs[-1] + math.log(arrival) - math.log(leaving))
    top = max(logs)
    weights = [math.exp(each - top) for each in logs]
    whole = sum(weights)
    shares = [weight / whole for weight in weights]
    per_s = sum(p * min(n, places) / service_s for n, p in enumerate(shares))
    waiting = sum(p * max(n - places, 0) for n, p in enumerate(shares))
    present = sum(p * n for n, p in enumerate(shares))
    return Queue(per_s, present / per_s, waiting, sum(shares[places:]))


@dataclass(frozen=True)
class Server:
    """A server with one limit: its places, how long a service takes, and what counters show.

    `quiet` are counters that stay as they are, `loud` those that grow to the value given as the
    limit is reached.
    """

    places: int = 1
    service_s: float = 0.01
    think_s: float = 1.0
    loud: Mapping[str, float] = field(default_factory=dict)
    quiet: Mapping[str, float] = field(default_factory=dict)
    accept: bool = False
    """Whether users wait in the accept queue."""
    most: int | None = None
    """Users let in."""

    @property
    def knee(self) -> float:
        """Users at which the places would all be taken, if nobody ever waited."""
        return self.places * (self.service_s + self.think_s) / self.service_s

    def levels(self, factors: Sequence[float] = (0.1, 0.4, 0.8, 1.2, 2.0)) -> list[LevelResult]:
        """A ladder around the knee."""
        users = sorted({max(round(self.knee * factor), 1) for factor in factors})
        return [self.level(index, each) for index, each in enumerate(users, 1)]

    def level(self, index: int, users: int) -> LevelResult:
        let_in = min(users, self.most) if self.most else users
        found = queue(let_in, self.places, self.service_s, self.think_s)
        full = found.per_s * self.service_s / self.places
        counters = dict(self.quiet)
        for name, value in self.loud.items():
            pressed = "pressure" in name or "occupied" in name or "throttled" in name
            counters[name] = value * (found.some_wait if pressed else full)
        counters["socket.accept_queue"] = found.waiting if self.accept else 0.0
        if self.accept:  # a connection for each request
            counters["socket.connections"] = found.per_s * found.response_s
        return level(
            index,
            users,
            found.per_s,
            found.response_s,
            self.think_s,
            counters,
            refused=users - let_in,
        )


QUIET = {
    "system.cpu.logical.count": CPUS,
    "system.cpu.utilization": 0.15,
    "system.cpu.utilization.busiest": 0.3,
    "system.cpu.foreign": 0.05,
    "system.disk.utilization.busiest": 0.02,
    "system.disk.operation_time": 0.4,
    "system.disk.io{disk.io.direction=read}": 1e5,
    "system.disk.io{disk.io.direction=write}": 1e5,
    "system.linux.memory.refaults": 0.0,
    "system.network.queue.occupied": 0.0,
    "process.cpu.utilization": 0.3,
    "process.cpu.busiest_thread": 0.2,
    "process.cpu.run_delay": 0.01,
    "process.disk.io{disk.io.direction=read}": 1e4,
    "process.disk.io{disk.io.direction=write}": 1e4,
    "cgroup.pressure{resource=cpu,kind=some}": 0.02,
    "cgroup.pressure{resource=io,kind=some}": 0.0,
    "cgroup.pressure{resource=memory,kind=some}": 0.0,
    "cgroup.memory.refaults": 0.0,
    "socket.receive_queue.share": 0.0,
    "socket.connections": 50.0,
}
"""What an idle server with every counter shows."""


def times(mean_s: float) -> Times:
    ms = mean_s * 1000
    return Times(
        count=1000,
        mean_ms=ms,
        p50_ms=ms * 0.7,
        p90_ms=ms * 2.2,
        p95_ms=ms * 3,
        p99_ms=ms * 4.6,
        p999_ms=ms * 6,
        max_ms=ms * 8,
    )


def level(
    index: int,
    users: int,
    per_s: float,
    response_s: float,
    think_s: float | None,
    counters: Mapping[str, float],
    *,
    refused: int = 0,
    limited: bool = False,
    worker: float = 0.1,
    generator: Mapping[str, float] | None = None,
) -> LevelResult:
    """Make a level; `refused` users are turned away as they log on."""
    completed = max(round(per_s * 30), 0)
    failed = refused * 6
    total = ScenarioResult(
        name="all",
        due=completed + failed,
        completed=completed,
        failed=failed,
        slow=0,
        late=0,
        overloaded=failed,
        overload=failed / (completed + failed) if completed + failed else None,
        unanswered=0,
        rate_per_s=per_s,
        read_bytes_per_s=0.0,
        written_bytes_per_s=0.0,
        response=times(response_s),
        service=times(response_s),
        p95_interval_ms=None,
    )
    own = {"process.cpu.utilization": 0.2, **(generator or {})}
    reasons = ["1% of the load generator's own timers were over 9 ms late"] if limited else []
    faults = [
        FaultResult(step="opening a session", kind="refused", count=failed, examples=["refused"])
    ]
    return LevelResult(
        index=index,
        purpose="ladder",
        users=users,
        outcome="invalid" if limited else "passed",
        reasons=reasons,
        started_at="2026-01-01T00:00:00.000+00:00",
        ramp_s=1.0,
        settle_s=1.0,
        steady_s=30.0,
        offered_per_s=per_s,
        achieved_per_s=per_s,
        users_reported=users - refused,
        think_mean_s=think_s,
        little_error=0.0,
        steadiness=Steadiness(steady=True, settled_after_s=0.0, reasons=[]),
        total=total,
        scenarios=[total],
        steps=[],
        faults=faults if failed else [],
        criteria=[],
        generator=GeneratorResult(
            workers=1,
            cpu_cores=worker,
            busiest_worker_share=worker,
            timer_lateness_p50_ms=0.05,
            timer_lateness_p99_ms=9.0 if limited else 0.4,
            timer_lateness_max_ms=12.0,
            limited=limited,
            reasons=reasons,
        ),
        counters={"sut": _summaries(counters), "generator": _summaries(own)},
    )


def _summaries(values: Mapping[str, float]) -> dict[str, CounterSummary]:
    return {
        name: CounterSummary(mean=value, max=value, p95=value, samples=30)
        for name, value in values.items()
    }


def seconds(levels: Sequence[LevelResult], noise: float = 0.05) -> list[dict[str, Any]]:
    """The seconds of these levels: each figure with some noise around its mean."""
    rng = random.Random(7)
    rows = []
    for each in levels:
        for number in range(30):
            wobble = 1 + rng.gauss(0, noise)
            completed = max(each.achieved_per_s * wobble, 0.0)
            service = each.total.service.mean_ms / 1000 if each.total.service else 0.0
            rows.append(
                {
                    "t_s": each.index * 100.0 + number,
                    "seconds": 1.0,
                    "level": each.index,
                    "phase": "steady",
                    "scenarios": {
                        "all": {"completed": completed, "service_s": completed * service}
                    },
                    "counters": {
                        side: {
                            name: found.mean * (1 + rng.gauss(0, noise))
                            for name, found in counters.items()
                        }
                        for side, counters in each.counters.items()
                    },
                }
            )
    return rows


Views = Mapping[str, float]


def viewed_ladder(
    rates: Sequence[float],
    views: Sequence[Views] = ({},) * 3,
    counters: Sequence[Views] = ({},) * 3,
) -> list[LevelResult]:
    """Levels of 2, 16 and 64 users without think time: the server's own counters in each, and
    what its machine shows beside an idle server's counters."""
    levels = []
    for index, (users, per_s) in enumerate(zip((2, 16, 64), rates, strict=True)):
        own = {**QUIET, **counters[index]}
        one = level(index + 1, users, per_s, users / per_s, 0.0, own)
        view = {
            name: CounterSummary(mean=value, max=value, p95=value, samples=30)
            for name, value in views[index].items()
        }
        both = {**one.counters, "server": view}
        levels.append(one.model_copy(update={"outcome": "failed", "counters": both}))
    return levels


def diagnosed(
    levels: Sequence[LevelResult], alone_ms: float | None = None, noise: float = 0.05
) -> Diagnosis:
    events = [{"event": "trial", "service_ms": alone_ms}]
    found = of_levels(levels, seconds(levels, noise), events)
    assert found is not None
    return found


def ladder(
    rate: Mapping[int, float],
    counters: Mapping[int, Mapping[str, float]] | None = None,
    outcome: str = "failed",
) -> list[LevelResult]:
    """Levels without think time, of these throughputs; by Little's law users / rate is the time."""
    levels = []
    for index, (users, per_s) in enumerate(rate.items(), 1):
        more = (counters or {}).get(users, {})
        one = level(index, users, per_s, users / per_s, 0.0, {**QUIET, **more})
        levels.append(one.model_copy(update={"outcome": outcome}))
    return levels
