"""Proving a diagnosis on a lab server: cut the resource it names, and see what follows.

Throughput with 70 % of the resource is compared with that with all of it, in short turns one after
the other in the order ABBA, so that a machine that gets faster or slower meets both alike. What is
cut is the resource as a whole, never what the server happens to use of it: less than one uses
always hurts.
"""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headcount.analyse.elasticity import LEAST_PAIRS, Elasticity, elasticity
from headcount.bundle.diagnosis import Diagnosis, Limit
from headcount.bundle.reader import Bundle
from headcount.bundle.writer import BundleWriter
from headcount.controller.access import Secrets
from headcount.controller.listener import Listener, Phase
from headcount.controller.run_limits import run_limits
from headcount.controller.session import Moment, Session
from headcount.controller.sut import connect
from headcount.errors import InputError
from headcount.plan import target as targets
from headcount.plan.plan import Plan

CUT = 0.7
"""The part of the resource that is left: enough to be told from noise, and not so little that
something else becomes the limit."""
PAIRS = 6
"""Six pairs of 4 s: less than a minute, and one to spare over the least."""
TURN_S = 4.0
IGNORED_S = 1.0
"""The begin of a turn, in which what waited under the terms before is worked off."""
RAMP_S = 2.0

CUTTABLE: Mapping[Limit, tuple[str, ...]] = {
    "cpu": ("cpu",),
    "memory": ("memory",),
    "disk": ("disk-read", "disk-write"),
    "network": ("network",),
    "generator": ("generator-cpu",),
}
"""What may be cut while a server runs, by the limits of a plan. A thread cannot be given a part of
a core, pools, locks and refusals are the program's own."""


@dataclass(frozen=True)
class Confirmation:
    """What cutting the resource came to.

    Attributes:
        limit: The diagnosis that was put to the test.
        resource: What was cut, as limits of plans are named.
        users: With how many users.
        whole, part: The resource in full, and cut, as limits are written.
        pairs: Scenarios/s with all of it and with the part, for each pair.
        elasticity: By how much throughput followed; None if pairs came to nothing.
        sentence: The answer, for people.

    """

    limit: Limit
    resource: str
    users: int
    whole: str
    part: str
    pairs: list[tuple[float, float]]
    elasticity: Elasticity | None
    sentence: str


def confirm(
    bundle: Bundle, diagnosis: Diagnosis, secrets: Secrets, listener: Listener, pairs: int = PAIRS
) -> Confirmation:
    """Start the lab's server anew, and cut what the diagnosis says limits it.

    Raises InputError where that cannot be put to the test, SystemLimitError where limits cannot be
    kept on this machine.
    """
    plan = bundle.plan
    if targets.parse(plan.target).lab is None:
        raise InputError(
            f"only a lab server can be given less, and {plan.target} is not one; to confirm the "
            "diagnosis there, give the server more of what limits it and run again"
        )
    resource = _resource_limit(plan, diagnosis)
    whole = plan.limits.get(resource) or _whole_limit(resource)
    users = decisive_users(bundle, diagnosis)
    plan = plan.model_copy(update={"limits": {**plan.limits, resource: whole}})
    part = _reduced_limit(resource, whole)
    cut = plan.model_copy(update={"limits": {**plan.limits, resource: part}})
    rates = _paired_rates(plan, cut, users, secrets, listener, max(pairs, LEAST_PAIRS))
    found = elasticity(rates, CUT)
    sentence = _confirmation_text(diagnosis.limit, resource, found)
    return Confirmation(diagnosis.limit, resource, users, whole, part, rates, found, sentence)


def decisive_users(bundle: Bundle, diagnosis: Diagnosis) -> int:
    """The users of the saturated level with most throughput, or else of the highest level."""
    deciding = {level.index for level in diagnosis.levels if level.saturated}
    levels = [level for level in bundle.levels if level.index in deciding] or bundle.levels
    return max(levels, key=lambda level: (level.total.rate_per_s, level.users)).users


