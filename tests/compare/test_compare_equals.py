"""Between equal servers a difference is "shown" as often as 95 % intervals promise, no more."""

import math
from datetime import timedelta

import numpy as np
import pytest
from runs_made import BEGUN, make

from headcount.analyse.compare.difference import finding
from headcount.analyse.compare.estimate import Estimate, Matched, estimate
from headcount.analyse.compare.figure import sectioned
from headcount.analyse.compare.measured import Measured
from headcount.analyse.compare.pairing import paired
from headcount.bundle import reader
from headcount.bundle.level import LevelResult

TIMES = 1500
BETWEEN, WITHIN = 0.02, 0.05
"""Standard deviations of the logarithm: of a run, and of one of its ten sections."""
METRIC = "cpu.each"
"""A cost answers to the speed of a run as it is."""


@pytest.fixture(scope="module")
def level(tmp_path_factory: pytest.TempPathFactory) -> LevelResult:
    return reader.load(make(tmp_path_factory.mktemp("one") / "run", (20,))).levels[0]


def run(level: LevelResult, stream: np.random.Generator, place: int, at_s: float, log: float):
    """One level of one run, whose speed is off by `log` and by chance."""
    own = log + stream.normal(0, BETWEEN)
    sections = [math.exp(own + error) for error in stream.normal(0, WITHIN, 10)]
    whole = math.exp(float(np.mean(np.log(sections))))
    figure = sectioned(whole, sections)
    assert figure is not None
    moment = (BEGUN + timedelta(seconds=at_s)).isoformat()
    started = level.model_copy(update={"started_at": moment})
    return Measured(place, started, {METRIC: figure}, {})


def estimated(
    level: LevelResult, stream: np.random.Generator, order: str, drift: float = 0.0
) -> Estimate:
    made: dict[str, list[Measured]] = {"A": [], "B": []}
    for number, name in enumerate(order):
        one = run(level, stream, len(made[name]), 60.0 * number, drift * number / len(order))
        made[name].append(one)
    pairs = paired(made["A"], made["B"])
    found = estimate(METRIC, Matched(made["A"], made["B"], pairs, ([], [])))
    assert found is not None
    return found


def shown(level: LevelResult, order: str, drift: float = 0.0) -> tuple[float, str | None]:
    """How often a difference is shown between equals, and by which method."""
    stream = np.random.default_rng(7)
    number = 0
    for _ in range(TIMES):
        found = estimated(level, stream, order, drift)
        assert found.log is not None
        number += finding("lower", (found.log.low, found.log.high)) != "no difference shown"
    return number / TIMES, found.method


@pytest.mark.parametrize(
    ("order", "method"),
    [
        ("AB", "sections"),
        ("AAABBB", "runs"),
        ("AAAAAABBBBBB", "runs"),
        ("ABBAAB", "pairs"),
        ("ABBAABBAABBA", "pairs"),
    ],
)
def test_equal_servers_differ_one_time_in_twenty(
    level: LevelResult, order: str, method: str
) -> None:
    # 1,500 trials at 5 % have a standard deviation of 0.56 %.
    share, by = shown(level, order)
    assert by == method
    assert 0.033 <= share <= 0.067


def test_two_runs_of_each_are_moderated_by_the_usual_spread(level: LevelResult) -> None:
    share, by = shown(level, "AABB")
    assert by == "sections"
    assert share <= 0.067


def test_drift_cancels_in_pairs_and_not_in_blocks(level: LevelResult) -> None:
    in_turns, _ = shown(level, "ABBAABBAABBA", drift=0.10)
    in_blocks, _ = shown(level, "AAAAAABBBBBB", drift=0.10)
    assert in_turns <= 0.067
    assert in_blocks > 0.5


def test_a_real_difference_is_shown(level: LevelResult) -> None:
    stream = np.random.default_rng(3)
    seen = 0
    for _ in range(200):
        made: dict[str, list[Measured]] = {"A": [], "B": []}
        for number, name in enumerate("ABBAABBAABBA"):
            log = math.log(0.90) if name == "B" else 0.0
            made[name].append(run(level, stream, number, 60.0 * number, log))
        found = estimate(METRIC, Matched(made["A"], made["B"], paired(**_sides(made)), ([], [])))
        assert found is not None
        assert found.log is not None
        seen += finding("lower", (found.log.low, found.log.high)) == "better"
    # Six pairs, whose log ratio has a standard deviation of 3.6 %: 10.5 % is 7 standard errors.
    assert seen >= 195


def _sides(made: dict[str, list[Measured]]) -> dict[str, list[Measured]]:
    return {"first": made["A"], "second": made["B"]}
