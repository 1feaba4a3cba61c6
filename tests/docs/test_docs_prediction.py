"""The worked example of docs/prediction.md, recomputed from the published table."""

import math
import re

import pytest
from fsct_table import ROWS, SHAPES, expected, fitted, left_out
from pages import ROOT

PAGE = re.sub(r"\s+", " ", (ROOT / "docs" / "prediction.md").read_text("utf-8"))


def percent(value: float) -> str:
    return f"{value * 100:.1f}%".replace("-0.0", "0.0")


def test_the_power_law() -> None:
    found, deviation, _ = fitted(list(ROWS.values()))
    gain, slope, new = math.exp(found[0]), found[1], math.exp(found[2])
    assert f"users = {gain:.0f} x disks^{slope:.3f} x {new:.3f} on R2" in PAGE
    assert f"a residual of {percent(deviation)}" in PAGE
    for name in ROWS:
        assert f"{percent(left_out(name))} ({name})" in PAGE


def test_the_server_that_nobody_measured() -> None:
    at, low, high = expected(48, 1)
    assert f"about {at:,.0f} users, 95% prediction interval {low:,.0f} to {high:,.0f}" in PAGE


@pytest.mark.parametrize("name", SHAPES)
def test_the_shapes(name: str) -> None:
    cells = []
    for first, second, third in (("C", "B", "A"), ("F", "E", "D")):
        (a, _, low), (b, _, high), (at, _, users) = (ROWS[row] for row in (first, second, third))
        capacity = SHAPES[name]((a, low), (b, high), at)
        cells.append(f"{capacity:,.0f} ({100 * (capacity / users - 1):+.1f}%)")
    assert f"| {name} | {cells[0]} | {cells[1]} |" in PAGE


def test_the_table_itself() -> None:
    for name, (disks, _, users) in ROWS.items():
        assert re.search(
            rf"\| {name} \| [^|]+ \| {disks} \| {users:,} \| {users / disks:.1f} \|", PAGE
        )


def test_the_bytes() -> None:
    low, high = (10e9 / 8 / each for each in (28.3e3, 27.7e3))
    assert f"about {round(low, -3):,.0f} to {round(high, -3):,.0f} users" in PAGE
    assert f"together at {round(220e6 / 27.7e3, -2):,.0f}." in PAGE
    # Bytes of each disk: users x KB/s of the disk counters over disks.
    for name, each, rate in (("F", 25.7e3, 8.0), ("E", 25.4e3, 4.4), ("D", 26.1e3, 3.1)):
        disks, _, users = ROWS[name]
        assert users * each / disks / 1e6 == pytest.approx(rate, abs=0.05)
        assert f"{disks} at {rate} MB/s" in PAGE or f"{disks} disks at {rate} MB/s" in PAGE
