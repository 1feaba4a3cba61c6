"""The answer that a bundle's plan and levels give, computed again."""

from pathlib import Path

from headcount.analyse.verdict import Ending, stopped_by
from headcount.bundle import versus
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.controller.orders import orders_of
from headcount.controller.versus.side_verdict import side_verdict
from headcount.plan.plan import Plan


def recomputed_verdict(
    folder: Path, plan: Plan, levels: list[LevelResult], stored: Verdict
) -> Verdict:
    """The answer for a run with the duration and ending of the stored one.

    Without a diagnosis, which needs the seconds. Raises InputError if `versus.json` is damaged.
    """
    endings: dict[str, Ending] = {"interrupted": "interrupted", "unfinished": "unfinished"}
    ending = endings.get(stored.outcome, "finished")
    if (pairing := versus.read(folder)) is not None:
        return side_verdict(pairing.kind, plan, levels, stored.cost.seconds, ending)
    orders = orders_of(plan)
    for level in levels:
        orders.take(level)
    verdict = orders.verdict(levels, stored.cost.seconds, ending)
    return verdict if stored.stopped is None else stopped_by(verdict, stored.stopped)
