"""Settling until a level is steady, for workloads that require a steady state."""

from collections.abc import Callable

from headcount._engine import Interval
from headcount.analyse.thirds import disagreement

MOST = 4
"""Longest settling, as a multiple of its planned length."""

Hold = Callable[[float, float], list[Interval]]
"""Lets the run continue for a number of seconds; the second number is how many were held before."""


def settle(planned_s: float, hold: Hold) -> tuple[float, list[str]]:
    """Hold the settling, and a third of it again until the thirds of its last `planned_s` agree.

    Returns its total length, and remaining reasons against a steady state.
    """
    seen = hold(planned_s, 0.0)
    while True:
        held_s = seen[-1].to_s - seen[0].from_s if seen else 0.0
        recent = [each for each in seen if each.to_s > seen[-1].to_s - planned_s + 0.05]
        wrong = disagreement(recent)
        left_s = MOST * planned_s - held_s
        if not wrong or left_s < planned_s / 6:
            return held_s, wrong
        more = hold(min(planned_s / 3, left_s), held_s)
        if not more:
            return held_s, wrong
        seen += more
