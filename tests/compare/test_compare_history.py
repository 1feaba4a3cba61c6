"""Runs over time: series of like runs, changes and what differs there, what is left out."""

import json
import random
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from runs_made import Server, make

from headcount.analyse.compare.history import History, Series, history
from headcount.bundle import reader
from headcount.bundle.price import Price
from headcount.plan.resolve import Overrides

DAY_S = 86_400.0


def night(folder: Path, number: int, held: float, **more: object) -> Path:
    bounds = (held, held * 0.975, held * 1.025)
    return make(
        folder / f"night-{number:02}", (10,), Server(), number, seconds=5,
        begun_s=DAY_S * number, capacity=bounds, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def followed(folders: list[Path]) -> History:
    return history([reader.load(folder) for folder in folders])


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], Series]:
    """Twenty nights; from the twelfth on another program, and 8 % less capacity."""
    folder, stream = tmp_path_factory.mktemp("nights"), random.Random(11)
    bundles = [
        night(
            folder,
            number,
            1000 * (0.92 if number >= 12 else 1.0) * stream.gauss(1, 0.01),
            program="2.0" if number >= 12 else "1.0",
        )
        for number in range(20)
    ]
    return bundles, followed(bundles[::-1]).series[0]


def test_a_change_is_found_where_it_was_made(nights: tuple[list[Path], Series]) -> None:
    bundles, series = nights
    (change,) = [one for one in series.changes if one.metric == "capacity"]
    assert (change.run, change.bundle) == (12, str(bundles[12]))
    assert change.runs == (12, 8)
    assert change.interval[0] < 0.92 < change.interval[1]
    assert change.finding == "worse"
    values = [run.readings["capacity"].value for run in series.runs]
    product = 1.0
    for value in values[12:]:
        product *= value ** (1 / 8)
    assert change.after == pytest.approx(product)


def test_what_differs_at_a_change_is_reported(nights: tuple[list[Path], Series]) -> None:
    _, series = nights
    (change,) = [one for one in series.changes if one.metric == "capacity"]
    assert change.unlike == ["server program differs (before server 1.0; now server 2.0)"]
    assert [bool(run.unlike) for run in series.runs] == [n == 12 for n in range(20)]
    assert "changed once over 20 runs" in series.sentence


def test_runs_are_in_the_order_of_time(nights: tuple[list[Path], Series]) -> None:
    bundles, series = nights
    assert [run.bundle for run in series.runs] == [str(path) for path in bundles]


def test_nothing_is_found_where_nothing_changed(tmp_path: Path) -> None:
    stream = random.Random(5)
    bundles = [night(tmp_path, number, 1000 * stream.gauss(1, 0.01)) for number in range(12)]
    series = followed(bundles).series[0]
    assert [one for one in series.changes if one.metric == "capacity"] == []
    assert series.sentence == "Capacity did not change measurably over 12 runs."


def test_few_runs_cannot_show_a_change(tmp_path: Path) -> None:
    series = followed([night(tmp_path, number, 1000) for number in range(3)]).series[0]
    assert "too few to find a change; that takes 11 at least" in series.sentence


def test_unlike_runs_are_separate_series(tmp_path: Path) -> None:
    bundles = [
        night(tmp_path, 0, 1000),
        night(tmp_path, 1, 1000, overrides=Overrides(seed=7, think="3s")),
        night(tmp_path, 2, 1000, overrides=Overrides(seed=7, criteria=["p95<=2s"])),
        night(tmp_path, 3, 1000, overrides=Overrides(seed=8)),  # a seed is reported, but the same
    ]
    found = followed(bundles)
    assert [len(series.runs) for series in found.series] == [2, 1, 1]
    assert found.series[0].runs[1].unlike[0].startswith("seed differs (before 7; now 8)")


def test_a_run_without_figures_is_reported_and_left_out(tmp_path: Path) -> None:
    bundles = [night(tmp_path, number, 1000) for number in range(3)]
    for name in ("verdict.json", "levels.json"):
        (bundles[1] / name).unlink()
    series = followed(bundles).series[0]
    broken = next(run for run in series.runs if run.bundle == str(bundles[1]))
    assert (broken.outcome, broken.readings) == ("killed", {})
    assert "1 of 3 runs has no valid figure and is left out" in series.doubts


def test_levels_are_followed_at_the_users_that_most_runs_have(tmp_path: Path) -> None:
    bundles = [make(tmp_path / "a", (10, 30), seconds=5)]
    bundles += [make(tmp_path / f"b{n}", (10,), seconds=5, begun_s=60 * n) for n in (1, 2)]
    series = followed(bundles).series[0]
    assert series.users == 10
    rates = [run.readings["throughput"].value for run in series.runs]
    levels = [json.loads((one / "levels.json").read_text("utf-8"))["levels"][0] for one in bundles]
    assert rates == [level["achieved_per_s"] for level in levels]


def test_prices_are_followed_in_one_currency(tmp_path: Path) -> None:
    bundles = []
    for number, currency in enumerate(("EUR", "USD", "USD")):
        bundle = reader.load(night(tmp_path, number, 1000))
        assert bundle.verdict is not None
        price = Price.model_construct(currency=currency, amount=Decimal(500))
        priced = bundle.verdict.model_copy(update={"price": price})
        bundles.append(replace(bundle, verdict=priced))
    series = history(bundles).series[0]
    prices = [run.readings["price"].value for run in series.runs if "price" in run.readings]
    capacity = series.runs[0].readings["capacity"].value
    assert prices == [500 / capacity, 500 / capacity]
    assert "1 of 3 prices is left out: the last one is in USD" in series.doubts
