"""The winner and the server as it was, load by load: which loads, and figures by other means."""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

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
    """Student's interval, by SciPy."""
    ends = stats.t.interval(0.95, len(logs) - 1, statistics.fmean(logs), stats.sem(logs))
    return math.exp(ends[0]), math.exp(ends[1])


def test_cells_and_ratios_follow_from_their_turns() -> None:
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


class Boost:
    """A pilot of a simulated server, which makes it faster while it is on."""

    def __init__(self, stage: Stage, factor: float, modules: Sequence[str]) -> None:
        self._stage, self._factor, self._modules = stage, factor, modules
        self.on_at: list[int] = []

    def find(self, play: Callable[[], object]) -> Sequence[str]:
        play()
        play()
        return self._modules

    @contextmanager
    def on(self) -> Iterator[None]:
        self.on_at.append(len(self._stage.turns) + 1)
        self._stage.factor = self._factor
        yield
        self._stage.factor = 1.0


def test_the_pilot_is_a_column_of_its_own_beside_the_winner() -> None:
    stage = Stage({("a", "on"): 1.5}, 4, noise=0.01)
    pilot = Boost(stage, 1.2, ["priority"])
    tuning = tuned(stage, KNOBS, pilot=pilot)
    assert tuning.results.pilot == ["priority"]
    for one in tuning.results.ladder:
        assert len(one.piloted) == len(one.pairs) == PAIRS
        found = recorded(one).pilot
        assert found is not None
        assert found.rate is not None
        assert found.rate.value == pytest.approx(1.5 * 1.2, rel=0.05)
        turns = [
            (pair[0].index, pair[1].index, at.index)
            for pair, at in zip(one.pairs, one.piloted, strict=True)
        ]
        assert [sorted(range(3), key=of.__getitem__) for of in turns] == [[0, 1, 2], [2, 1, 0]] * 2
    assert pilot.on_at == [
        turn.index for one in reversed(tuning.results.ladder) for turn in one.piloted
    ]
    own = {"a": "on"}
    assert all(
        {k.name: v for k, v in stage.turns[at - 1][0].changes.items()} == own for at in pilot.on_at
    )


def test_without_a_gain_the_pilot_is_compared_with_the_server_as_it_is() -> None:
    stage = Stage({}, 4, noise=0.01)
    tuning = tuned(stage, KNOBS, pilot=Boost(stage, 1.2, ["priority"]))
    assert not tuning.is_proven
    assert tuning.results.ladder
    for one in tuning.results.ladder:
        found = recorded(one)
        assert found.rate is not None
        assert found.rate.value == pytest.approx(1.0, rel=0.05)
        assert found.pilot is not None
        assert found.pilot.rate is not None
        assert found.pilot.rate.value == pytest.approx(1.2, rel=0.05)


def test_a_pilot_that_found_nothing_is_not_switched_on() -> None:
    stage = Stage({("a", "on"): 1.5}, 4)
    pilot = Boost(stage, 1.2, [])
    tuning = tuned(stage, KNOBS, pilot=pilot)
    assert tuning.results.pilot == []
    assert not pilot.on_at
    assert [recorded(one).pilot for one in tuning.results.ladder] == [None] * 4


def test_where_restarts_are_allowed_each_turn_of_the_proof_begins_with_one() -> None:
    stage = Stage({("a", "on"): 1.5}, 4)
    stage.can_restart = True
    tuning = tuned(stage, KNOBS)
    proof = tuning.results.proof
    assert tuning.results.restarts == len(proof)
    turns = {one.index for pair in proof for one in pair}
    assert {number for number, is_fresh in enumerate(stage.fresh, 1) if is_fresh} == turns
