"""What users felt of faults, in the words that all reports share."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headcount.bundle.failover import Failover, Outage, Spread
from headcount.plan.plan import Plan
from headcount.text import DASH, count, duration, interval, listed, percent, plural

TITLE = "Failover"
KIND = "Failover report"
WORDS = (
    ("Repetition", "The fault, made once while users play, and the recovery."),
    (
        "Served within their limits",
        (
            "No more than the allowed share of scenarios fails, or is slow or late, and no more "
            "than that share of users waits for one that will."
        ),
    ),
    ("Median", "Half of all repetitions took less."),
    (
        "95% interval",
        "Contains the true median in 95 of 100 such tests, whatever the distribution is.",
    ),
)
"""Terms and their definitions, a sentence or two each."""
NEVER = "never"
"""Text of a time whose event did not happen while users were watched."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of an outage.

    Attributes:
        label: Its name in tables.
        about: What it is, for the report.
        is_time: Whether it is in seconds; the others are counts.

    """

    label: str
    about: str
    is_time: bool = True


FIGURES: Mapping[str, Figure] = {
    "silent_s": Figure(
        "Nobody got an answer for", "The longest time without any success, of any user."
    ),
    "noticed_s": Figure("Noticed after", "Until the command of --noticed succeeded."),
    "taken_over_s": Figure("Taken over after", "Until the command of --taken-over succeeded."),
    "served_s": Figure(
        "Served again after",
        "From then on no stretch of time has more than the allowed share of scenarios slow, late "
        "or failed.",
    ),
    "restored_s": Figure(
        "Rate back after", "Until as many scenarios complete in a second as before, within 5%."
    ),
    "lost": Figure("Scenarios failed", "Beyond those that failed before the fault.", is_time=False),
    "late": Figure(
        "Scenarios late or slow", "Completed, but not within their limit.", is_time=False
    ),
    "log_ons": Figure("Sessions opened again", "Connections and log-ons.", is_time=False),
    "users_lost": Figure(
        "Users not back", "They completed nothing more by the end.", is_time=False
    ),
    "gone": Figure(
        "Acknowledged writes gone",
        "Rows that the server had acknowledged, and that were not there after the recovery.",
        is_time=False,
    ),
    "stale": Figure(
        "Stale reads",
        "Answers without a row that had been acknowledged before, and was there in the end.",
        is_time=False,
    ),
}
"""All figures, in the order of the report."""


def value_text(name: str, value: float | None) -> str:
    """A value of a figure with its unit; a count that is not known is a dash."""
    if value is None:
        return NEVER if FIGURES[name].is_time else DASH
    return duration(value * 1000) if FIGURES[name].is_time else count(value)


def interval_text(one: Spread) -> str:
    """The interval of a median; a dash if too few repetitions leave it unbounded."""
    if one.median_low is None or (one.median_high is None and not one.missing):
        return DASH
    if one.median_high is None or not FIGURES[one.figure].is_time:
        low, high = (value_text(one.figure, end) for end in (one.median_low, one.median_high))
        return f"{low} to {high}"
    return interval(one.median_low * 1000, one.median_high * 1000, duration)


def reasons_text(one: Outage) -> str:
    """Why a repetition does not count."""
    return listed(one.reasons)


def doubts(found: Failover) -> list[str]:
    """What makes the figures less certain, in sentences."""
    doubtful = [one for one in found.outages if one.doubts]
    if not doubtful:
        return []
    number = f"{count(len(doubtful))} of {plural('repetition', len(found.outages))}"
    why = doubtful[0].doubts[0]
    text = f"In {number} the load generator was at its limit ({why}): some scenarios may be late "
    return [f"{text}because of it. It is still known when answers came."]


def spread_of(found: Failover, figure: str) -> Spread | None:
    """The spread of a figure; None if no repetition has it."""
    return next((one for one in found.spreads if one.figure == figure), None)


def headline(found: Failover) -> str | None:
    """The figure of the first screen, the time until users were served again; None without one."""
    one = spread_of(found, "served_s")
    if one is None or one.median is None:
        return None
    return "no outage" if one.worst == 0 else f"{duration(one.median * 1000)} until served again"


def facts(found: Failover) -> list[tuple[str, str]]:
    """What was done, and how it was judged: names and texts."""
    kind = "Planned move" if found.planned else "Fault"
    made = len(found.outages)
    valid = sum(one.outcome == "measured" for one in found.outages)
    number = count(made)
    number += "" if valid == made else f", of which {count(valid)} count"
    number += "" if made == found.wanted else f" ({count(found.wanted)} were asked for)"
    return [
        (kind, found.fault),
        ("Recovery", found.recover or "nothing"),
        ("Load", plural("user", found.users)),
        ("Repetitions", number),
        ("Allowed", f"{percent(found.allowed)} of scenarios slow, late or failed"),
        ("Watched every", f"{found.slot_s * 1000:g} ms"),
    ]


def typical(outages: Sequence[Outage]) -> Outage | None:
    """The median repetition by the time until users were served again; None if none counts."""
    valid = [one for one in outages if one.outcome == "measured"]
    if not valid:
        return None
    ordered = sorted(
        valid,
        key=lambda one: (math.inf if one.served_s is None else one.served_s, one.silent_s),
    )
    return ordered[(len(ordered) - 1) // 2]


def command(found: Failover, plan: Plan) -> str:
    """The command that repeats the failover, as far as the record shows."""
    parts = ["headcount", "failover", plan.workload.name, "--target", plan.target]
    parts += ["--users", str(found.users), "--repeat", str(found.wanted), "--seed", str(plan.seed)]
    parts += ["--scale", f"{plan.scale:g}"] if plan.scale != 1 else []
    parts += [*_load(plan), *_agents(plan)]
    criteria = " ".join(plan.workload.criteria)
    parts += ["--rule", plan.rule] if plan.rule else ["--criteria", criteria]
    settings = (("--set", plan.server), ("--limit", plan.limits), ("--client", plan.client))
    for option, values in settings:
        for name, value in sorted(values.items()):
            parts += [option, f"{name}={value}"]
    return shlex.join([*parts, *found.options])


def _load(plan: Plan) -> list[str]:
    """The options of how users play."""
    workload = plan.workload
    parts = ["--settle", workload.run.settle]
    parts += [] if workload.run.ramp is None else ["--ramp", workload.run.ramp]
    pace = workload.pace
    if pace.kind == "open":
        return [*parts, "--pace", pace.time.option]
    # Refused if it would change nothing.
    has_pauses = all(one.pause is not None for one in workload.scenarios)
    return parts if has_pauses else [*parts, "--think", pace.time.option]


def _agents(plan: Plan) -> list[str]:
    """The options of who plays them, and where counters come from."""
    agents = plan.agents
    parts = [] if agents is None else ["--agents", str(agents.number)]
    if agents is not None and agents.most_users is not None:
        parts += ["--users-per-agent", str(agents.most_users)]
    if agents is not None and agents.equal_users:
        parts += ["--equal-users"]
    if agents is not None and agents.cluster is not None:
        parts += ["--cluster", agents.cluster]
    parts += ["--local-ips", ",".join(plan.local_ips)] if plan.local_ips else []
    return [*parts, *(word for one in plan.sources for word in ("--source", one))]
