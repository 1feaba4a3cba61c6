"""Two runs side by side, costs, and published results: bars, steps and their texts."""

from dataclasses import dataclass, replace
from decimal import Decimal

import pytest
from chart_reading import Drawing, places, scale
from report_factory import content

from headcount.bundle.level import LevelResult
from headcount.bundle.price import Price
from headcount.report.content import ReportContent
from headcount.report.figures import (
    before_after,
    cost,
    cpu_pair,
    published,
    published_capacity,
)
from headcount.report.figures.pair import Side, common
from headcount.report.figures.throughput import cpu_of

CPU = "system.cpu.utilization"


def lighter(one: LevelResult, part: float) -> LevelResult:
    """A level that takes only this part of the CPU."""
    counters = dict(one.counters["sut"])
    counters[CPU] = counters[CPU].model_copy(update={"mean": counters[CPU].mean * part})
    return one.model_copy(update={"counters": {"sut": counters}})


def run_after(part: float = 0.8, users: int = 1040) -> ReportContent:
    plain = content()
    capacity = plain.verdict.capacity
    assert capacity is not None
    verdict = plain.verdict.model_copy(
        update={"capacity": capacity.model_copy(update={"users": users})}
    )
    levels = [lighter(one, part) for one in plain.levels]
    return replace(plain, levels=levels, verdict=verdict)


FOUR, ONE = Side("four adapters", content()), Side("one adapter", run_after())


def percents(drawing: Drawing) -> list[tuple[float, float]]:
    return [
        (y - 4, float(text[:-1]) / 100)
        for text, x, y in drawing.texts("end")
        if text.endswith("%") and x < 100
    ]


@pytest.mark.parametrize("narrow", [False, True])
def test_bars_are_as_high_as_the_cpu_they_stand_for(narrow: bool) -> None:
    figure = cpu_pair.figure(FOUR, ONE)
    assert figure is not None
    drawing = Drawing.of(figure.narrow if narrow else figure.svg)
    read = scale(percents(drawing))
    base = max(
        float(e.get("y") or 0) + float(e.get("height") or 0) for e in drawing.classed("rect", "bar")
    )
    groups = [text for text, _, y in drawing.texts("mid") if y > base and text != "Users"]
    levels = {f"{one.users:,}": (one, two) for one, two in common(FOUR, ONE)}
    assert len(groups) == (4 if narrow else 8)
    for style, index in (("one", 0), ("two", 1)):
        bars = [
            e for e in drawing.classed("rect", "bar", style) if float(e.get("width") or 0) > 18.1
        ]
        for users, bar in zip(groups, bars, strict=True):
            assert read(float(bar.get("y") or 0)) == pytest.approx(
                cpu_of(levels[users][index]), abs=0.006
            )


def test_configurations_without_a_level_in_common_have_no_bars() -> None:
    other = replace(
        run_after(),
        levels=[one.model_copy(update={"users": one.users * 10 + 3}) for one in content().levels],
    )
    assert cpu_pair.figure(FOUR, Side("other", other)) is None
    unsampled = [one.model_copy(update={"counters": {}}) for one in content().levels]
    assert cpu_pair.figure(FOUR, Side("unsampled", replace(run_after(), levels=unsampled))) is None


def test_the_difference_is_in_percentage_points() -> None:
    figure = cpu_pair.figure(FOUR, ONE)
    assert figure is not None
    for row, (one, two) in zip(figure.table.rows, common(FOUR, ONE), strict=True):
        points = ((cpu_of(two) or 0) - (cpu_of(one) or 0)) * 100
        assert float(row[3]) == pytest.approx(points, abs=0.051)


def test_before_and_after_have_their_capacities_as_lines() -> None:
    figure = before_after.figure(FOUR, ONE)
    assert figure is not None
    assert "four adapters holds 918 users, one adapter 1,040." in figure.alt
    drawing = Drawing.of(figure.svg)
    users = scale(
        [
            (x, float(text.replace(",", "")))
            for text, x, _ in drawing.texts("mid")
            if text.replace(",", "").isdigit()
        ]
    )
    rules = drawing.classed("path", "rule")
    assert [pytest.approx(users(places(e.get("d") or "")[0][0]), abs=3) for e in rules] == [
        918,
        1040,
    ]
    # Three panels, each with both lines.
    assert len(drawing.classed("path", "line", "one")) == 1 + 1 + 3
    assert len(drawing.marks("one")) == len(drawing.marks("two"))
    empty = Side("none", replace(content(), levels=[]))
    assert before_after.figure(FOUR, empty) is None


def staircase(systems: int, users: int, price: float) -> list[tuple[float, float]]:
    return [
        (at, number * price)
        for number in range(1, systems + 1)
        for at in ((number - 1) * users + 1, number * users)
    ]


