"""The chart of the agents: what is drawn, read off the axes, is what their users did."""

from dataclasses import replace
from statistics import median

import pytest
from chart_reading import Drawing, scale
from report_agents import USERS, agents, levels
from report_factory import content

from headcount.report.content import ReportContent
from headcount.report.figures import agents as chart
from headcount.report.figures.figure_types import Figure

SLOW = 0.7
NEAR = 0.01


def figure(made: ReportContent) -> Figure:
    found = chart.figure(made, made.agents)
    assert found is not None
    return found


def axes(drawing: Drawing):
    """From a coordinate to users, and of both panels from a height to a share."""
    ticks = [
        (y - 4, float(text.rstrip("%")) / 100)
        for text, _, y in drawing.texts("end")
        if text.endswith("%")
    ]
    heights = [y for y, _ in ticks]
    cut = next(at for at in range(1, len(heights)) if heights[at] > heights[at - 1])
    users = [
        (x, float(text.replace(",", "")))
        for text, x, _ in drawing.texts("mid")
        if text.replace(",", "").isdigit()
    ]
    border = (heights[cut - 1] + heights[-1]) / 2
    return scale(users), scale(ticks[:cut]), scale(ticks[cut:]), min(heights[cut:]), border


@pytest.mark.parametrize("narrow", [False, True])
def test_each_agent_is_read_from_both_panels(narrow: bool) -> None:
    made = agents()
    drawing = Drawing.of(figure(made).narrow if narrow else figure(made).svg)
    users, done, used, lower, _ = axes(drawing)
    # The fourth level is invalid: its marks are crosses.
    for style, is_slow in (("one", False), ("two", True), ("three", False)):
        marks = drawing.marks(style)
        above = [(users(x), done(y)) for x, y in marks if y < lower - 5]
        below = [(users(x), used(y)) for x, y in marks if y >= lower - 5]
        assert [round(x) for x, _ in above] == pytest.approx(list(USERS[:3]), abs=8)
        mean = (2 + SLOW) / 3
        at_800 = (SLOW if is_slow else 1) / mean
        assert [y for _, y in above] == pytest.approx([1, 1, at_800], abs=NEAR)
        factor = 0.0006 * (1.8 if is_slow else 1)
        assert [y for _, y in below] == pytest.approx([factor * n for n in USERS[:3]], abs=NEAR)
        assert max(users(x) for x, _ in drawing.line(style)) == pytest.approx(USERS[-1], abs=8)
    rules = [
        used(float(one.get("d", "").split()[1].split("H")[0]))
        for one in drawing.classed("path", "full")
    ]
    assert rules[1] == pytest.approx(0.8, abs=NEAR)


def test_many_agents_are_drawn_as_extremes_median_and_worst() -> None:
    made = agents(100, slow=57)
    found = figure(made)
    drawing = Drawing.of(found.svg)
    _, done, _, lower, _ = axes(drawing)
    worst = [done(y) for _, y in drawing.marks("two") if y < lower - 5]
    mean = (99 + SLOW) / 100
    assert worst == pytest.approx([1, 1, SLOW / mean], abs=NEAR)
    middle = [done(y) for _, y in drawing.marks("one") if y < lower - 5]
    assert middle[-1] == pytest.approx(median([*[1 / mean] * 99, SLOW / mean]), abs=NEAR)
    assert "agent 57 (load57)" in [text for text, _, _ in drawing.texts("tag")]
    assert len(drawing.classed("path", "line", "dashed")) == 2 * 2 + 2  # of both panels, and keys
    row = found.table.rows[2]
    assert row[:2] == ("800", "passed")
    assert [*row[3:6]] == [f"{SLOW / mean:.1%}", f"{1 / mean:.1%}", f"{1 / mean:.1%}"]
    assert [*row[6:]] == ["48.0%", "48.0%", "86.4%"]
    assert len(found.svg) < 2 * len(figure(agents(3)).svg)


def test_the_table_has_each_agent_of_each_level() -> None:
    table = figure(agents()).table
    assert len(table.rows) == 3 * len(USERS)
    mean = (2 + SLOW) / 3
    assert table.rows[7] == ("800", "passed", "2", f"{SLOW / mean:.1%}", "86.4%")
    assert table.rows[-1][:2] == ("1,200", "invalid")


def test_words_name_the_slowest_and_the_fullest() -> None:
    alt = figure(agents()).alt
    mean = (2 + SLOW) / 3
    assert f"a user of agent 2 did {SLOW / mean:.1%} of what users did on average" in alt
    assert "the busiest worker was agent 2's, at 99.0%" in alt


def test_the_plot_of_the_page_has_the_same_figures() -> None:
    plot = figure(agents()).plot
    assert plot is not None
    (below,) = plot.below
    for panel, values in ((plot, [1, 1, SLOW * 3 / 2.7]), (below, [0.108, 0.432, 0.864])):
        (marks,) = [one for one in panel.series if one.name == "agent 2 (load2)"]
        assert [y for _, y in marks.points][:3] == pytest.approx(values)
        assert marks.outcomes == "pppi"


def test_agents_on_one_machine_are_numbers_alone() -> None:
    made = agents()
    here = {
        number: replace(one, machine="this machine")
        for number, one in made.agents[0].agents.items()
    }
    found = figure(replace(made, agents=[replace(made.agents[0], agents=here)]))
    assert [text for text, _, _ in Drawing.of(found.svg).texts("tag")] == [
        "agent 1",
        "agent 2",
        "agent 3",
    ]


def test_levels_that_agents_were_lost_in_are_left_out() -> None:
    made = agents()
    lost = made.levels[1].model_copy(update={"agents_lost": True})
    table = figure(replace(made, levels=[made.levels[0], lost, *made.levels[2:]])).table
    assert [row[0] for row in table.rows[::3]] == ["100", "800", "1,200"]


def test_nothing_is_drawn_for_one_process_one_agent_or_one_level() -> None:
    assert chart.figure(content(), []) is None
    assert chart.figure(replace(content(), levels=levels([1])), []) is None
    alone = agents()
    assert chart.figure(replace(alone, levels=alone.levels[:1]), alone.agents) is None
