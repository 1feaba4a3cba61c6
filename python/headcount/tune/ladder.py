"""The winner and the server as it was, at loads from light to the knee."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from headcount.analyse.statistics.student import LogRatio, mean_and_error
from headcount.bundle import tuning as record
from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Cell, Measure, Ratio
from headcount.tune.goal import figure
from headcount.tune.pairs import TurnPair, gain_of, mean_figure, ratio_of

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Loads, as shares of the users at which the trials ended."""
CONFIDENCE = 0.95
PAIRS = 4
"""Per load: with two, Student's interval is thirteen standard errors wide, with four three."""


@dataclass
class Rung:
    """One load.

    Attributes:
        users: How many play.
        pairs: Turns of the server as it was, each with one of the winner.
        piloted: Turns of the winner with the pilot's modules; one to each pair, or none.

    """

    users: int
    pairs: list[TurnPair] = field(default_factory=list)
    piloted: list[LevelResult] = field(default_factory=list)


def loads(users: int, given: Sequence[int] = ()) -> Sequence[int]:
    """The users of the rungs: the given ones, or shares of those of the trials."""
    return sorted({*given} or {max(round(share * users), 1) for share in SHARES})


def recorded(rung: Rung) -> record.Rung:
    """A rung for the bundle."""
    before, after = ([pair[at] for pair in rung.pairs] for at in (0, 1))
    return record.Rung(
        users=rung.users,
        before=_cell(before),
        after=_cell(after),
        time=_ratio(rung.pairs, "p95"),
        rate=_ratio(rung.pairs, "rate"),
        pilot=_piloted(rung) if rung.piloted else None,
    )


def _piloted(rung: Rung) -> record.Piloted:
    """What the pilot adds; turns that are not all there yet count for the cell only."""
    before = list(zip((one for one, _ in rung.pairs), rung.piloted, strict=False))
    tuned = list(zip((one for _, one in rung.pairs), rung.piloted, strict=False))
    return record.Piloted(
        cell=_cell(rung.piloted),
        time=_ratio(before, "p95"),
        rate=_ratio(before, "rate"),
        time_over_after=_ratio(tuned, "p95"),
    )


def _cell(turns: Sequence[LevelResult]) -> Cell:
    times = [value for one in turns if (value := figure(one, "p95"))]
    interval = None
    if len(times) > 1:
        found = LogRatio(*mean_and_error([*map(math.log, times)]), len(times) - 1)
        interval = found.bounds(CONFIDENCE)
    rates = [one.achieved_per_s for one in turns]
    return Cell(
        turns=[one.index for one in turns],
        passed=sum(one.outcome == "passed" for one in turns),
        rate_per_s=math.fsum(rates) / len(rates) if rates else None,
        p95_ms=mean_figure(turns, "p95"),
        p95_interval_ms=interval,
    )


def _ratio(pairs: Sequence[TurnPair], measure: Measure) -> Ratio | None:
    found = [gain_of(before, after, measure) for before, after in pairs]
    return ratio_of([one for one in found if one is not None], CONFIDENCE)