def test_a_price_is_read_off_the_staircase() -> None:
    small = cost.Curve("small", staircase(12, 900, 6000))
    large = cost.Curve("large", staircase(3, 4200, 21_000))
    figure = cost.figure([small, large], "USD", 10_000)
    assert figure is not None
    assert "For 10,000 users: small 72,000 USD, large 63,000 USD." in figure.alt
    for users in (1, 900, 901, 4200, 8400, 8401):
        assert cost.amount_at(small, users) == -(-users // 900) * 6000
        assert cost.amount_at(large, users) == -(-users // 4200) * 21_000
    assert cost.amount_at(small, 12 * 900 + 1) is None
    drawing = Drawing.of(figure.svg)
    assert len(drawing.line("one")) == 24
    assert "10,000 users needed" in [text for text, _, _ in drawing.texts("capacity")]
    assert cost.figure([], "USD") is None


@dataclass
class Printed:
    """A published line, as the package of published results gives it."""

    short: str
    label: str
    points: tuple[tuple[float, float], ...]


OLD = Printed(
    "ProLiant 7000 (published 1999)",
    "ProLiant 7000: Dynameasure (published 1999, different hardware)",
    ((600.0, 39e6),),
)


def test_published_results_are_dashed_and_labelled_as_other_hardware() -> None:
    figure = published.figure(content(), [OLD], "bytes_per_s")
    assert figure is not None
    for svg in (figure.svg, figure.narrow):
        drawing = Drawing.of(svg)
        assert published.LABEL in " ".join(text for text, _, _ in drawing.texts("small"))
        assert not drawing.classed("path", "line", "one", "dashed")
    assert published.LABEL in figure.caption
    assert OLD.label in figure.caption
    assert published.LABEL in figure.alt
    assert figure.table.rows[-1] == [OLD.short, "600", "39.0 MB/s", published.LABEL]
    # Each of several has a number, beside its mark and in the legend.
    drawing = Drawing.of(figure.svg)
    assert "1" in [text for text, _, _ in drawing.texts("small")]
    assert f"1: {OLD.short}" in [text for text, _, _ in drawing.texts("tag")]


def test_published_capacities_are_outlined_bars_as_long_as_their_users() -> None:
    figure = published_capacity.figure(content(), [replace(OLD, points=((9500.0, 9500.0),))])
    assert figure is not None
    drawing = Drawing.of(figure.svg)
    widths = [float(e.get("width") or 0) for e in drawing.classed("rect", "bar")]
    assert widths[1] / widths[0] == pytest.approx(9500 / 918, rel=0.01)
    assert len(drawing.classed("rect", "outlined")) == 1
    assert f"dashed: {published.LABEL}" in [text for text, _, _ in drawing.texts("small")]
    assert figure.table.rows == [
        ["this run", "918", "918 to 957", "measured"],
        [OLD.short, "9,500", "\N{EN DASH}", published.LABEL],
    ]
    assert published_capacity.figure(content(), []) is None


def test_the_price_of_a_run_is_a_staircase_of_its_capacity() -> None:
    made = content()
    assert cost.of_run(made) is None
    price = Price(amount=Decimal(29581), currency="USD", each=[])
    priced = replace(made, verdict=made.verdict.model_copy(update={"price": price}))
    figure = cost.of_run(priced)
    assert figure is not None
    assert figure.table.rows[0] == ["918", "29,581"]
    assert figure.table.rows[-1] == ["9,180", "295,810"]


@pytest.mark.parametrize("of", published.KINDS)
def test_a_published_figure_that_the_run_lacks_is_not_drawn(of: str) -> None:
    assert published.figure(content(), [], of) is None
    empty = replace(content(), levels=[])
    assert published.figure(empty, [OLD], of) is None
    drawn = published.figure(content(), [OLD], of)
    assert (drawn is None) == (of == "marks_per_min")


def test_repeats_are_marks_and_the_line_has_one_value_for_each_load() -> None:
    made = content()
    last = max(made.levels, key=lambda level: level.users)
    users, rates = last.users, [10e6, 30e6, 20e6]
    repeats = [
        last.model_copy(
            update={
                "index": last.index + place,
                "outcome": "passed",
                "total": last.total.model_copy(
                    update={"read_bytes_per_s": rate, "written_bytes_per_s": 0.0}
                ),
            }
        )
        for place, rate in enumerate(rates)
    ]
    run = replace(made, levels=[*(one for one in made.levels if one.users != users), *repeats])
    figure = published.figure(run, [OLD], "bytes_per_s")
    assert figure is not None
    drawing = Drawing.of(figure.svg)
    line, marks = drawing.line("one"), drawing.marks("one")
    across = [x for x, _ in line]
    assert across == sorted(set(across))
    assert len(across) == len({level.users for level in run.levels if level.outcome != "invalid"})
    right = max(across)
    at = {round(y, 1) for x, y in marks if abs(x - right) < 0.2}
    assert len(at) == 3
    assert round(line[-1][1], 1) == sorted(at)[1]
    assert f"20.0 MB/s at {users:,} users" in figure.alt
