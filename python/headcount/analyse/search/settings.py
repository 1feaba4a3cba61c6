"""The settings of a search."""

from dataclasses import dataclass, field, replace

from headcount.analyse.search.observation import Purpose


@dataclass(frozen=True, slots=True)
class Overhead:
    """What a level costs besides measuring; used for forecasts and to run the levels.

    ``ramp_per_s`` users are added or removed per second, or ``ramp_share`` of the larger number if
    that is more: the ramp of a large server takes no longer than 50 s. With ``fixed_ramp_s`` every
    ramp takes that long instead. A level waits ``warmup_s``
    after the ramp, or ``near_warmup_s`` if the users change by less than ``near`` of their number:
    the server is then nearly in its new state already. If they decrease by more than that, it waits
    ``drain_s``: an overloaded server first has its queue to work off.
    """

    ramp_per_s: float = 50.0
    warmup_s: float = 30.0
    near_warmup_s: float = 10.0
    drain_s: float = 30.0
    near: float = 0.10
    ramp_share: float = 0.02
    fixed_ramp_s: float | None = None

    def __post_init__(self) -> None:
        """Refuse impossible rates and times."""
        if (
            self.ramp_per_s <= 0
            or self.ramp_share < 0
            or min(self.warmup_s, self.near_warmup_s, self.drain_s, self.near) < 0
        ):
            raise ValueError("ramp_per_s must be positive; warm-ups and near must not be negative")

    def ramp_s(self, previous_users: int, users: int) -> float:
        """Seconds until the users have joined or left."""
        if self.fixed_ramp_s is not None:
            return self.fixed_ramp_s
        per_s = max(self.ramp_per_s, self.ramp_share * max(users, previous_users))
        return abs(users - previous_users) / per_s

    def warmup_for(self, previous_users: int, users: int) -> float:
        """Seconds between the end of the ramp and the start of the measurement."""
        if abs(users - previous_users) <= self.near * previous_users:
            return min(self.near_warmup_s, self.warmup_s)
        return self.warmup_s if users > previous_users else max(self.drain_s, self.warmup_s)

    def seconds(self, previous_users: int, users: int) -> float:
        """Ramp and warm-up of a level after one with ``previous_users`` (0: nobody was there)."""
        return self.ramp_s(previous_users, users) + self.warmup_for(previous_users, users)


CLIMB_S = 5.0
CLIMB = Overhead(warmup_s=2.0, near_warmup_s=2.0, ramp_share=0.05)
"""A server far from its limits needs little time to take twice the users; if it needs more, the
level is run again as a probe."""

LIMITS = 3.0
"""A level measures for at least this multiple of the limit on response times."""
LIMIT_S = 30.0
QUICK_LIMIT_S = 8.0
"""Longest limit that is waited for: beyond it, levels would take too long."""

QUICK_OFFICIAL_S = 20.0
"""The official level of a first look: the shortest whose percentiles have an interval."""

CURVE = (0.25, 0.50, 0.75, 1.10, 1.25)
"""Shares of the capacity at which the chart wants a point."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a search.

    ``criteria`` names the constraints that every valid observation must carry; if empty, any will
    do. ``target`` is the half-width of the 95% interval to reach, relative to the capacity.
    ``short_s`` is measured in a straddling level, ``probe_s`` in a probing one, ``official_s`` in
    the official one (0: none). ``budget_s`` bounds the whole search, overhead included; None: as
    long as needed. ``cap`` bounds the number of levels (those for the chart not counted).
    ``fewest`` is the number of levels near the capacity before a regression is believed.
    ``climb_s`` is measured in a level far below every limit, with the overhead ``climb``; 0: such
    levels are probes like all others.
    """

    criteria: tuple[str, ...] = ()
    start_users: int = 10
    max_users: int = 100_000
    target: float = 0.02
    short_s: float = 60.0
    probe_s: float = 30.0
    official_s: float = 300.0
    curve_s: float = 60.0
    overhead: Overhead = field(default_factory=Overhead)
    budget_s: float | None = None
    cap: int = 50
    fewest: int = 7
    climb_s: float = CLIMB_S
    climb: Overhead = CLIMB
    curve: tuple[float, ...] = CURVE
    quick: bool = False

    def __post_init__(self) -> None:
        """Refuse settings that no search can follow."""
        if not 1 <= self.start_users <= self.max_users:
            raise ValueError("start_users must be between 1 and max_users")
        if not 0 < self.target < 1:
            raise ValueError("target is a share of the capacity, such as 0.02")
        if min(self.short_s, self.probe_s, self.curve_s) <= 0 or self.official_s < 0:
            raise ValueError("levels must measure for some time")
        if self.climb_s < 0:
            raise ValueError("climb_s must not be negative")
        if self.cap < 1 or self.fewest < 3:
            raise ValueError("cap must be at least 1 and fewest at least 3")

    def no_shorter_than(self, seconds: float) -> "Settings":
        """The settings, with no level before the official one shorter than ``seconds``."""
        return replace(
            self,
            short_s=max(self.short_s, seconds),
            probe_s=max(self.probe_s, seconds),
            climb_s=max(self.climb_s, seconds) if self.climb_s else 0.0,
            official_s=max(self.official_s, seconds) if self.official_s else 0.0,
        )

    def for_limit(self, limit_s: float) -> "Settings":
        """The settings for a limit on response times: no request is slow before it is over.

        Levels and warm-ups of a first look are short compared with a limit of seconds.
        """
        limit_s = min(limit_s, (QUICK_LIMIT_S if self.quick else LIMIT_S))
        near_s = max(self.overhead.near_warmup_s, limit_s)
        warm_s = max(self.overhead.warmup_s, limit_s)
        overhead = replace(self.overhead, near_warmup_s=near_s, warmup_s=warm_s)
        climb = replace(
            self.climb,
            near_warmup_s=max(self.climb.near_warmup_s, limit_s),
            warmup_s=max(self.climb.warmup_s, limit_s),
        )
        return replace(self, overhead=overhead, climb=climb).no_shorter_than(LIMITS * limit_s)

    def overhead_of(self, purpose: Purpose) -> Overhead:
        """The overhead of a level with this purpose."""
        return self.climb if purpose == "climb" else self.overhead

    @classmethod
    def first_look(
        cls,
        *,
        criteria: tuple[str, ...] = (),
        start_users: int = 10,
        max_users: int = 100_000,
        overhead: Overhead | None = None,
        budget_s: float = 180.0,
    ) -> "Settings":
        """Settings for a first look of about three minutes, ramp and warm-up included.

        Short levels, a wide target, a short official level, at most three points for the chart. The
        interval is honest but several times wider than that of a full search.
        """
        return cls(
            criteria=criteria,
            start_users=start_users,
            max_users=max_users,
            target=0.03,
            short_s=10.0,
            probe_s=6.0,
            official_s=QUICK_OFFICIAL_S,
            curve_s=6.0,
            overhead=overhead or Overhead(100.0, 4.0, 2.0, 12.0),
            budget_s=budget_s,
            fewest=4,
            climb_s=0.0,
            curve=(0.50, 0.75, 1.10),
            quick=True,
        )
