"""`kinds`: only the cheapest scenarios in turn with only the most expensive ones."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from headcount.analyse.experiments import kinds
from headcount.analyse.experiments.kinds import Kinds
from headcount.bundle.confirmation import Finding, Turn
from headcount.controller.experiments.experiment import Experiment, NotPlayable
from headcount.controller.experiments.player import (
    Values,
    loaded_values,
    only_values,
    turns_values,
)
from headcount.controller.experiments.stage import Arm, Stage, play_rounds, players
from headcount.plan.plan import Plan

ALONE = frozenset({"name", "op", "path", "page"})
"""Keys of a step that depends on no step before it."""
TRIAL_S = 4.0
"""Longest time for one user to show which kind costs how much."""


def scenarios_of(plan: Plan, values: Values) -> list[Values]:
    """The kinds of scenarios that can be played by themselves.

    Those that users draw by weight. For a single one that only requests pages, each page, or each
    class of pages: one request does not depend on the others.
    """
    if plan.workload.program is not None or plan.workload.script is not None:
        return []
    scenarios: list[Values] = values["scenarios"]
    if len(scenarios) > 1:
        return scenarios
    only = scenarios[0]
    steps = only["steps"]
    if not all(step.get("op") == "get" and set(step) <= ALONE for step in steps):
        return []
    if len(steps) == 1:
        return _of_classes(plan, only, steps[0])
    return [{**only, "name": step["name"], "steps": [step]} for step in steps]


def _of_classes(plan: Plan, only: Values, step: Values) -> list[Values]:
    """A scenario of one page for each class that it may be of."""
    if plan.pages is None or "page" not in step:
        return []
    names = [one.name for one in plan.pages.asked(step["page"])]
    return [{**only, "name": name, "steps": [{**step, "page": [name]}]} for name in names]


def _obstacle(stage: Stage) -> str | None:
    if len(scenarios_of(stage.plan, loaded_values(stage.plan))) < 2:
        return "the workload has no two scenarios that can be played by themselves"
    return "the run has no level with several users" if stage.load.users < 2 else None


def _play(stage: Stage, rounds: int) -> Iterator[Turn]:
    values = loaded_values(stage.plan, stage.load.compress)
    scenarios = scenarios_of(stage.plan, values)
    with closing(stage.single(turns_values(values, scenarios))) as trial:
        costs = trial.costs_ms(TRIAL_S)
    known = [(cost, place) for place, cost in enumerate(costs) if cost is not None]
    if len(known) < 2:
        raise NotPlayable("one user did not complete two kinds of scenarios")
    (least, first), (most, last) = min(known), max(known)
    if most / least < kinds.LEAST_DIFFERENCE:
        raise NotPlayable(
            f"all kinds of scenarios cost about the same ({least:.3g} to {most:.3g} ms)"
        )
    cheap, expensive = (only_values(values, scenarios[place]) for place in (first, last))
    names = Kinds(scenarios[first]["name"], scenarios[last]["name"])
    with players(
        lambda: stage.single(cheap),
        lambda: stage.single(expensive),
        lambda: stage.player(cheap),
        lambda: stage.player(expensive),
    ) as made:
        users = (1, 1, stage.load.users, stage.load.users)
        arms = [Arm(*one) for one in zip(names.arms, made, users, strict=True)]
        yield from play_rounds(stage, kinds.NAME, arms, rounds)


def _judge(stage: Stage, turns: Sequence[Turn]) -> Finding | None:
    del stage
    return kinds.judge(turns, kinds.kinds_of(turns)) if turns else None


KINDS = Experiment(
    name=kinds.NAME,
    does="alternates the cheapest scenarios with the most expensive",
    about=frozenset({"pool", "lock", "limiter", "thread", "unknown"}),
    arms=4,
    obstacle=_obstacle,
    play=_play,
    judge=_judge,
)
