"""The answer that a bundle's plan and levels lead to, worked out again."""

from headcount.analyse.verdict import Ending
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.controller.orders import orders_of
from headcount.plan.plan import Plan


def rejudged(plan: Plan, levels: list[LevelResult], stored: Verdict) -> Verdict:
    """The answer for a run that took as long and ended as the stored one says.

    Without a diagnosis, which needs the seconds.
    """
    endings: dict[str, Ending] = {"interrupted": "interrupted", "unfinished": "unfinished"}
    orders = orders_of(plan)
    for level in levels:
        orders.take(level)
    ending = endings.get(stored.outcome, "finished")
    return orders.verdict(levels, stored.cost.seconds, ending)
