"""Figures against users and throughput: what is drawn, read off the axes, is what was measured."""

from dataclasses import replace

import numpy as np
import pytest
from chart_reading import Drawing, places, scale
from report_cases import at_least, no_levels, nothing_completed, one_level, wide_times
from report_factory import content, level

from headcount.analyse.utilisation import uses
from headcount.bundle.level import CounterSummary, LevelResult
from headcount.report.figures import response, throughput, transfer, utilisation
from headcount.report.figures.figure_types import Figure

CPU = "system.cpu.utilization"
NEAR = 0.006
"""Of a scale's length: coordinates are written to a tenth of a pixel."""


def labels(drawing: Drawing, style: str, *, right: bool = False) -> list[tuple[float, float]]:
    """Ticks of an upright axis: (height, value); a label stands 4 px below its line."""
    return [
        (y - 4, float(text.rstrip("%").replace(",", "")) / (100 if text.endswith("%") else 1))
        for text, x, y in drawing.texts(style)
        if text and text[0].isdigit() and (x > 700) == right and text.rstrip("%")[-1].isdigit()
    ]


def users_axis(drawing: Drawing) -> list[tuple[float, float]]:
    rows: dict[float, list[tuple[float, float]]] = {}
    for text, x, y in drawing.texts("mid"):
        if text.replace(",", "").isdigit():
            rows.setdefault(y, []).append((x, float(text.replace(",", ""))))
    return max(rows.items())[1]


def sorted_levels(made) -> list[LevelResult]:
    return sorted(made.levels, key=lambda one: one.users)


@pytest.mark.parametrize("narrow", [False, True])
def test_throughput_and_cpu_are_each_read_from_their_own_axis(narrow: bool) -> None:
    made = content()
    figure = throughput.figure(made)
    assert figure is not None
    drawing = Drawing.of(figure.narrow if narrow else figure.svg)
    users = scale(users_axis(drawing))
    left = scale([tick for tick in labels(drawing, "throughput") if tick])
    right_ticks = [
        (y - 4, float(text.rstrip("%")) / 100)
        for text, _, y in drawing.texts("cpu")
        if text.endswith("%")
    ]
    right = scale(right_ticks)
    counted = [one for one in sorted_levels(made) if one.outcome != "invalid"]
    read = sorted((users(x), left(y)) for x, y in drawing.marks("throughput"))
    used = sorted((users(x), right(y)) for x, y in drawing.marks("cpu"))
    # Marks of an invalid level are crosses, in a path of their own.
    assert len(read) == len(used) == len(counted)
    for (at, rate), (_, cpu), one in zip(read, used, counted, strict=True):
        assert at == pytest.approx(one.users, abs=1250 * NEAR)
        assert rate == pytest.approx(one.achieved_per_s, abs=200 * NEAR)
        assert cpu == pytest.approx(one.counters["sut"][CPU].mean, abs=NEAR)


def test_both_axes_have_their_ticks_at_the_same_heights() -> None:
    figure = throughput.figure(content())
    assert figure is not None
    drawing = Drawing.of(figure.svg)
    left = [y for text, _, y in drawing.texts("end", "throughput") if text[0].isdigit()]
    right = [y for text, _, y in drawing.texts("cpu") if text.endswith("%")]
    assert left == right
    assert len(left) == 6
    assert {"Scenarios per second (dashed: fell due)", "CPU of the server"} <= {
        text for text, _, _ in drawing.texts("title")
    }


def test_without_cpu_there_is_only_one_axis() -> None:
    bare = [one.model_copy(update={"counters": {}}) for one in content().levels]
    figure = throughput.figure(replace(content(), levels=bare))
    assert figure is not None
    assert "CPU" not in figure.title + figure.alt + figure.caption
    assert not Drawing.of(figure.svg).marks("cpu")
    assert figure.plot is not None
    assert figure.plot.right is None


def test_percentiles_lie_at_their_values_on_the_time_axis() -> None:
    made = content()
    figure = response.figure(made)
    assert figure is not None
    drawing = Drawing.of(figure.svg)
    units = {"ms": 1.0, "s": 1000.0}
    ticks = []
    for text, x, y in drawing.texts("end"):
        number, _, unit = text.partition(" ")
        if x < 100 and unit in units:
            ticks.append((y - 4, np.log(float(number.replace(",", "")) * units[unit])))
    times, users = scale(sorted(ticks)), scale(users_axis(drawing))
    counted = [one for one in sorted_levels(made) if one.outcome != "invalid"]
    for name in ("p50", "p95", "p99"):
        read = sorted((users(x), np.exp(times(y))) for x, y in drawing.marks(name))
        for (at, ms), one in zip(read, counted, strict=True):
            assert one.total.response is not None
            assert at == pytest.approx(one.users, abs=1250 * NEAR)
            assert ms == pytest.approx(getattr(one.total.response, f"{name}_ms"), rel=0.02)


def test_bands_lie_between_the_lines_they_are_named_after() -> None:
    figure = response.figure(content())
    assert figure is not None
    drawing = Drawing.of(figure.svg)
    inner, outer = (
        next(e for e in drawing.classed("path", "area") if ("outer" in e.get("class", "")) is far)
        for far in (False, True)
    )
    p50, p95, p99 = (drawing.line(name) for name in ("p50", "p95", "p99"))
    assert places(inner.get("d") or "") == [*p95, *reversed(p50)]
    assert places(outer.get("d") or "") == [*p99, *reversed(p95)]