def _resource_limit(plan: Plan, diagnosis: Diagnosis) -> str:
    """The limit of a plan that is to be cut; raises InputError if there is none."""
    names = CUTTABLE.get(diagnosis.limit, ())
    if not names:
        raise InputError(
            f'"{diagnosis.limit}" cannot be reduced while a server runs; these can: '
            f"{', '.join(CUTTABLE)}"
        )
    if diagnosis.limit in {"cpu", "generator"}:
        return names[0]
    given = [name for name in names if name in plan.limits]
    if not given:
        raise InputError(
            f"no {diagnosis.limit} limit was set, so there is none to reduce; run with one first, "
            f"for example --limit {names[0]}=..."
        )
    return next((name for name in given if name.endswith(diagnosis.detail or "-")), given[0])


def _whole_limit(resource: str) -> str:
    """All that the machine has, as a limit: of CPU alone that is known."""
    return str(len(os.sched_getaffinity(0))) if resource in {"cpu", "generator-cpu"} else ""


def _reduced_limit(resource: str, whole: str) -> str:
    """The part of a limit, as limits are written."""
    limits = run_limits({resource: whole})
    if resource == "network":
        return f"{round((limits.network_bits_s or 0) * CUT)}bit/s"
    if resource == "generator-cpu":
        return f"{(limits.generator.cpu_cores or 0) * CUT:.4g}"
    server = limits.server
    if resource == "cpu":
        return f"{(server.cpu_cores or 0) * CUT:.4g}"
    bytes_ = server.memory_bytes or server.disk_read_bytes or server.disk_write_bytes or 0
    return str(round(bytes_ * CUT))


def _paired_rates(
    whole: Plan, cut: Plan, users: int, secrets: Secrets, listener: Listener, pairs: int
) -> list[tuple[float, float]]:
    """Rates with all of the resource and with the part, pair for pair."""
    rates: list[tuple[float, float]] = []
    with (
        tempfile.TemporaryDirectory(prefix="headcount-confirm-") as folder,
        connect(whole, secrets) as sut,
    ):
        bundle = BundleWriter(Path(folder))
        sut.prepare(users, listener.prepared)
        with sut.generating():
            target = sut.access.engine_target()
            session = Session(whole, target, sut.sources(), bundle, listener, 0.0)
        try:
            listener.phase(Phase("ramp", 0, "confirm", users, RAMP_S))
            session.set_users(users, RAMP_S)
            session.hold("ramp", 0, RAMP_S + TURN_S)
            for pair in range(pairs):
                order = (whole, cut) if pair % 2 == 0 else (cut, whole)
                found: dict[int, float] = {}
                for terms in order:
                    if sut.squeeze is not None:
                        sut.squeeze.change(run_limits(terms.limits))
                    listener.phase(Phase("steady", pair + 1, "confirm", users, TURN_S))
                    session.hold("settle", pair + 1, IGNORED_S)
                    found[id(terms)] = _rate(session.hold("steady", pair + 1, TURN_S))
                rates.append((found[id(whole)], found[id(cut)]))
        finally:
            session.close()
            bundle.close()
    return rates


def _rate(moments: list[Moment]) -> float:
    """Scenarios completed a second."""
    if not moments:
        return 0.0
    done = sum(tally.completed for moment in moments for tally in moment.interval.scenarios)
    return done / max(moments[-1].interval.to_s - moments[0].interval.from_s, 1e-9)


def _confirmation_text(limit: Limit, resource: str, found: Elasticity | None) -> str:
    if found is None:
        return f"Undecided: no scenario completed with less {resource}."
    answer = {
        "confirmed": f"Confirmed: the limit is {limit}",
        "refuted": f"Refuted: the limit is not {limit}",
        "undecided": f"Undecided: the limit may or may not be {limit}",
    }[found.answer]
    return (
        f"{answer}. Throughput sensitivity with {CUT:.0%} of {resource}: {found.value:.2f} "
        f"({found.low:.2f} to {found.high:.2f}); 1 is a limit, 0 is none."
    )
