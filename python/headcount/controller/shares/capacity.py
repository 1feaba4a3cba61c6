"""The capacity with each number of shares, by the workload of the experiment."""

from collections.abc import Callable, Iterator
from pathlib import Path

from headcount.analyse.capacities import change, change_sentence
from headcount.bundle.shares import ShareCapacity
from headcount.bundle.verdict import Capacity, Verdict
from headcount.controller import run as controller
from headcount.controller.access import Secrets
from headcount.controller.listener import Listener
from headcount.controller.shares.design import Experiment
from headcount.controller.shares.run import shares_plan

ENOUGH = ("passed", "failed", "invalid")
"""Outcomes of runs that ended."""


def capacities(
    experiment: Experiment,
    secrets: Secrets,
    listener: Callable[[], Listener],
    **wanted: object,
) -> Iterator[tuple[ShareCapacity, Verdict]]:
    """Search for the capacity with each number of shares; stops after one that is interrupted.

    `wanted` are further overrides of the plan, such as `quick` or `levels`.
    """
    first: tuple[int, Capacity | None] | None = None
    for shares in sorted(experiment.shares):
        plan = shares_plan(experiment, shares, **wanted)
        folder, verdict = controller.start(plan, experiment.runs, secrets, listener())
        first = first or (shares, verdict.capacity)
        yield _record(shares, folder, verdict, first), verdict
        if verdict.outcome not in ENOUGH:
            return


def _record(
    shares: int, folder: Path, verdict: Verdict, first: tuple[int, Capacity | None]
) -> ShareCapacity:
    found = verdict.capacity
    changed = change(first[1], found) if shares != first[0] else None
    return ShareCapacity(
        shares=shares,
        bundle=str(folder),
        sentence=verdict.sentence,
        estimate=found.estimate if found else None,
        low=found.low if found else None,
        high=found.high if found else None,
        change=changed.value if changed else None,
        change_low=changed.low if changed else None,
        change_high=changed.high if changed else None,
        compared=change_sentence(shares, found, first),
        flags=verdict.flags,
    )
