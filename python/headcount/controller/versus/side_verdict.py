"""The verdict on one side's levels, as its bundle keeps it."""

from collections.abc import Sequence
from dataclasses import replace

from headcount.analyse.observe import observe
from headcount.analyse.search import Flag, Request, Settings
from headcount.analyse.search.observation import SEARCHING, Purpose, Taken
from headcount.analyse.search.outcome import outcome_of
from headcount.analyse.search.standing import Standing
from headcount.analyse.verdict import Ending, of_levels, of_search
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.controller.orders import settings_of
from headcount.plan.plan import Plan

NO_FULL_LEVEL = (
    "measured in turn with another target: no full level was run at the number; run this target "
    "alone before you rely on it"
)


def side_verdict(
    kind: str, plan: Plan, levels: Sequence[LevelResult], took_s: float, ending: Ending
) -> Verdict:
    """The verdict on a side's levels: `kind` is that of the pairing."""
    if kind != "capacity":
        return of_levels(plan, levels, took_s, ending)
    outcome = outcome_of(side_standing(plan, levels))
    hidden = {Flag.INCOMPLETE, Flag.UNCONFIRMED, Flag.CAP_REACHED, Flag.BUDGET_SPENT}
    flags = tuple(flag for flag in outcome.flags if flag not in hidden)
    verdict = of_search(plan, levels, replace(outcome, flags=flags), took_s, ending)
    return verdict.model_copy(update={"flags": [NO_FULL_LEVEL, *verdict.flags]})


def side_standing(plan: Plan, levels: Sequence[LevelResult]) -> Standing:
    """The state of a side's search, however its levels were chosen."""
    taken = tuple(
        Taken(
            Request(level.users, level.steady_s, _purpose(level), may_stop_early=False),
            observe(level, plan.criteria),
        )
        for level in levels
    )
    return Standing(pairs_settings(plan), taken)


def pairs_settings(plan: Plan) -> Settings:
    """The settings of a plan's search, of which only the first half is needed."""
    return replace(settings_of(plan), official_s=0.0, climb_s=0.0, curve=())


def _purpose(level: LevelResult) -> Purpose:
    return next((one for one in SEARCHING if one == level.purpose), "straddle")
