"""Flame graphs: shares against counts by hand, places, sizes, and what is said without colours."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_factory import content

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.analyse.flame import DEEPEST, LEAST, FlameFrame, files_together, flame, leaves
from headcount.bundle.diagnosis import Waits
from headcount.bundle.stacks import OTHER, LevelStacks
from headcount.bundle.verdict import Verdict
from headcount.report.diagnosis import short, whole
from headcount.report.figures.flames import MOST, Flame, change, figure, flames
from headcount.report.html import render

NAMES = st.sampled_from(["a", "b", "read", "write(file:/x)", "long_name_of_a_function_[k]"])
FOLDED = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=8).map(tuple), st.integers(1, 500), min_size=1, max_size=40
)


def test_shares_are_those_counted_by_hand() -> None:
    now = {("p", "x", "read"): 30, ("p", "x"): 10, ("p", "y"): 60}
    before = {("p", "x", "read"): 1, ("p", "y"): 3}
    frames = {(one.depth, one.name): one for one in flame(now, before)}
    assert frames[0, "p"] == FlameFrame("p", 0, 0.0, 1.0, 1.0)
    assert frames[1, "x"] == FlameFrame("x", 1, 0.0, 0.4, 0.25)
    assert frames[1, "y"] == FlameFrame("y", 1, 0.4, 0.6, 0.75)
    assert frames[2, "read"] == FlameFrame("read", 2, 0.0, 0.3, 0.25)
    assert [(one.name, one.share, one.before) for one in leaves(now, before, 2)] == [
        ("y", 0.6, 0.75),
        ("read", 0.3, 0.25),
    ]


def test_small_frames_are_merged_into_one() -> None:
    folded = {("p", f"f{number}"): 1 for number in range(1000)} | {("p", "big"): 1000}
    names = Counter(one.name for one in flame(folded))
    assert names == {"p": 1, "big": 1, OTHER: 1}
    (other,) = [one for one in flame(folded) if one.name == OTHER]
    assert other.share == pytest.approx(0.5)


@given(FOLDED, FOLDED | st.none(), st.integers(1, 60))
def test_frames_lie_below_their_callers_and_never_over_each_other(
    now: dict[tuple[str, ...], int], before: dict[tuple[str, ...], int] | None, most: int
) -> None:
    frames = flame(now, before, most=most)
    assert len(frames) <= most
    rows: dict[int, list[FlameFrame]] = {}
    for one in frames:
        rows.setdefault(one.depth, []).append(one)
        assert LEAST <= one.share <= 1 + 1e-9
        assert one.depth < DEEPEST
        assert (one.before is None) == (before is None)
    for depth, row in rows.items():
        for left, right in pairwise(row):
            assert left.left + left.share <= right.left + 1e-9
        above = rows.get(depth - 1, [])
        for one in row if depth else []:
            assert any(
                up.left - 1e-9 <= one.left and one.left + one.share <= up.left + up.share + 1e-9
                for up in above
            )


@given(FOLDED)
def test_files_together_keep_the_sum(folded: dict[tuple[str, ...], int]) -> None:
    assert sum(files_together(folded).values()) == sum(folded.values())


def stacks(functions: int) -> dict[tuple[str, ...], int]:
    """Stacks of thirty frames, no two alike."""
    return {
        ("server", *(f"function_number_{n * 7 % 10}_{depth}_{n}" for depth in range(29))): 5
        for n in range(functions)
    }


def two_flames(functions: int = 60) -> list[Flame]:
    return [
        Flame("off", "proc", 64, stacks(functions), 2, stacks(functions // 2)),
        Flame("on", "perf", 64, stacks(functions), 2, stacks(functions // 2)),
    ]


def test_a_page_grows_by_60_kb_at_most() -> None:
    plain = len(render(content()).encode())
    assert len(render(replace(content(), flames=two_flames())).encode()) - plain <= 60_000
    assert len(flame(stacks(60), None, most=MOST)) > MOST / 3


def test_a_frame_is_as_wide_as_its_share_and_says_so() -> None:
    found = figure(
        Flame("off", "proc", 64, {("p", "x"): 300, ("p", "y"): 100}, 2, {("p", "y"): 100})
    )
    form = r"<title>([^<:]*):[^<]*</title><rect x=\"[\d.]+\" y=\"[\d.]+\" width=\"([\d.]+)\""
    widths = {title: float(width) for title, width in re.findall(form, found.svg)}
    assert widths["x"] / widths["p"] == pytest.approx(0.75, abs=0.01)
    assert "x: 75.0% (0% with 2)" in found.svg
    # The sign says what the colour does.
    assert ">+x<" in found.svg
    assert ">-y<" in found.svg
    assert "x 75.0%" in found.alt
    assert found.table.rows[0] == ("y", "25.0%", "100%", "-75.0 points")
    assert found.table.columns[1:3] == ("Share at 64 users", "With 2 users")


@pytest.mark.parametrize(
    ("share", "before", "wanted"),
    [
        (0.3, None, ("same", 0)),
        (0.3, 0.29, ("same", 0)),
        (0.3, 0.27, ("more", 1)),
        (0.3, 0.2, ("more", 2)),
        (0.3, 0.6, ("less", 3)),
    ],
)
def test_how_clearly_a_share_changed(
    share: float, before: float | None, wanted: tuple[str, int]
) -> None:
    assert change(FlameFrame("f", 0, 0.0, share, before), 10_000, 10_000) == wanted


def test_a_difference_within_two_standard_errors_is_none() -> None:
    # 0.3 of 100 and 0.2 of 100: the difference of 0.1 has an error of 0.061.
    assert change(FlameFrame("f", 0, 0.0, 0.3, 0.2), 100, 100) == ("same", 0)
    # Of 400 each it is 0.030.
    assert change(FlameFrame("f", 0, 0.0, 0.3, 0.2), 400, 400) == ("more", 2)


def waiting() -> Verdict:
    """A verdict whose diagnosis says what threads wait for."""
    waits = Waits(
        level=2,
        users=64,
        few_level=1,
        few_users=2,
        snapshots=9,
        threads=9,
        running=0,
        idle=0,
        in_loop=0,
        parked=0,
        waits=[],
        program="9 of 9 waiting threads are in f (jstack)",
        sentence="of its 9 threads at 64 users, 9 wait for a lock",
    )
    found = of_levels(content().levels)
    assert found is not None
    diagnosis = found.model_copy(update={"waits": waits})
    return content().verdict.model_copy(update={"diagnosis": diagnosis})


def test_few_stacks_are_not_drawn() -> None:
    def at(level: int, number: int) -> LevelStacks:
        return LevelStacks(level, "off", "proc", {("p", "x"): number, ("p", "y"): number})

    found = waiting()
    assert flames([at(1, 25), at(2, 24)], found) == []
    (one,) = flames([at(1, 24), at(2, 25)], found)
    assert (one.users, one.few_users, one.few) == (64, None, None)
    (both,) = flames([at(1, 25), at(2, 25)], found)
    assert (both.few_users, both.seen, both.seen_before) == (2, 50, 50)
    assert flames([at(1, 25), at(2, 25)], content().verdict) == []


def test_what_threads_wait_for_stands_below_the_bottleneck() -> None:
    found = waiting()
    assert found.diagnosis is not None
    for lines in (list(short(found.diagnosis)), list(whole(found.diagnosis))):
        names = [name for name, _ in lines]
        assert names.index("Threads") > names.index("Bottleneck")
        assert ("In the program", "9 of 9 waiting threads are in f (jstack)") in lines
    page = render(replace(content(), verdict=found)).replace("\N{NO-BREAK SPACE}", " ")
    assert "Of its 9 threads at 64 users, 9 wait for a lock." in page


def test_names_of_a_server_are_shown_and_never_obeyed() -> None:
    bad = "</svg><script>x()</script>"
    page = render(replace(content(), flames=[Flame("on", "perf", 1, {("p", bad): 1})]))
    assert "<script>x()" not in page
