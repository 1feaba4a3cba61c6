"""From a run or a stated capacity to a priced configuration."""

from headcount.analyse.price import price
from headcount.analyse.prices.price_report import Priced
from headcount.analyse.standing import level_at
from headcount.bundle.reader import Bundle
from headcount.plan.cost import Cost
from headcount.text import plural

QUICK = "a quick search: short levels and a wide interval"


def measured(name: str, bundle: Bundle, cost: Cost | None) -> Priced:
    """The capacity that a run found, with a price that may be stated after the run.

    Needs a verdict. For a ladder or a single level, the capacity is at least the largest level that
    passed, without an interval.
    """
    verdict = bundle.verdict
    capacity = verdict.capacity if verdict is not None else None
    level = level_at(capacity.users if capacity else None, bundle.levels)
    passed = level.users if level is not None else None
    users = capacity.users if capacity is not None else passed
    more = [one.users for one in bundle.levels if one.outcome == "failed"]
    beyond = min(
        (failed for failed in more if passed is not None and failed > passed), default=None
    )
    interval = None
    if capacity is not None and capacity.low is not None and capacity.high is not None:
        interval = (capacity.low, capacity.high)
    return Priced(
        name=name,
        source="measured",
        bundle=str(bundle.folder),
        users=users,
        of="capacity" if capacity is not None else "largest level that passed",
        interval=interval,
        at_least=capacity.at_least if capacity is not None else bool(users) and beyond is None,
        price=price(cost, users, capacity, verdict.marks if verdict else None, level),
        doubts=[*_doubts(bundle), *(_between(passed, beyond) if capacity is None else [])],
    )


def _between(passed: int | None, beyond: int | None) -> list[str]:
    """What is unknown about a capacity that was not searched for."""
    if passed is None or beyond is None:
        return []
    text = (
        f"the capacity is between {plural('user', passed)}, which passed, and {beyond:,}, which "
        "failed"
    )
    return [f"{text}; only a search (headcount run --search) gives it an interval"]


def _doubts(bundle: Bundle) -> list[str]:
    verdict = bundle.verdict
    if verdict is None:
        return ["the run has no answer"]
    found = []
    if verdict.outcome != "passed":
        found.append(f"the run's outcome is {verdict.outcome}")
    if bundle.plan.search.quick:
        found.append(QUICK)
    return found


def stated(name: str, users: int, cost: Cost | None) -> Priced:
    """A capacity that the user states, such as a published one."""
    return Priced(
        name=name,
        source="stated",
        bundle=None,
        users=users,
        of="stated",
        interval=None,
        at_least=False,
        price=price(cost, users, None, None),
        doubts=[],
    )
