"""What is left of a winner are the changes that matter, however little time there is."""

import math

import pytest
from tuned_server import switch

from headcount.bundle.tuning import Pair
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.knock_out import MOST_CHANGES, KnockOut, needed_s
from headcount.tune.race import SMALLEST, Race, Spread, judge_without, worth_keeping

KNOBS = [switch(name) for name in "abcdefgh"]
ALL = Configuration(dict.fromkeys(KNOBS, "on"), "all rules of thumb together")


class Server:
    """Each change has its effect, as a logarithm; a race is as good as its mean."""

    def __init__(self, effects: dict[str, float], spread: float = 0.1) -> None:
        self._effects = effects
        self._spread = spread
        self.races = 0

    def _value(self, one: Configuration) -> float:
        return sum(self._effects.get(knob.name, 0.0) for knob in one.changes)

    def race(self, less: Configuration, winner: Configuration, lost: float) -> Race:
        self.races += 1
        gain = self._value(less) - self._value(winner)
        judged = judge_without([gain, gain], Spread(self._spread, 20), max(0.1 - lost, SMALLEST))
        pair = Pair(incumbent=1, challenger=2, users=1, log_gain=gain)
        return Race(less, winner, [pair, pair], outcome=judged)


def played(effects: dict[str, float], most: int) -> tuple[list[str], Server]:
    server = Server(effects)
    knock_out = KnockOut(ALL, server.race, lambda _: None)
    knock_out.play(lambda: server.races < most)
    return [knob.name for knob in knock_out.winner.changes], server


@pytest.mark.parametrize(
    "effects", [{"f": 1.2}, {"a": 0.7}, {"a": 0.4, "h": 0.5}, {"c": 0.3, "d": 0.3}]
)
def test_only_changes_that_matter_are_left(effects: dict[str, float]) -> None:
    left, server = played(effects, most=100)
    assert left == [*effects]
    expected_s = needed_s(len(KNOBS), turn_s=1.0)
    assert 4 * server.races <= expected_s * (1 if len(effects) == 1 else 2)


@pytest.mark.parametrize("knob", "abcdefgh")
@pytest.mark.parametrize("races", [1, 2, 3])
def test_the_change_that_matters_survives_a_knock_out_that_was_cut_short(
    knob: str, races: int
) -> None:
    left, _ = played({knob: 1.2}, most=races)
    assert len(left) <= MOST_CHANGES
    assert knob in left


def test_a_single_change_is_left_to_the_proof() -> None:
    server = Server({"a": 1.0})
    one = ALL.without(KNOBS[1:], "one")
    knock_out = KnockOut(one, server.race, lambda _: None)
    knock_out.play(lambda: True)
    assert (knock_out.winner, server.races) == (one, 0)
    assert needed_s(len(AS_IT_IS.changes), 1.0) == needed_s(1, 1.0) == 0


def test_small_losses_add_up() -> None:
    """A loss of 0.06 that two pairs do not show is none, but only once."""
    server = Server(dict.fromkeys("bdfh", 0.06), spread=0.05)
    knock_out = KnockOut(ALL, server.race, lambda _: None)
    knock_out.play(lambda: True)
    assert knock_out.lost == pytest.approx(0.06)
    assert len(knock_out.winner.changes) == 3


@pytest.mark.parametrize(
    ("smallest", "gained", "expected"),
    [
        (1.21, 2.0, math.log(1.21) / 2),  # half of what can be proved
        (1.21, 0.2, 0.05),  # a quarter of the gain
        (None, 0.4, 0.1),
        (1.21, 0.01, SMALLEST),
    ],
)
def test_a_winner_may_lose_a_part_of_its_gain(
    smallest: float | None, gained: float, expected: float
) -> None:
    assert worth_keeping(smallest, gained) == pytest.approx(expected)


def test_a_loss_that_is_unlikely_to_be_worth_a_change_is_none() -> None:
    spread = Spread(0.1, 20)
    assert judge_without([0.0, 0.0], spread) == "go on"
    assert judge_without([0.0, 0.0], spread, 0.1) == "no worse"
    assert judge_without([-0.1, -0.1], spread, 0.1) == "go on"
    assert judge_without([-math.log(3), -math.log(3)], spread, 0.5) == "worse"
