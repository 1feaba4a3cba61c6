"""What is claimed of a change, where pairs of turns scatter unevenly."""

import math

import pytest
from tuned_server import Stage, switch

from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Pair
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.claim import (
    FEWEST_IN_ORDER,
    claimed,
    known_gains,
    may_show_by_order,
    median_ratio,
)
from headcount.tune.pairs import TurnPair, paired, ratio_of


class Bistable(Stage):
    """As it is, the server serves most users in one turn and hardly any, or nobody, in another."""

    _number = 0

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        found = super().turn(configuration, users, is_fresh=is_fresh)
        if configuration.changes:
            return found
        self._number += 1
        share = (0.9, 0.85, 0.3, 0.9, 0.0)[self._number % 5]
        completed = round(share * found.total.completed)
        total = found.total.model_copy(update={"completed": completed})
        rate = share * found.achieved_per_s
        return found.model_copy(update={"achieved_per_s": rate, "total": total})


def played(number: int) -> tuple[list[TurnPair], list[Pair]]:
    """Pairs with a change that gains 5% where the server serves all users."""
    stage = Bistable({("a", "on"): 1.05}, 3, noise=0.005)
    changed = Configuration({switch("a"): "on"})
    turns = [(stage.turn(AS_IT_IS, 100), stage.turn(changed, 100)) for _ in range(number)]
    return turns, [paired(one, "rate") for one in turns]


def test_a_change_that_is_better_in_all_pairs_is_proved_however_they_scatter() -> None:
    turns, pairs = played(12)
    by_mean = ratio_of([one.log_gain for one in pairs if one.log_gain is not None])
    assert by_mean is not None
    assert by_mean.low < 1
    found = known_gains(turns, pairs, "rate")
    assert len(found) == 12
    assert max(found) > math.log(100)  # of a turn in which nobody was served
    ratio = claimed(turns, pairs, "rate")
    assert ratio is not None
    assert ratio.value == pytest.approx(1.05 / 0.9, rel=0.1)
    ordered = sorted(found)
    # At most one of twelve is below the median with a chance of 0.32%, at most two with 1.9%.
    assert ratio.low == pytest.approx(math.exp(ordered[1]))
    assert ratio.high == pytest.approx(math.exp(ordered[10]))


def test_eight_pairs_prove_what_is_better_in_all_of_them() -> None:
    assert may_show_by_order(*played(FEWEST_IN_ORDER - 1), "rate")
    assert not may_show_by_order(*played(FEWEST_IN_ORDER), "rate")
    fewer, more = claimed(*played(FEWEST_IN_ORDER - 1), "rate"), claimed(*played(8), "rate")
    assert fewer is not None
    assert more is not None
    assert fewer.low < 1 < more.low
    worse = [(after, before) for before, after in played(FEWEST_IN_ORDER - 1)[0]]
    assert not may_show_by_order(worse, [paired(one, "rate") for one in worse], "rate")


@pytest.mark.parametrize(("number", "low"), [(7, None), (8, 1), (20, 4)])
def test_the_order_of_a_few_pairs_proves_little(number: int, low: int | None) -> None:
    found = median_ratio([math.log(rank + 1) for rank in range(number)])
    assert (None if found is None else round(found.low)) == low
