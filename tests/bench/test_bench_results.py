"""A file of results holds each round, is read back as written, and is refused if it is wrong."""

import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from bench.gate.results import BadResultsError, newest, ratios, read
from gate_files import measured, results
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.floats(min_value=1e-9, max_value=1e12)


@given(
    ours=st.lists(VALUES, max_size=9),
    peer=st.lists(VALUES, max_size=9),
    bar=st.none() | VALUES,
    reason=st.text(max_size=40),
)
def test_results_are_read_back_as_written(
    tmp_path_factory: pytest.TempPathFactory,
    ours: list[float],
    peer: list[float],
    bar: float | None,
    reason: str,
) -> None:
    path = tmp_path_factory.mktemp("results") / "made" / "1.2.0.json"
    item = measured("one", ours, peer, bar, missing={"other": reason}, failure=reason or None)
    written = results(item)
    written.write(path)
    assert read(path) == written
    assert [one.name for one in path.parent.iterdir()] == ["1.2.0.json"]


def test_ratios_are_those_of_a_round_and_can_be_computed_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "1.0.0.json"
    # The peer failed in the last round.
    results(measured("one", [2.0, 3.0, 8.0], [4.0, 2.0], bar=4.0)).write(path)
    by_reference = {one.reference: one for one in ratios(read(path).items[0])}
    assert by_reference["peer"].values == (0.5, 1.5)
    assert by_reference["bar"].values == (0.5, 0.75, 2.0)
    rounds = json.loads(path.read_text("utf-8"))["items"][0]["rounds"]
    again = [one["headcount"]["CPU"] / one["peer"]["CPU"] for one in rounds if "peer" in one]
    assert statistics.median(by_reference["peer"].values) == statistics.median(again)


def test_an_item_with_neither_rounds_nor_bar_has_no_ratio() -> None:
    assert list(ratios(measured("one", [], bar=1.0))) == []
    assert list(ratios(measured("one", [1.0, 2.0]))) == []


def values_of(path: Path) -> dict[str, Any]:
    results(measured("one", [1.0], bar=1.0)).write(path)
    values: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return values


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("format", 2, "format"),
        ("version", None, "version"),
        ("items", [{}], "items.0.name"),
        ("surplus", 1, "surplus"),
    ],
)
def test_a_file_with_a_wrong_key_is_refused_by_its_name(
    tmp_path: Path, key: str, value: object, place: str
) -> None:
    path = tmp_path / "1.0.0.json"
    path.write_text(json.dumps(values_of(path) | {key: value}), "utf-8")
    with pytest.raises(BadResultsError, match=rf"1\.0\.0\.json does not hold results: {place}"):
        read(path)


@pytest.mark.parametrize("value", ["0", "-1", "NaN", "Infinity", '"fast"', "null"])
def test_a_figure_that_cannot_be_part_of_a_ratio_is_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "1.0.0.json"
    text = json.dumps(values_of(path)).replace('{"CPU": 1.0}', f'{{"CPU": {value}}}')
    path.write_text(text, "utf-8")
    with pytest.raises(BadResultsError, match=r"items.0.rounds.0.headcount.CPU"):
        read(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\0", "\N{SNOWMAN}"])
def test_a_file_that_does_not_hold_results_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, "utf-8")
    with pytest.raises(BadResultsError, match=r"bad\.json does not hold results"):
        read(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadResultsError, match=r"cannot read .*No such file"):
        read(tmp_path / "none.json")


def test_the_newest_other_version_is_the_highest_number(tmp_path: Path) -> None:
    assert newest(tmp_path) is None
    for version in ("0.9.1", "0.10.0", "0.2.0"):
        (tmp_path / f"{version}.json").touch()
    (tmp_path / "0.11.0.part").touch()
    found = [newest(tmp_path, other_than) for other_than in ("", "0.2.0", "0.10.0")]
    assert [one.stem for one in found if one] == ["0.10.0", "0.10.0", "0.9.1"]
