"""The distribution of outages over repetitions; pure."""

import math
from collections.abc import Callable, Mapping, Sequence

from headcount.analyse.statistics.order import quantile
from headcount.bundle.failover import Outage, Spread

FIGURES: Mapping[str, Callable[[Outage], float | None]] = {
    "silent_s": lambda one: one.silent_s if one.answered_s is not None else None,
    "noticed_s": lambda one: one.noticed_s,
    "taken_over_s": lambda one: one.taken_over_s,
    "served_s": lambda one: one.served_s,
    "restored_s": lambda one: one.restored_s,
    "lost": lambda one: one.lost,
    "late": lambda one: one.late,
    "log_ons": lambda one: one.log_ons,
    "users_lost": lambda one: one.users_lost,
    "gone": lambda one: None if one.writes is None else one.writes.gone,
    "stale": lambda one: None if one.writes is None else one.writes.stale,
}
OF_WRITES = ("gone", "stale")
"""Known only for repetitions with numbered rows that could be read back."""
ASKED = ("noticed_s", "taken_over_s", *OF_WRITES)
"""Known only if somebody was asked, or wrote."""


def counted(outages: Sequence[Outage]) -> list[Outage]:
    """The outages that count."""
    return [one for one in outages if one.outcome == "measured"]


def spreads(outages: Sequence[Outage]) -> list[Spread]:
    """The spread of each figure that was asked for; empty without repetitions."""
    found = counted(outages)
    all_of = {
        name: [figure(one) for one in found if name not in OF_WRITES or one.writes is not None]
        for name, figure in FIGURES.items()
    }
    return [
        spread(name, values)
        for name, values in all_of.items()
        if values and not (name in ASKED and all(one is None for one in values))
    ]


def spread(name: str, values: Sequence[float | None]) -> Spread:
    """The spread of one figure; None is longer than all others."""
    known = [math.inf if one is None else float(one) for one in values]
    median, p95 = quantile(known, 0.5), quantile(known, 0.95)
    return Spread(
        figure=name,
        number=len(known),
        missing=sum(map(math.isinf, known)),
        median=_finite(median.value),
        median_low=_finite(median.low),
        median_high=_finite(median.high),
        p95=_finite(p95.value),
        p95_low=_finite(p95.low),
        p95_high=_finite(p95.high),
        worst=_finite(max(known)),
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isinf(value) or math.isnan(value) else value
