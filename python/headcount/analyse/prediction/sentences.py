"""What a prediction says in sentences."""

from collections.abc import Sequence

from headcount.analyse.prediction.change import Change, amount_text
from headcount.analyse.prediction.fit import Fitted
from headcount.analyse.prediction.prediction import Expected, Need, Prediction, TestName
from headcount.analyse.prediction.resource import resource_name
from headcount.analyse.prediction.study import Study
from headcount.text import count, duration, plural, share
from headcount.text import memory as memory_text

WEIGHTIEST: tuple[TestName, ...] = (
    "limit",
    "little",
    "reach",
    "measured",
    "memory",
    "demands",
    "hold-out",
    "interval",
)
"""The order in which failed tests are named: what mends one often mends those after it."""
UNMOVED = 1.005
"""Needs below this factor are there already."""


def sentence(told: Prediction) -> str:
    """The answer in a sentence."""
    what = f" with {' and '.join(told.changes)}" if told.changes else ""
    if told.outcome == "not predictive":
        return f"No prediction{what}: {refusal(told)}."
    expected = told.capacity
    if expected is None:
        return f"No prediction{what}: no number of users breaks {told.criterion}."
    bounds = f" [{count(expected.low)}, {count(expected.high)}]" if expected.low is not None else ""
    binds = f"; the {resource_name(told.binds)} binds then" if told.binds else ""
    now = _now_text(told)
    before = f" ({now})" if now is not None and told.changes else ""
    return (
        f"About {plural('user', expected.users)}{bounds}{what} for {told.criterion}{before}{binds}."
    )


def _now_text(told: Prediction) -> str | None:
    """What the server holds without the changes: the capacity first, where a search found one."""
    if told.published is not None and told.measured is not None:
        return f"capacity now: {count(told.published)}, estimate {count(told.measured)}"
    if told.measured is not None:
        return f"measured now: {count(told.measured)}"
    return f"now, by the model: {count(told.now.users)}" if told.now else None


def refusal(told: Prediction) -> str:
    """Why nothing is predicted, and what to measure; empty where something is."""
    refused = [check for check in told.checks if check.passed is False]
    if not refused:
        return ""
    failed = min(refused, key=lambda check: WEIGHTIEST.index(check.name))
    others = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
    remedy = f"; {failed.remedy}" if failed.remedy else ""
    return f"{failed.sentence}{others}{remedy}"


def of_users(expected: Expected, wanted: Sequence[Need]) -> str:
    """The answer to `--users`."""
    got = (
        f"{plural('user', expected.users)} would get {duration(expected.response_ms)} on average, "
        f"with the criterion at {share(expected.criterion)} of its limit"
    )
    if expected.criterion <= 1:
        return f"{got}: it is met."
    grown = [need for need in wanted if need.factor is None or need.factor > UNMOVED]
    if not wanted:
        return f"{got}. No amount of the measured resources meets it."
    parts = [
        f"{resource_name(need.resource)} {amount_text(need.needed, need.unit)}"
        + (f" ({need.factor:.2f} times)" if need.factor else "")
        for need in grown
    ]
    return f"{got}. They would need: {', '.join(parts)}."


def memory(wanted_bytes: float | None) -> list[str]:
    """The change of memory in words."""
    return [f"memory {memory_text(wanted_bytes)}"] if wanted_bytes is not None else []


def unknowable(found: Study, changes: Sequence[Change]) -> list[str]:
    """What no model of a run can know, as far as it matters here."""
    top = max(found.points, key=lambda p: p.users)
    most = max(p.per_s for p in found.points)
    cliff = (
        f"A cliff of memory: above {plural('user', top.nominal)}, the most that were measured, "
        "data may no longer fit the cache, and a scenario then takes more of the disk."
    )
    thrashing = (
        f"Thrashing, and locks waited for only above the {count(most)} scenarios/s that were "
        "measured: they make throughput fall, where the model has it flat."
    )
    never = "Limits that were never reached: sessions, sockets, licences, threads of the server."
    said = [cliff, thrashing, never]
    kinds = {change.kind for change in changes}
    if "cpu" in kinds:
        said.append("Whether the program uses more CPUs than it had: one thread stays one thread.")
    if "disk" in kinds:
        said.append("Controllers, buses and RAID levels between the server and its disks.")
    if "network" in kinds:
        said.append("The other end: clients and switches that are slower than the new link.")
    return said


def notes(found: Study, fitted: Fitted) -> list[str]:
    """What a reader should know of how it was made."""
    said = []
    if fitted.think_s <= 0:
        said.append(
            "The users of this run never rest, so the capacity is a number at once, not of people."
        )
    unknown = [each.resource for each in fitted.demands if each.resource.capacity is None]
    said += [
        f"The run does not say how fast the {each.name} is; it is taken as unlimited."
        for each in unknown
    ]
    if any(each.name == "cpu" and each.counter.startswith("system.") for each in found.resources):
        said.append(
            "CPU is that of the machine; where the load generator runs on it too, its part is "
            "counted with the server's."
        )
    return said
