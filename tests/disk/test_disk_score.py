"""The score: against Python's own harmonic mean, and its interval against a simulation."""

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.disk import grid, score
from headcount.disk.cell import Cell
from headcount.disk.grid import PATTERNS
from headcount.disk.result import Figures
from headcount.errors import InputError

Make = Callable[[Sequence[int]], Figures]
RATES = st.lists(st.integers(1, 10**10), min_size=1, max_size=30)


def even(make: Make, rate_bytes: int) -> Figures:
    """A cell that moved this many bytes, evenly but for the remainder."""
    return make([rate_bytes - 9 * (rate_bytes // 10)] + [rate_bytes // 10] * 9)


def test_the_score_is_pythons_harmonic_mean(measured: Make) -> None:
    rates = [10e6, 200e6, 3000e6]
    cells = [even(measured, int(rate)) for rate in rates]
    found = score.score(cells, [1, 2, 0.5])
    expected = statistics.harmonic_mean([rate / 1e6 for rate in rates], weights=[1, 2, 0.5])
    assert found is not None
    assert found.value_mb_per_s == pytest.approx(expected)
    assert found.cells == 3


@given(RATES, st.floats(0.001, 1000))
def test_it_lies_between_the_slowest_and_the_mean_and_follows_the_unit(
    rates: list[int], factor: float
) -> None:
    values = [float(rate) for rate in rates]
    found = score.harmonic_mean(values, [1.0] * len(values))
    assert min(values) * (1 - 1e-9) <= found <= statistics.fmean(values) * (1 + 1e-9)
    scaled = score.harmonic_mean([value * factor for value in values], [1.0] * len(values))
    assert scaled == pytest.approx(found * factor)


def test_a_cell_that_moved_nothing_makes_it_zero_unless_it_has_no_weight(measured: Make) -> None:
    cells = [even(measured, 10_000_000), measured([0] * 10)]
    nothing = score.score(cells, [1, 1])
    assert nothing is not None
    assert nothing.value_mb_per_s == 0
    assert nothing.interval_mb_per_s is None
    one = score.score(cells, [1, 0])
    assert one is not None
    assert (one.value_mb_per_s, one.cells) == (pytest.approx(10), 1)
    assert score.score(cells, [0, 0]) is None


def test_the_interval_is_as_wide_as_the_scores_of_many_runs(measured: Make) -> None:
    draw = random.Random(3)

    def run() -> score.Score:
        cells = [
            measured([round(draw.gauss(rate, rate / 10)) for _ in range(10)])
            for rate in (1_000_000, 3_000_000, 20_000_000)
        ]
        found = score.score(cells, [1, 2, 1])
        assert found is not None
        return found

    runs = [run() for _ in range(1000)]
    widths = [r.interval_mb_per_s[1] - r.interval_mb_per_s[0] for r in runs if r.interval_mb_per_s]
    spread = statistics.stdev(r.value_mb_per_s for r in runs)
    # 1000 runs give the standard deviation to 2.2%; batches of ten underestimate it by 2.7%.
    assert statistics.fmean(widths) / (2 * 1.96) == pytest.approx(spread, rel=0.1)


def test_weights_of_a_cell_are_multiplied() -> None:
    cells = grid.cells(["random-read", "random-write"], [4096, 65536], [1, 4], [1, 8])
    found = score.weights(cells, ["random-read=2", "4KiB=3", "depth8=0.5", "threads4=10"])
    for cell, weight in zip(cells, found, strict=True):
        expected = 2 if cell.pattern.name == "random-read" else 1
        expected *= 3 if cell.blocks[0].size_bytes == 4096 else 1
        expected *= 10 if cell.threads == 4 else 1
        assert weight == expected * (0.5 if cell.depth == 8 else 1)
    assert score.weights(cells, []) == [1] * len(cells)
    assert set(score.unequal_weights(cells, found)) == {
        c.name for c, w in zip(cells, found, strict=True) if w != 1
    }


@pytest.mark.parametrize(
    "text", ["random-read", "=2", "random-read=-1", "nonsense=2", "threads=2", "4KiB=x", ""]
)
def test_a_weight_that_cannot_be_read_says_how_to_write_it(text: str, cell: Cell) -> None:
    with pytest.raises(InputError, match="write it like random-read=2"):
        score.weights([cell], [text])


@pytest.mark.parametrize("text", ["random-write=2", "64KiB=2", "depth1=2", "fileserver=1"])
def test_a_weight_that_fits_no_cell_is_refused(text: str, cell: Cell) -> None:
    with pytest.raises(InputError, match="matches no measured cell"):
        score.weights([cell], [text])


def test_the_same_key_may_stand_twice(cell: Cell) -> None:
    other = replace(cell, pattern=PATTERNS["random-write"])
    assert score.weights([cell, other], ["random-read=2", "random-read=4"]) == [8, 1]
