"""The papers' examples that no rule carries, each id where the page says it lives, the page."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from headcount.analyse.rules import nineties, reference
from headcount.analyse.rules.library import builtin
from headcount.storage import gain
from headcount.workloads import load

ROOT = Path(__file__).parents[2]


def test_memory_of_connections_and_shares() -> None:  # T-21
    assert nineties.pool_bytes(10_000) == nineties.PoolBytes(5_000_000, 5_000_000)
    assert nineties.pool_bytes(0, shares=8_000) == nineties.PoolBytes(2_000_000, 0)
    assert nineties.pool_bytes(0, resources=1_000) == nineties.PoolBytes(100_000, 8_000)


def test_throughput() -> None:  # T-22
    assert nineties.megabits_per_s(39) == 312
    assert pytest.approx(42.9) == 39 * 1.1  # Windows 2000, "approximately 43"


def test_goals_of_the_response_times() -> None:  # T-20
    assert {"files-64k:mean<=1s", "files-1m:mean<=5s"} <= {
        one.replace(" ", "") for one in load("file-copy").criteria
    }


@pytest.mark.parametrize(
    ("before_s", "saved", "after_s"),
    [
        (215.0, 0.36, 137.6),
        (94.4, 0.287, 67.3),
        (86.4, 0.23, 66.6),
        (113.9, 0.192, 92.0),
        (92.0, 0.25, 69.0),
        (67.3, 0.02, 65.9),
        (66.6, 0.02, 65.2),
    ],
)
def test_what_a_second_and_fourth_drive_saved(before_s, saved, after_s) -> None:  # S-10
    assert before_s * (1 - saved) == pytest.approx(after_s, abs=0.15)
    assert gain.time_saved(before_s, after_s) == pytest.approx(saved, abs=0.002)


def test_megabytes_of_the_paper_are_decimal() -> None:  # U-08
    assert round(20_152_320 / 1e6) == 20
    assert round(20_152_320 / 2**20) == 19


def test_the_cache_size_in_the_registry() -> None:
    assert f"{512:x}" == "200"
    assert "hexadecimal 200" in builtin().advice["A-23"].text


def test_every_id_has_its_place() -> None:
    most = {"U": 8, "D": 14, "R": 16, "M": 12, "I": 5, "C": 6, "S": 14, "A": 27, "B": 5, "T": 36}
    wanted = [f"{letter}-{n:02}" for letter, last in most.items() for n in range(1, last + 1)]
    assert sorted(reference.ids()) == sorted(wanted)
    library = builtin()
    for name, place in reference.ids().items():
        if place["as"] == "rule":
            assert name in library.rules
        elif place["as"] in {"advice", "knob", "of its time"}:
            assert name in library.advice
        else:
            assert (ROOT / place["at"]).is_file()
        if place["as"] == "formula":
            text = (ROOT / place["at"]).read_text("utf-8")
            numbers = re.findall(rf"{name[0]}-(\d\d)(?: to {name[0]}-(\d\d))?", text)
            ranges = [(int(a), int(b or a)) for a, b in numbers]
            assert any(a <= int(name[2:]) <= b for a, b in ranges), name


def test_the_page_is_current() -> None:
    how = "run: python -m headcount.analyse.rules.reference > docs/rules.md"
    assert (ROOT / "docs" / "rules.md").read_text("utf-8") == reference.page(), how


def test_advice_is_given_by_a_rule_or_has_another_place() -> None:
    library = builtin()
    given = {name for rule in library.rules.values() for name in rule.advice}
    places = {name: place["as"] for name, place in reference.ids().items()}
    assert {name for name, kind in places.items() if kind == "advice"} <= given
    asked = {"N-50", "N-51", "N-52"}  # printed where no rule holds
    for name in set(library.advice) - given - asked:
        assert places[name] in {"knob", "of its time", "program"}, name
    outdated = {name for name, kind in places.items() if kind == "of its time"}
    assert not {name for name in outdated if name in given or library.advice[name].holds}


def test_no_file_of_rules_is_left_out() -> None:
    folder = files("headcount.analyse.rules").joinpath("data")
    rules = 0
    for path in folder.iterdir():
        rules += len(tomllib.loads(path.read_text("utf-8")).get("rule", []))
    assert rules == len(builtin().rules)
