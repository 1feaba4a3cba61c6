"""Users who stay from turn to turn change its throughput: pairs do not show that as a gain."""

import math
import random

import numpy as np
import pytest
from tuned_server import Stage, switch, tuned

from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Pair, Stayed
from headcount.tune.change import Configuration
from headcount.tune.pairs import paired
from headcount.tune.stay import corrected, gains, stay_effect
from versus_levels import level


class Lasting(Stage):
    """A turn has this many times the throughput if the users of the turn before go on."""

    def __init__(self, stay: float, effects: dict[tuple[str, str], float], seed: int) -> None:
        super().__init__(effects, seed, noise=0.01)
        self._stay = stay
        self._playing: object = None

    def rest(self) -> None:
        self._playing = None

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        is_back = self._playing != (configuration.key, users)
        self._playing = (configuration.key, users)
        rate = found.achieved_per_s * (1.0 if is_back else self._stay)
        return found.model_copy(update={"achieved_per_s": rate, "ramp_s": 3.0 if is_back else 0.0})


def pair(stayed: Stayed, gain: float | None) -> Pair:
    return Pair(incumbent=1, challenger=2, users=10, stayed=stayed, log_gain=gain)


def test_the_effect_is_the_slope_of_a_regression_with_a_mean_for_each_race() -> None:
    rng = random.Random(1)
    options: list[Stayed] = [-1, 0, 1]
    races = [
        [pair(rng.choice(options), rng.gauss(0.3 * number, 0.1)) for _ in range(size)]
        for number, size in enumerate([4, 2, 7, 1])
    ]
    rows = [(number, one) for number, race in enumerate(races) for one in race]
    design = [[one.stayed, *(float(race == number) for race in range(4))] for number, one in rows]
    expected = np.linalg.lstsq(np.array(design), np.array([one.log_gain for _, one in rows]))[0][0]
    races[0].append(pair(1, None))
    assert stay_effect(races) == pytest.approx(expected)


def test_too_few_pairs_tell_nothing() -> None:
    assert stay_effect([[pair(0, 0.1), pair(1, 0.2), pair(-1, 0.1)]]) is None
    assert stay_effect([[pair(1, 0.1)] * 4]) is None
    assert stay_effect([[], [pair(1, None)] * 9]) is None


def test_whose_users_stayed() -> None:
    came = level(1, 10, 5, rate_per_s=100).model_copy(update={"ramp_s": 3.0})
    stayed = level(2, 10, 5, rate_per_s=110).model_copy(update={"ramp_s": 0.0})
    assert paired((came, stayed), "rate").stayed == 1
    assert paired((stayed, came), "rate").stayed == -1
    assert paired((came, came), "rate").stayed == paired((stayed, stayed), "rate").stayed == 0
    one = corrected(paired((came, stayed), "rate"), math.log(1.1))
    assert one.log_gain == pytest.approx(0)
    assert gains([one, corrected(pair(1, None), 0.1)]) == [one.log_gain]


def test_small_gains_are_found_although_staying_gives_more() -> None:
    knobs = [switch(name) for name in "abc"]
    found = []
    for seed in range(12):
        tuning = tuned(Lasting(1.25, {("b", "on"): 1.06}, seed), knobs, seed=seed)
        assert tuning.results.noise.stay == pytest.approx(math.log(1.25), abs=0.03)
        found.append(tuning.is_proven and [knob.name for knob in tuning.results.winner.changes])
    assert found.count(["b"]) >= 10


def test_staying_is_not_a_gain() -> None:
    claims = sum(tuned(Lasting(1.25, {}, seed), [switch("a")]).is_proven for seed in range(30))
    assert claims == 0
