"""A level as the diagnosis sees it: the users' figures, and the means of the counters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headcount.analyse.diagnosis.kills import Kills
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.analyse.failures import cause_of, explained
from headcount.analyse.failures.ranking import messages
from headcount.analyse.failures.summary import OPENING
from headcount.bundle.failure import Cause
from headcount.bundle.level import FaultResult, LevelResult

REFUSING: frozenset[Cause] = frozenset({"turned-away", "connection", "unknown", "login"})
"""Causes by which a server refuses users; a timeout is not one, because it is slowness."""

Means = Mapping[str, Mapping[str, float]]
"""By side and counter."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One level.

    Attributes:
        index: Its number in the run.
        users: Number of users.
        valid: Whether it shows the server: the generator was not the limit, and Little's law
            holds. Failed levels count, and so do those invalid for another reason.
        per_s: Scenarios completed per second.
        service_s: Mean time from the actual start of a scenario to its end; None if none ended.
        think_s: Mean think time of a closed pace; None for an open one.
        failed: Failed scenarios as a share of all that ended.
        refused: Share of users or scenarios refused.
        rated: Share of all faults that report an exceeded rate.
        served: Users who completed anything, or only paused; None if the bundle lacks it.
        unserved: Share of users who completed nothing, although something failed or was too slow.
        lost: Share of scenarios that failed by a timeout.
        limited: Why the generator was the limit, in its own words.
        late: Median lateness of its timers, as a share of the service time.
        worker: CPU of its busiest worker, as a share of a core.
        means: Means of the counters.
        kills: Server processes that the kernel OOM-killed; None if none.
        is_failed: Whether the level broke a criterion.
        by_failures: Whether most of the bad scenarios of the level failed rather than being slow.
        requests: Mean number of requests per scenario; 1 if they are not counted.
        peaks: 95th percentiles over the seconds of the server's counters.
        longest_s: The longest time of a scenario; None if none ended.

    """

    index: int
    users: int
    valid: bool
    per_s: float
    service_s: float | None
    think_s: float | None
    failed: float
    refused: float
    served: int | None
    unserved: float
    limited: Sequence[str]
    late: float
    worker: float
    means: Means = field(default_factory=dict)
    rated: float = 0.0
    kills: Kills | None = None
    is_failed: bool = False
    by_failures: bool = False
    requests: float = 1.0
    peaks: Mapping[str, float] = field(default_factory=dict)
    longest_s: float | None = None

    def mean(self, *names: str) -> float | None:
        """Mean of the first of these counters that the server's side has."""
        for name in names:
            for side in ("sut", "server"):
                value = self.means.get(side, {}).get(name)
                if value is not None:
                    return value
        return None

    def of_generator(self, name: str) -> float | None:
        """Mean of a counter of the load generator."""
        return self.means.get("generator", {}).get(name)

    def of_line(self, name: str) -> float | None:
        """Mean of a counter of the delay line between users and server."""
        return self.means.get("line", {}).get(name)

    @property
    def under_way(self) -> float | None:
        """Mean number of scenarios under way, by Little's law; None if none ended."""
        return None if self.service_s is None else self.per_s * self.service_s

    @property
    def idle_s(self) -> float:
        """Pause of a user between scenarios, from throughput: N / X - R."""
        if self.think_s is not None:
            return self.think_s
        if not self.per_s or self.service_s is None:
            return 0.0
        return max(self.users / self.per_s - self.service_s, 0.0)


def observe(level: LevelResult, killed: Kills | None = None) -> Observation:
    """The observation of a level of a bundle, with the kills during it."""
    total = level.total
    ended = total.completed + total.failed
    failed = total.failed / ended if ended else 0.0
    late = _late(level)
    # A few very late timers spoil a percentile, and the level with it, but do not slow users down.
    able = late <= threshold(
        "generator.late.low"
    ) and level.generator.busiest_worker_share < threshold("generator.busiest.high")
    return Observation(
        index=level.index,
        users=level.users,
        valid=(able or not level.generator.limited)
        and abs(level.little_error or 0.0) <= threshold("little"),
        per_s=level.achieved_per_s,
        service_s=total.service.mean_ms / 1000 if total.service else None,
        think_s=level.think_mean_s,
        failed=failed,
        refused=_refused(level, failed),
        rated=_rated(level),
        served=_served(level),
        unserved=(level.users_unserved or 0) / level.users,
        limited=tuple(level.generator.reasons),
        late=late,
        worker=level.generator.busiest_worker_share,
        means={
            side: {name: summary.mean for name, summary in found.items()}
            for side, found in level.counters.items()
        },
        kills=killed,
        is_failed=level.outcome == "failed",
        by_failures=0 < total.failed >= threshold("errors.most") * total.overloaded,
        requests=max(sum(level.requests.values()) / ended, 1.0) if ended else 1.0,
        peaks={name: summary.p95 for name, summary in level.counters.get("sut", {}).items()},
        longest_s=total.service.max_ms / 1000 if total.service else None,
    )


def _late(level: LevelResult) -> float:
    """Median lateness of the generator's timers over the mean service time of a scenario."""
    lateness, service = level.generator.timer_lateness_p50_ms, level.total.service
    if lateness is None or service is None or service.mean_ms <= 0:
        return 0.0
    return lateness / service.mean_ms


def _refused(level: LevelResult, failed: float) -> float:
    """Share refused: users never served, or scenarios that failed because of a refusal."""
    found = explained(level)
    turned = sum(number for rule, _, number in found if rule.cause in REFUSING or rule.turns_away)
    if not turned:
        return 0.0
    by_scenario = failed * turned / sum(number for _, _, number in found)
    unserved = 0.0
    served = _served(level)
    if served is not None and level.users and _at_opening(level.faults):
        unserved = 1 - served / level.users
    return max(by_scenario, min(unserved, 1.0))


def _served(level: LevelResult) -> int | None:
    """Users who got what they asked for, or asked for nothing; None if the bundle lacks it."""
    if level.users_unserved is None:
        return level.users_reported
    return max(level.users - level.users_unserved, 0)


def _rated(level: LevelResult) -> float:
    """Share of faults in which a server reports that users exceed a rate."""
    found = explained(level)
    number = sum(number for rule, _, number in found if rule.is_rate)
    return number / sum(number for *_, number in found) if found else 0.0


def _at_opening(faults: Sequence[FaultResult]) -> bool:
    return any(
        fault.step == OPENING and cause_of(fault.kind, message).cause in REFUSING
        for fault in faults
        for message, _ in messages(fault)
    )
