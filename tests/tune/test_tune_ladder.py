"""The winner and the server as it was, load by load: which loads, and figures by other means."""

import math
import statistics
from collections.abc import Sequence

import pytest
from scipy import stats
from tuned_server import Stage, switch, tuned

from headcount.bundle.level import LevelResult
from headcount.tune.ladder import PAIRS, Rung, loads, recorded
from versus_levels import level

KNOBS = [switch("a"), switch("b")]
BEFORE, AFTER = [(10.0, 100.0), (12.0, 98.0), (11.0, 99.0)], [(5.0, 120.0), (7.0, 119.0), (6, 121)]


def turn(index: int, p95_ms: float, rate_per_s: float) -> LevelResult:
    plain = level(index, 40, 0, rate_per_s=rate_per_s)
    assert plain.total.response is not None
    times = plain.total.response.model_copy(update={"p95_ms": p95_ms})
    return plain.model_copy(update={"total": plain.total.model_copy(update={"response": times})})


def rung() -> Rung:
    pairs = [
        (turn(2 * number, *before), turn(2 * number + 1, *after))
        for number, (before, after) in enumerate(zip(BEFORE, AFTER, strict=True), 1)
    ]
    return Rung(40, pairs)


def interval(logs: Sequence[float]) -> tuple[float, float]:
    """Student's, by scipy."""
    ends = stats.t.interval(0.95, len(logs) - 1, statistics.fmean(logs), stats.sem(logs))
    return math.exp(ends[0]), math.exp(ends[1])


def test_cells_and_ratios_are_those_of_their_turns() -> None:
    found = recorded(rung())
    assert found.users == 40
    assert found.before.turns == [2, 4, 6]
    assert found.after.turns == [3, 5, 7]
    for cell, turns in ((found.before, BEFORE), (found.after, AFTER)):
        times = [p95 for p95, _ in turns]
        assert cell.p95_ms == pytest.approx(statistics.geometric_mean(times))
        assert cell.p95_interval_ms == pytest.approx(interval([*map(math.log, times)]))
        assert cell.rate_per_s == pytest.approx(statistics.fmean(rate for _, rate in turns))
        assert cell.passed == 3
    for ratio, at, sign in ((found.time, 0, -1), (found.rate, 1, 1)):
        assert ratio is not None
        logs = [
            sign * math.log(after[at] / before[at])
            for before, after in zip(BEFORE, AFTER, strict=True)
        ]
        assert ratio.value == pytest.approx(math.exp(statistics.fmean(logs)))
        assert (ratio.low, ratio.high) == pytest.approx(interval(logs))
        assert (ratio.confidence, ratio.pairs) == (0.95, 3)


def test_a_single_pair_has_no_interval() -> None:
    found = recorded(Rung(40, rung().pairs[:1]))
    assert found.before.p95_ms == pytest.approx(10.0)
    assert found.before.p95_interval_ms is None
    assert found.time is None


def test_loads_go_from_light_to_that_of_the_trials() -> None:
    assert loads(400) == [100, 200, 300, 400]
    assert loads(1) == [1]
    assert loads(400, [900, 50, 50]) == [50, 900]


def test_a_claim_is_compared_at_all_loads_and_nothing_else_is() -> None:
    tuning = tuned(Stage({("a", "on"): 1.5}, 4), KNOBS)
    played = [one.users for one in tuning.results.ladder]
    assert played == loads(tuning.users)
    assert all(len(one.pairs) == PAIRS for one in tuning.results.ladder)
    assert len(tuning.winners) == len(tuning.results.proof) + PAIRS * len(played)
    assert not tuned(Stage({}, 4), KNOBS).results.ladder


def test_where_restarts_are_allowed_each_turn_of_the_proof_begins_with_one() -> None:
    stage = Stage({("a", "on"): 1.5}, 4)
    stage.can_restart = True
    tuning = tuned(stage, KNOBS)
    proof = tuning.results.proof
    assert tuning.results.restarts == len(proof)
    turns = {one.index for pair in proof for one in pair}
    assert {number for number, is_fresh in enumerate(stage.fresh, 1) if is_fresh} == turns
