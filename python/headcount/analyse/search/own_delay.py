"""How much of the capacity the load generator's own delay may hide.

The delay only ever makes a scenario slower, so the capacity is never less without it. To see how
much more it may be, the levels are fitted again with only the scenarios that are certainly bad.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from headcount.analyse.search.estimate import Estimate, estimate_of
from headcount.analyse.search.observation import ConstraintResult, Observation, Share

NOTABLE = 0.1
"""As a share of the half-width: an upper end that moves by less stays as it was."""


def upper_end(estimate: Estimate, observations: Sequence[Observation]) -> float:
    """The upper end of the capacity's interval that allows for the load generator's own delay.

    At least that of the ``estimate`` from the levels as measured.
    """
    if not math.isfinite(estimate.high) or estimate.per_s or not _has_any(observations):
        return estimate.high
    without = estimate_of([_without_delay(o) for o in observations]).high
    notable = NOTABLE * (estimate.high - estimate.low) / 2
    is_wider = math.isfinite(without) and without > estimate.high + notable
    return without if is_wider else estimate.high


def _has_any(observations: Sequence[Observation]) -> bool:
    """Whether the delay may be part of any level."""
    return any(_undelayed(c) is not c for o in observations for c in o.constraints)


def _without_delay(observation: Observation) -> Observation:
    return replace(observation, constraints=tuple(_undelayed(c) for c in observation.constraints))


def _undelayed(constraint: ConstraintResult) -> ConstraintResult:
    """A constraint with only the certainly bad, in the level and each of its batches."""
    if not isinstance(constraint, Share):
        least = constraint.least
        return constraint if least is None else replace(constraint, value=least)
    certain = constraint.certain
    if certain == 1.0:
        return constraint
    batches = tuple((certain * bad, total) for bad, total in constraint.batches)
    return replace(constraint, bad=certain * constraint.bad, batches=batches)
