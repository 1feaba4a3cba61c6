"""The oracle and the rivals of the tuner, on servers whose gains are known."""

import itertools
import math
from collections import Counter

import pytest
from bench.tuning import rivals
from bench.tuning.gains import NO_GAIN, REFUSED, Gain, gain, gains, oracle
from tuning_stage import Stage, number, switch, values

from headcount.bundle.level import LevelResult
from headcount.tune.change import AS_IT_IS, Configuration

FAST, SLOW, SIZE = switch("fast"), switch("slow"), number("size")
ON = Configuration({FAST: "on"})
EFFECTS = {("fast", "on"): 1.5, ("slow", "on"): 0.7}


@pytest.mark.parametrize("search", [rivals.random, rivals.plain])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rivals_find_gains_far_above_the_noise(search, seed: int) -> None:
    stage = Stage(EFFECTS, seed=seed)
    found = search(stage, [values(FAST), values(SLOW)], 100, "rate", 40, seed)
    assert {knob.name: value for knob, value in found.changes.items()} == {"fast": "on"}
    assert len(stage.turns) == 40
    assert stage.turns[0] == (AS_IT_IS, 100)


@pytest.mark.parametrize("search", [rivals.random, rivals.plain])
def test_rivals_try_numbers_within_their_range(search) -> None:
    stage = Stage({})
    search(stage, [values(SIZE)], 100, "rate", 30, 5)
    sizes = {int(value) for one, _ in stage.turns for value in one.changes.values()}
    assert len(sizes) > 10
    assert min(sizes) >= 1
    assert max(sizes) <= 1000


@pytest.mark.parametrize("search", [rivals.random, rivals.plain])
def test_a_configuration_that_does_not_run_is_not_an_answer(search) -> None:
    stage = Stage({("fast", "on"): 0.0})
    assert search(stage, [values(FAST)], 100, "rate", 20, 1) == AS_IT_IS


def test_a_rival_that_believes_each_turn_claims_noise() -> None:
    stage = Stage({}, noise=0.3, seed=4)
    assert rivals.random(stage, [values(SIZE)], 100, "rate", 30, 4).changes


def test_rules_are_all_taken_without_a_turn() -> None:
    without = switch("bare", ())
    found = rivals.rules([values(FAST), values(SLOW), values(SIZE), values(without)])
    assert found.changes == {FAST: "on", SLOW: "on", SIZE: "8"}


GRID = [
    AS_IT_IS,
    ON,
    Configuration({SLOW: "on"}),
    Configuration({FAST: "on", SLOW: "on"}),
]


def test_the_oracle_is_the_best_of_the_grid() -> None:
    stage = Stage(EFFECTS)
    best = oracle(stage, GRID, 100, "rate", 2, 1000)
    assert best.configuration == ON
    assert best.users == 100
    assert best.turns == len(stage.turns) == 2 * (1 + 3) + 2
    first = [one.key for one, _ in stage.turns[1:5]]
    assert first == [one.key for one in GRID]
    assert [one.key for one, _ in stage.turns[5:9]] == first[::-1]


def test_the_oracle_plays_again_where_its_best_holds_the_users() -> None:
    stage = Stage(EFFECTS, holds=200)
    best = oracle(stage, GRID, 100, "rate", 2, 1000)
    assert (best.configuration, best.users) == (ON, 225)
    assert {users for _, users in stage.turns} == {100, 150, 225}
    assert oracle(Stage(EFFECTS, holds=200), GRID, 100, "p95", 2, 1000).users == 100
    assert oracle(Stage(EFFECTS, holds=10**6), GRID, 100, "rate", 2, 120).users == 120


