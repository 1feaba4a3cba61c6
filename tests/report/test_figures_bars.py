"""Bars side by side: as high as their shares, in their groups, and apart."""

from itertools import pairwise

import pytest
from chart_reading import Drawing
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.report.figures import bars
from headcount.report.figures.bars import MOST_GROUPS, MOST_NARROW, Bars, Group

SHARES = st.floats(0.01, 1.0)


def drawn(names: int, groups: list[Group], *, narrow: bool) -> Drawing:
    made = Bars("CPU", "in words", "CPU", [f"s{i}" for i in range(names)], "kind-{}".format, groups)
    return Drawing.of(bars.narrow(made) if narrow else bars.wide(made))


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 6), st.integers(1, 20), st.booleans())
def test_bars_stand_for_their_shares(
    data: st.DataObject, names: int, number: int, narrow: bool
) -> None:
    shares = st.lists(SHARES, min_size=names, max_size=names)
    groups = [Group(10 * at, data.draw(shares)) for at in range(1, number + 1)]
    drawing = drawn(names, groups, narrow=narrow)
    users_shown = [text for text, _, _ in drawing.texts("mid") if text.isdigit()]
    assert len(users_shown) == min(number, MOST_NARROW if narrow else MOST_GROUPS)
    assert users_shown[-1] == str(10 * number)
    bases, edges = [], []
    most = max(
        groups[int(users) // 10 - 1].shares[place]
        for users in users_shown
        for place in range(names)
    )
    every = drawing.classed("rect", "bar")[names:]  # the first ones are the legend's
    tallest = max(float(bar.get("height") or 0) for bar in every)
    for place in range(names):
        found = drawing.classed("rect", "bar", f"kind-{place}")[1:]
        for users, bar in zip(users_shown, found, strict=True):
            x, width = float(bar.get("x") or 0), float(bar.get("width") or 0)
            share = groups[int(users) // 10 - 1].shares[place]
            y, height = float(bar.get("y") or 0), float(bar.get("height") or 0)
            assert height == pytest.approx(share / most * tallest, abs=0.5)
            bases.append(y + height)
            edges.append((x, x + width))
    assert bases == pytest.approx([bases[0]] * len(bases), abs=0.5)
    assert all(left[1] < right[0] for left, right in pairwise(sorted(edges)))


def test_narrow_bars_have_no_figures_above_them() -> None:
    few, many = [Group(5, [0.5])], [Group(users, [0.5] * 6) for users in range(1, 9)]
    percents = [text for text, _, _ in drawn(1, few, narrow=False).texts("mid") if "%" in text]
    assert percents == ["50%"]
    assert not [text for text, _, _ in drawn(6, many, narrow=True).texts("mid") if "%" in text]
