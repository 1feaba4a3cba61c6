"""Spectra and heat maps: against durations sorted and counted without histograms."""

import base64
import json
import math
from pathlib import Path

import numpy as np
import pytest
from chart_reading import Drawing, scale
from hdrh.histogram import HdrHistogram
from report_factory import content

from headcount._engine import Histogram
from headcount.analyse.answers import Second, of_level, seconds
from headcount.analyse.heat import heat
from headcount.analyse.spectrum import spectrum
from headcount.bundle.hlog import HistogramLog
from headcount.bundle.reader import Bundle
from headcount.plan.resolve import Overrides, resolve
from headcount.report.figures import heat as heat_figure
from headcount.report.figures import spectrum as spectrum_figure
from headcount.report.figures.spectrum import Drawn
from headcount.workloads import load

DIGITS = 0.002
"""Of a histogram with three significant digits: a thousandth to either side."""


def histogram(values_us: np.ndarray) -> Histogram:
    recorded = HdrHistogram(1, 3_600_000_000, 3)
    for value in values_us:
        recorded.record_value(int(value))
    return Histogram.decode(base64.b64decode(recorded.encode()))


def durations(count: int, seed: int = 3) -> np.ndarray:
    """Microseconds: lognormal, with a tail of stalls."""
    rng = np.random.default_rng(seed)
    values = rng.lognormal(math.log(8000), 0.6, count)
    values[rng.random(count) < 0.004] += 600_000
    return np.maximum(values.astype(int), 1)


@pytest.mark.parametrize("count", [10, 500, 20_000])
def test_a_spectrum_is_the_sorted_durations(count: int) -> None:
    values = np.sort(durations(count))
    made = spectrum(histogram(values))
    assert made is not None
    assert made.count == count
    shares = [share for share, _ in made.points]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1 - 1 / count)
    assert made.points[-1][1] * 1000 == pytest.approx(values[-1], rel=DIGITS)
    for share, ms in made.points[:-1]:
        # The least duration that at least this share of them does not exceed.
        rank = max(math.ceil(round(share * count, 6)), 1)
        assert ms * 1000 == pytest.approx(values[rank - 1], rel=DIGITS, abs=1)


def test_a_spectrum_has_no_percentiles_rarer_than_its_samples() -> None:
    made = spectrum(histogram(durations(100)))
    assert made is not None
    assert spectrum_figure.at(made, 0.999) is None
    assert spectrum_figure.at(made, 0.95) is not None
    assert spectrum(histogram(durations(1))) is None


def drawn_spectra() -> list[Drawn]:
    made = [spectrum(histogram(durations(count, count))) for count in (2000, 20_000, 5000)]
    names = ("50 users, passed", "918 users, passed", "1,200 users, failed")
    return [
        Drawn(name, users, one)
        for name, users, one in zip(names, (50, 918, 1200), made, strict=True)
        if one is not None
    ]


def test_nines_are_evenly_apart_and_lines_end_at_their_longest() -> None:
    figure = spectrum_figure.figure(drawn_spectra(), content())
    assert figure is not None
    drawing = Drawing.of(figure.svg)
    ticks = {text: x for text, x, _ in drawing.texts("mid") if text.endswith("%")}
    assert ticks["99%"] - ticks["90%"] == pytest.approx(ticks["99.9%"] - ticks["99%"], abs=0.2)
    assert ticks["90%"] - ticks["0%"] == pytest.approx(ticks["99%"] - ticks["90%"], abs=0.2)
    nines = scale([(ticks["0%"], 0.0), (ticks["99.9%"], 3.0)])
    for one, style in zip(drawn_spectra(), ("five", "one", "four"), strict=True):
        end = drawing.line(style)[-1][0]
        assert nines(end) == pytest.approx(math.log10(one.spectrum.count), abs=0.01)
    assert [row[0] for row in figure.table.rows][-3:] == ["99.99%", "longest", "response times"]
    assert figure.table.rows[-3][1] == "\N{EN DASH}"


def run_of(parts: list[tuple[int, bool, np.ndarray]]) -> list[Second]:
    return [
        Second(float(at), at + 1.0, level, steady, 10 * level, histogram(values))
        for at, (level, steady, values) in enumerate(parts)
    ]