def test_bytes_sent_and_received_are_those_of_the_levels() -> None:
    made = content()
    figure = transfer.figure(made)
    assert figure is not None
    drawing = Drawing.of(figure.svg)
    users = scale(users_axis(drawing))
    heights = scale(
        [
            (y - 4, float(text))
            for text, x, y in drawing.texts("end")
            if x < 100 and text.replace(".", "").isdigit()
        ]
    )
    counted = [one for one in sorted_levels(made) if one.outcome != "invalid"]
    for style, of in (("one", "read_bytes_per_s"), ("two", "written_bytes_per_s")):
        read = sorted((users(x), heights(y)) for x, y in drawing.marks(style))
        for (_, megabytes), one in zip(read, counted, strict=True):
            assert megabytes == pytest.approx(getattr(one.total, of) / 1e6, abs=60 * NEAR)
    # 310 kB read and 92 kB written by each scenario.
    assert figure.table.rows[0][4] == f"{310 / 402:.1%}"
    assert "3.4 bytes for each byte from them" in figure.caption


def ladder(share_at: list[tuple[float, float]]) -> list[LevelResult]:
    """Levels with given throughputs and CPU, and nothing else that has a capacity."""
    made = []
    for index, (per_s, cpu) in enumerate(share_at, 1):
        counted = CounterSummary(mean=cpu, max=cpu, p95=cpu, samples=60)
        made.append(
            level(index, 100 * index, outcome="passed").model_copy(
                update={"achieved_per_s": per_s, "counters": {"sut": {CPU: counted}}}
            )
        )
    return made


def test_the_ceiling_is_where_the_utilisation_law_reaches_all_cpus() -> None:
    # U = 0.04 + 0.0012 X is full at X = 800.
    levels = ladder([(per_s, 0.04 + 0.0012 * per_s) for per_s in (100, 250, 400, 550)])
    (use,) = uses(levels)
    assert use.law is not None
    assert use.law.background == pytest.approx(0.04)
    assert use.law.demand == pytest.approx(0.0012)
    assert use.law.ceiling_per_s == pytest.approx(800)
    figure = utilisation.figure(replace(content(), levels=levels))
    assert figure is not None
    drawing = Drawing.of(figure.svg)
    ticks = [
        (x, float(text.replace(",", "")))
        for text, x, _ in drawing.texts("mid")
        if text.replace(",", "").isdigit()
    ]
    ring = drawing.classed("path", "dot", "ceiling")[0].get("d") or ""
    assert scale(ticks)(float(ring[1:].split(" ")[0])) == pytest.approx(800, rel=0.01)
    assert "CPU, full at 800/s" in figure.svg
    assert figure.table.rows[0][-1] == "800"


@pytest.mark.parametrize(
    "spots",
    [
        [(100, 0.5), (250, 0.5), (400, 0.5)],  # does not grow
        [(100, 0.9), (250, 0.4), (400, 0.6)],  # falls and rises
        [(100, 0.3), (110, 0.33), (120, 0.36)],  # hardly any spread of throughput
        [(100, 0.2), (400, 0.8)],  # too few levels
    ],
)
def test_cpu_that_does_not_clearly_grow_has_no_ceiling(spots: list[tuple[float, float]]) -> None:
    (use,) = uses(ladder(spots))
    assert use.law is None


def test_the_law_is_that_of_least_squares_over_all_levels() -> None:
    rng = np.random.default_rng(5)
    per_s = np.linspace(50, 600, 12)
    spots = [(float(x), float(0.03 + 0.001 * x + rng.normal(0, 0.01))) for x in per_s]
    (use,) = uses(ladder(spots))
    slope, intercept = np.polyfit(per_s, [share for _, share in spots], 1)
    assert use.law is not None
    assert use.law.ceiling_per_s == pytest.approx((1 - intercept) / slope)


@pytest.mark.parametrize("made", [no_levels(), nothing_completed(), one_level(), at_least()])
def test_figures_without_their_numbers_are_not_drawn(made) -> None:
    levels = list(made.levels)
    assert (throughput.figure(made) is None) == (not levels)
    assert (response.figure(made) is None) == (not any(one.total.response for one in levels))
    assert (transfer.figure(made) is None) == (len(levels) < 2)


def test_a_chart_may_begin_at_a_single_user() -> None:
    figure = response.figure(replace(content(), levels=[level(1, 1), level(2, 100)]))
    assert figure is not None
    assert " at 1 user to " in figure.alt


@pytest.mark.parametrize("draw", [throughput.figure, response.figure, transfer.figure])
def test_every_figure_has_words_units_and_a_table(draw) -> None:
    for made in (content(), wide_times()):
        figure: Figure = draw(made)
        assert figure.alt.endswith(".")
        root = Drawing.of(figure.svg).root
        assert root.get("role") == "img"
        assert figure.alt in (root.get("aria-label") or "")
        assert (root[0].tag, root[0].text) == ("desc", figure.alt)
        assert len(figure.table.rows) == len(made.levels)
        assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
        assert [row[0] for row in figure.table.rows] == [
            f"{one.users:,}" for one in sorted_levels(made)
        ]
