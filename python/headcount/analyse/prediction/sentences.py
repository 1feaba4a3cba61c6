"""The sentences of a prediction."""

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
"""The order in which failed tests are named: fixing one often fixes those after it."""
UNMOVED = 1.005
"""Needs below this factor are already met."""


def sentence(prediction: Prediction) -> str:
    """The answer in a sentence."""
    what = f" with {' and '.join(prediction.changes)}" if prediction.changes else ""
    if prediction.outcome == "not predictive":
        return f"No prediction{what}: {refusal(prediction)}."
    expected = prediction.capacity
    if expected is None:
        return f"No prediction{what}: no number of users breaks {prediction.criterion}."
    bounds = f" [{count(expected.low)}, {count(expected.high)}]" if expected.low is not None else ""
    binds = f"; the {resource_name(prediction.binds)} is the limit then" if prediction.binds else ""
    now = _now_text(prediction)
    before = f" ({now})" if now is not None and prediction.changes else ""
    users = plural("user", expected.users)
    return f"About {users}{bounds}{what} for {prediction.criterion}{before}{binds}."


def _now_text(prediction: Prediction) -> str | None:
    """What the server holds without the changes: the searched capacity first, if there is one."""
    if prediction.published is not None and prediction.measured is not None:
        return f"capacity now: {count(prediction.published)}, estimate {count(prediction.measured)}"
    if prediction.measured is not None:
        return f"measured now: {count(prediction.measured)}"
    return f"now, by the model: {count(prediction.now.users)}" if prediction.now else None


def refusal(prediction: Prediction) -> str:
    """Why there is no prediction, and what to measure; empty if there is one."""
    refused = [check for check in prediction.checks if check.passed is False]
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
        "data may no longer fit the cache, and a scenario then needs more of the disk."
    )
    thrashing = (
        f"Thrashing, and locks that only matter above the {count(most)} scenarios/s that were "
        "measured: they make throughput fall, where the model keeps it flat."
    )
    never = "Limits not yet reached: the server's sessions, sockets, licences and threads."
    parts = [cliff, thrashing, never]
    kinds = {change.kind for change in changes}
    if "cpu" in kinds:
        parts.append(
            "Whether the program can use more CPUs than it had: one thread stays one thread."
        )
    if "disk" in kinds:
        parts.append("Controllers, buses and RAID levels between the server and its disks.")
    if "network" in kinds:
        parts.append("The other end: clients and switches may be slower than the new link.")
    return parts


def notes(found: Study, fitted: Fitted) -> list[str]:
    """What a reader should know about how the prediction was made."""
    parts = []
    if fitted.think_s <= 0:
        parts.append(
            "The users of this run have no think time, so the capacity is a number of concurrent "
            "requests, not of people."
        )
    unknown = [each.resource for each in fitted.demands if each.resource.capacity is None]
    parts += [
        f"The run does not record how fast the {each.name} is; the prediction treats it as "
        "unlimited."
        for each in unknown
    ]
    if any(each.name == "cpu" and each.counter.startswith("system.") for each in found.resources):
        parts.append(
            "CPU means the whole machine's: if the load generator runs there too, its use counts "
            "as the server's."
        )
    return parts