def test_the_oracle_stays_where_more_users_show_less() -> None:
    class Losing(Stage):
        def turn(
            self, configuration: Configuration, users: int, *, is_fresh: bool = False
        ) -> LevelResult:
            found = super().turn(configuration, users, is_fresh=is_fresh)
            holds = bool(configuration.changes) and users <= 200
            update: dict[str, object] = {"outcome": "passed" if holds else "failed"}
            if users > 200:
                update["achieved_per_s"] = 1000.0
            return found.model_copy(update=update)

    best = oracle(Losing(EFFECTS), GRID, 100, "rate", 2, 1000)
    assert (best.configuration, best.users) == (ON, 100)


def test_the_oracle_has_fewer_users_where_the_server_collapses() -> None:
    class Collapsing(Stage):
        def turn(
            self, configuration: Configuration, users: int, *, is_fresh: bool = False
        ) -> LevelResult:
            found = super().turn(configuration, users, is_fresh=is_fresh)
            collapses = users > 500 and not configuration.changes
            return found.model_copy(update={"achieved_per_s": 0.0} if collapses else {})

    stage = Collapsing(EFFECTS)
    best = oracle(stage, GRID, 1000, "rate", 2, 1000, best_per_s=1000.0)
    assert (best.configuration, best.users) == (ON, 445)
    assert best.turns == len(stage.turns)


def test_the_oracle_leaves_out_what_fails_or_harms() -> None:
    stage = Stage({("fast", "on"): 0.0, ("slow", "on"): 0.7})
    assert oracle(stage, GRID, 100, "rate", 2, 1000).configuration == AS_IT_IS


def test_all_answers_are_measured_alike() -> None:
    stage = Stage({**EFFECTS, ("slow", "on"): 0.0}, noise=0.01)
    answers = {
        "oracle": ON,
        "tune": Configuration({FAST: "on"}, "the same"),
        "default": AS_IT_IS,
        "rules": Configuration({SLOW: "on"}),
    }
    found = gains(stage, answers, 100, "rate", 8)
    assert found["default"] == NO_GAIN
    assert found["rules"] == REFUSED
    assert found["oracle"] == found["tune"]
    assert found["oracle"].ratio == pytest.approx(1.5, rel=0.03)
    low, high = found["oracle"].low, found["oracle"].high
    assert low is not None
    assert high is not None
    assert 1.4 < low < 1.5 < high < 1.6
    assert [one.key for one, _ in stage.turns].count(ON.key) == 8


def test_all_are_played_twice_in_a_row_as_often_as_others() -> None:
    class Waiting(Stage):
        """A server whose users wait longer in the second of two equal turns."""

        def turn(
            self, configuration: Configuration, users: int, *, is_fresh: bool = False
        ) -> LevelResult:
            again = bool(self.turns) and self.turns[-1][0].key == configuration.key
            found = super().turn(configuration, users, is_fresh=is_fresh)
            return found.model_copy(update={"achieved_per_s": found.achieved_per_s * (2 - again)})

    other = Configuration({FAST: "on", SIZE: "20"})
    stage = Waiting({("fast", "on"): 1.5}, noise=0)
    found = gains(stage, {"oracle": ON, "tune": other, "rules": GRID[2]}, 100, "rate", 8)
    turns = [one.key for one, _ in stage.turns]
    again = [one for one, before in itertools.pairwise(turns) if one == before]
    assert set(Counter(again).values()) == {1}
    assert set(again) == set(turns)
    assert found["oracle"].ratio == pytest.approx(1.5)
    assert found["tune"].ratio == pytest.approx(1.5)


def test_a_gain_has_students_interval() -> None:
    found = gain([0.1, 0.2, 0.3])
    # t of 2 degrees of freedom is 4.3027 at 95%; the error of the mean is 0.1 / sqrt(3).
    half = 4.302653 * 0.1 / math.sqrt(3)
    assert found.ratio == pytest.approx(math.exp(0.2))
    assert found.low == pytest.approx(math.exp(0.2 - half))
    assert found.high == pytest.approx(math.exp(0.2 + half))
    assert gain([]) == REFUSED
    assert gain([0.0]) == Gain(1.0)
    assert REFUSED.log == NO_GAIN.log == 0
