"""The gains of a tuning: dots and intervals where their values are, the line at 1, the table."""

import math
import re
import statistics

import pytest
from chart_reading import Drawing, scale
from report_tuning import ALL, race, tuned, without_races
from scipy import stats

from headcount.bundle.tuning import Race, Tuning
from headcount.report.figures import gains
from headcount.report.figures.figure_types import Figure


def figure(found: Tuning) -> Figure:
    made = gains.figure(found)
    assert made is not None
    return made


def values(drawing: Drawing):
    """From a coordinate to a ratio, by the ticks of the lower axis."""
    ticks = [
        (x, float(text)) for text, x, _ in drawing.texts("mid") if re.fullmatch(r"[\d.]+", text)
    ]
    return scale(ticks)


def logs(made: Race) -> list[float]:
    return [one.log_gain for one in made.pairs if one.log_gain is not None]


def test_dots_and_intervals_stand_at_their_values() -> None:
    found = tuned()
    wide = Drawing.of(figure(found).svg)
    at = values(wide)
    known = [logs(one) for one in found.races if logs(one)]
    expected = [math.exp(statistics.mean(one)) for one in known]
    # The crossed one, which was refused, has no dot.
    assert [at(x) for x, _ in wide.marks("one")] == pytest.approx(expected[:3], abs=0.01)
    assert found.ratio is not None
    assert [at(x) for x, _ in wide.marks("two")] == pytest.approx([found.ratio.value], abs=0.01)
    error = stats.sem(known[2])
    low, high = stats.t.interval(0.95, len(known[2]) - 1, statistics.mean(known[2]), error)
    drawn = [one.get("d") or "" for one in wide.classed("path", "line", "one")]
    ends = re.fullmatch(r"M([\d.]+) [\d.]+H([\d.]+)", drawn[2])
    assert ends is not None
    assert [at(float(end)) for end in ends.groups()] == pytest.approx(
        [math.exp(low), math.exp(high)], abs=0.01
    )
    (line,) = [one.get("d") or "" for one in wide.classed("path", "line", "users")]
    assert {round(at(float(x)), 2) for x in re.findall(r"M([\d.]+) ", line)} == {1.0}


def test_the_table_has_every_race_with_a_figure_and_the_proof() -> None:
    found = tuned()
    table = figure(found).table
    assert [row[0][:2] for row in table.rows] == ["1.", "2.", "3.", "4.", "Th"]
    assert table.rows[-1][1:] == ("1.40", "1.20 to 1.60", "6", "claimed")
    assert table.rows[3][2] == "\N{EN DASH}"
    assert figure(ALL["no claim"]()).table.rows[-1][-1] == "not claimed"


def test_many_races_leave_the_smallest_to_the_table() -> None:
    many = [race(seed, 3, mean=0.01 * seed) for seed in range(1, 31)]
    made = figure(tuned().model_copy(update={"races": many}))
    assert len(made.table.rows) == 31
    for svg in (made.svg, made.narrow):
        drawing = Drawing.of(svg)
        assert len(drawing.marks("one")) == gains.MOST_ROWS - 1
        assert len(drawing.marks("two")) == 1
    assert "Only in the table: 13 smaller ones." in made.caption


def test_wide_intervals_end_at_the_axis() -> None:
    noisy = race(3, 2)
    pairs = [
        one.model_copy(update={"log_gain": gain})
        for one, gain in zip(noisy.pairs, (-0.5, 0.9), strict=True)
    ]
    made = figure(tuned().model_copy(update={"races": [noisy.model_copy(update={"pairs": pairs})]}))
    assert stats.t.interval(0.95, 1, 0.2, 0.7)[1] > math.log(1000)
    drawing = Drawing.of(made.svg)
    _, high = re.findall(r"[MH]([\d.]+)", drawing.classed("path", "line", "one")[0].get("d") or "")
    assert float(high) < 880


def test_names_are_as_long_as_there_is_room() -> None:
    long = race(2, 3, configuration={"knob": "x" * 900})
    made = figure(tuned().model_copy(update={"races": [long]}))
    for svg, most in ((made.svg, 120), (made.narrow, 50)):
        assert max(len(text) for text, _, _ in Drawing.of(svg).texts()) < most


def test_nothing_is_drawn_without_a_figure() -> None:
    assert gains.figure(without_races()) is None
    refused = tuned().model_copy(update={"races": [race(5, 0, "refused")], "ratio": None})
    assert gains.figure(refused) is None