def test_shares_of_a_heat_map_are_counts_of_the_durations() -> None:
    values = [durations(300, seed) for seed in range(40)]
    made = heat(run_of([(1 + at // 20, True, one) for at, one in enumerate(values)]), 12)
    assert made is not None
    assert len(made.columns) <= 12
    taken = 0
    for column in made.columns:
        assert column.users == 10 * column.level
        inside = np.concatenate(values[int(column.from_s) : int(column.to_s)])
        counted, _ = np.histogram(inside / 1000, bins=made.edges_ms)
        assert column.count == len(inside)
        assert sum(column.shares) == pytest.approx(1)
        # A duration within a thousandth of an edge may be counted on either side of it.
        assert column.shares == pytest.approx(tuple(counted / len(inside)), abs=0.02)
        assert column.max_ms * 1000 == pytest.approx(inside.max(), rel=DIGITS)
        taken += column.count
    assert taken == 40 * 300


def test_no_column_of_a_heat_map_mixes_two_levels() -> None:
    parts = [(level, True, durations(20, level)) for level in (1, 1, 1, 2, 2, 3, 3, 3, 3)]
    made = heat(run_of(parts), 6)
    assert made is not None
    ends = [(column.from_s, column.to_s, column.level) for column in made.columns]
    assert [end for _, end, _ in ends[:-1]] == [start for start, _, _ in ends[1:]]
    for start, end, level in ends:
        assert {parts[at][0] for at in range(int(start), int(end))} == {level}
    assert heat([], 6) is None


def test_cells_are_drawn_where_and_as_strong_as_the_map_says() -> None:
    stalled = np.array([900_000] * 3 + [5000] * 97)
    made = heat(run_of([(1, True, np.array([5000] * 100)), (1, True, stalled)]), 3)
    figure = heat_figure.figure(made)
    assert made is not None
    assert figure is not None
    drawing = Drawing.of(figure.svg)

    def strokes(shade: int) -> list[str]:
        # The first is the legend's.
        return [e.get("d") or "" for e in drawing.classed("path", "heat", f"heat{shade}")][1:]

    bulk, tail = strokes(7), strokes(heat_figure.shade(0.03))
    assert len(bulk) == len(tail) == 1
    # The bulk is one stroke through both seconds, the stall one through the second alone.
    assert bulk[0].count("M") == tail[0].count("M") == 1
    left, width = float(tail[0][1:].split(" ")[0]), float(tail[0].split("h")[1])
    assert float(bulk[0].split("h")[1]) == pytest.approx(2 * width, abs=0.2)
    assert left == pytest.approx(float(bulk[0][1:].split(" ")[0]) + width, abs=0.2)
    assert not any(strokes(shade) for shade in range(1, 8) if shade not in (7, 4))


def bundle(folder: Path, levels: list[tuple[int, str, float]]) -> tuple[Bundle, list[np.ndarray]]:
    """A bundle of which each second has a level, a phase and a length, and two scenarios."""
    log = HistogramLog(folder / "histograms.hlog")
    at_s, kept = 0.0, []
    with (folder / "series.ndjson").open("w", encoding="utf-8") as series:
        for index, (level, phase, length_s) in enumerate(levels):
            values = durations(50, index)
            at_s += length_s
            line = {"t_s": at_s, "seconds": length_s, "level": level, "phase": phase, "users": 7}
            line |= {"scenarios": [], "counters": {}}
            series.write(json.dumps(line) + "\n")
            for name, part in (("open file", values[:20]), ("save, close", values[20:])):
                of_part = {
                    f"response/{name}": histogram(part),
                    f"service/{name}": histogram(part // 2),
                }
                log.append(at_s - length_s, length_s, of_part)
            kept.append(values)
    log.close()
    plan = resolve(load("app-server"), "lab:app", Overrides(users=7, seed=1))
    return Bundle(folder, plan, None, [], None), kept


def test_seconds_of_the_log_belong_to_the_levels_they_were_measured_in(tmp_path: Path) -> None:
    plan_of = [
        (0, "abandoned", 1.0),
        (1, "ramp", 1.000042),
        (1, "steady", 0.999951),
        (1, "steady", 1.0123),
        (1, "ramp-down", 1.0),
        (2, "steady", 1.0),
    ]
    made, kept = bundle(tmp_path, plan_of)
    found = seconds(made)
    assert [(second.level, second.steady) for second in found] == [
        (1, False),
        (1, True),
        (1, True),
        (1, False),
        (2, True),
    ]
    merged = of_level(found, 1)
    assert merged is not None
    both = np.sort(np.concatenate(kept[2:4]))
    assert merged.count == len(both) == 100
    assert merged.quantile_us(0.5) == pytest.approx(both[49], rel=DIGITS)
    assert of_level(found, 3) is None


def test_without_a_log_there_is_nothing_to_draw(tmp_path: Path) -> None:
    made, _ = bundle(tmp_path, [(1, "steady", 1.0)])
    (tmp_path / "histograms.hlog").unlink()
    assert seconds(made) == []
    assert spectrum_figure.figure([], content()) is None
    assert heat_figure.figure(heat(seconds(made), 10)) is None
