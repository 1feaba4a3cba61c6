"""The gate: what fails it, what passes, what it leaves open, and what programs get."""

import math
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from runs_made import Server, make, refuse
from scipy.stats import nct, t

from headcount.analyse.compare.compare import compare
from headcount.analyse.compare.comparison import Comparison
from headcount.analyse.compare.gate import Gate, Judgement, judge, margins
from headcount.analyse.compare.metrics import METRICS
from headcount.analyse.compare.subject import side
from headcount.errors import InputError
from headcount.plan.resolve import Overrides
from headcount.report.compare.junit import annotations, junit


def searched(tmp_path: Path, ratio: float, error: float) -> Comparison:
    """Two searches: capacities 1,000 and `ratio` of it, whose ratio has this standard error."""
    each = math.exp(1.959964 * error / math.sqrt(2))
    sides = []
    for place, (name, held) in enumerate((("baseline", 1000.0), ("this run", 1000.0 * ratio))):
        bounds = (held, held / each, held * each)
        path = make(tmp_path / f"{place}", (10,), capacity=bounds, begun_s=60 * place, seed=5)
        sides.append(side(name, [path]))
    return compare(sides)


def of_capacity(gate: Gate) -> Judgement:
    return next(one for one in gate.judgements if one.metric == "capacity")


@pytest.mark.parametrize(
    ("ratio", "error", "outcome"),
    [
        (0.90, 0.010, "regression"),  # 0.883 to 0.918: all below 0.97
        (0.95, 0.010, "regression"),  # 0.932 to 0.969
        (0.95, 0.011, "inconclusive"),  # 0.930 to 0.971
        (1.00, 0.015, "passed"),  # 0.971 to 1.030
        (1.00, 0.020, "inconclusive"),  # 0.962 to 1.040
        (1.10, 0.020, "passed"),
    ],
)
def test_a_regression_must_be_shown_beyond_the_margin(
    tmp_path: Path, ratio: float, error: float, outcome: str
) -> None:
    gate = judge(searched(tmp_path, ratio, error), margins([]))
    assert of_capacity(gate).outcome == outcome
    assert of_capacity(gate).margin == 0.03


def test_an_inconclusive_gate_names_the_pairs_needed(tmp_path: Path) -> None:
    gate = judge(searched(tmp_path, 1.0, 0.02), margins([]))
    pairs = of_capacity(gate).pairs
    assert pairs is not None

    def power(count: int) -> float:
        away = abs(math.log(0.97)) / 0.02 * math.sqrt(count)
        limit = t.ppf(0.975, count - 1)
        return float(nct.sf(limit, count - 1, away) + nct.cdf(-limit, count - 1, away))

    assert power(pairs) >= 0.8 > power(pairs - 1)
    assert (
        f"{pairs} pairs of alternating runs would show such a difference"
        in of_capacity(gate).sentence
    )


def test_response_times_may_get_worse_by_a_tenth_and_throughput_by_three_per_cent() -> None:
    found = margins([])
    assert (found["throughput"], found["capacity"], found["response.p95"]) == (0.03, 0.03, 0.10)
    assert "cpu.each" not in found
    assert set(found) == {one.id for one in METRICS if one.margin is not None}


def test_a_metrics_own_margin_overrides_that_of_all() -> None:
    found = margins([("response.p95", 0.2), (None, 0.05), ("cpu.each", 0.01)])
    assert (found["throughput"], found["response.p95"], found["cpu.each"]) == (0.05, 0.2, 0.01)


@pytest.mark.parametrize("wanted", [("nothing", 0.1), (None, 1.0), (None, -0.1)])
def test_wrong_margins_are_refused(wanted: tuple[str | None, float]) -> None:
    with pytest.raises(InputError):
        margins([wanted])


def test_a_slower_server_fails_and_says_by_how_much(tmp_path: Path) -> None:
    base = side("baseline", [make(tmp_path / "a", (20,), Server(noise=0.02))])
    slow = Server(speed=0.5, noise=0.02)
    head = side("this run", [make(tmp_path / "b", (20,), slow, seed=2, begun_s=60)])
    gate = judge(compare([base, head]), margins([]))
    assert gate.outcome == "regression"
    bad = {one.metric for one in gate.judgements if one.outcome == "regression"}
    assert {"response.mean", "response.p50", "response.p95"} <= bad
    assert gate.sentence.startswith("Regression: ")
    better = judge(compare([head, base]), margins([]))
    assert better.outcome != "regression"


def test_unlike_runs_cannot_be_compared(tmp_path: Path) -> None:
    a = side("baseline", [make(tmp_path / "a", (10,))])
    other = Overrides(seed=7, think="3s")
    b = side("this run", [make(tmp_path / "b", (10,), overrides=other, begun_s=60)])
    with pytest.raises(InputError, match="cannot be compared with baseline: pace differs"):
        judge(compare([a, b]), margins([]))


def test_levels_too_short_to_judge_do_not_pass(tmp_path: Path) -> None:
    a, b = (
        side(name, [make(tmp_path / name, (10,), seconds=4, begun_s=at)])
        for name, at in (("baseline", 0), ("head", 60))
    )
    with pytest.raises(InputError, match="nothing to judge"):
        judge(compare([a, b]), margins([]))


def test_a_single_figure_and_a_single_user_are_singular(tmp_path: Path) -> None:
    sides = [
        side(name, [make(tmp_path / name, (1,), begun_s=60 * place)])
        for place, name in enumerate(("baseline", "head"))
    ]
    found = compare(sides)
    (throughput,) = [one for one in found.differences if one.metric == "throughput"]
    alone = {"differences": [throughput.model_copy(update={"interval": (0.99, 1.01)})]}
    assert judge(found.model_copy(update=alone), margins([])).sentence == (
        "No regression: the only figure is within its margin."
    )
    wide = {"differences": [throughput.model_copy(update={"interval": (0.9, 1.01)})]}
    assert judge(found.model_copy(update=wide), margins([])).sentence.startswith(
        "No regression shown, but 1 of 1 figure may be worse than its margin"
    )
    others = make(tmp_path / "more", (1, 2), begun_s=180)
    doubts = compare([sides[0], side("more", [others])]).doubts
    assert any("compared only at 1 user, which both measured" in doubt for doubt in doubts)


def test_a_server_that_refuses_everything_fails(tmp_path: Path) -> None:
    base = side("baseline", [make(tmp_path / "a", (10, 20))])
    head = side("this run", [refuse(make(tmp_path / "b", (10, 20), begun_s=60), 20)])
    gate = judge(compare([base, head]), margins([]))
    assert gate.outcome == "regression"
    assert gate.sentence.startswith("Regression: Throughput at 20 users is 0/s against 19.")
    (silent,) = [one for one in gate.judgements if one.users == 20]
    assert (silent.metric, silent.ratio, silent.outcome) == ("throughput", 0.0, "regression")
    repaired = judge(compare([head, base]), margins([]))
    assert all(one.users == 10 for one in repaired.judgements)


def test_a_server_that_holds_nobody_any_more_fails(tmp_path: Path) -> None:
    """A few errors at any load leave throughput and times as they were, and no capacity."""
    base = side("baseline", [make(tmp_path / "a", (10, 20), capacity=(25.0, 24.0, 26.0))])
    path = make(tmp_path / "b", (10, 20), begun_s=60, outcome="failed")
    head = side("this run", [path])
    gate = judge(compare([base, head]), margins([]))
    assert gate.outcome == "regression"
    assert gate.sentence == "Regression: Capacity: no level passed, against 24 users."
    found = compare([base, head])
    assert found.finding == "worse"
    assert found.sentence == (
        "this run is worse than baseline: no level of this run passed, and baseline holds 24 users."
    )
    assert compare([head, base]).finding == "better"
    still = side("still", [make(tmp_path / "c", (10, 20), begun_s=60)])
    assert "no level" not in compare([base, still]).sentence
    beyond = side("beyond", [make(tmp_path / "d", (20, 30, 40), begun_s=60, outcome="failed")])
    assert "no level" not in compare([base, beyond]).sentence  # only one is within the capacity


def test_junit_has_a_case_for_each_figure(tmp_path: Path) -> None:
    gate = judge(searched(tmp_path, 0.9, 0.01), margins([]))
    suite = ET.fromstring(junit(gate))  # noqa: S314 - our own
    cases = {case.attrib["name"]: case for case in suite.iter("testcase")}
    assert set(cases) == {one.name for one in gate.judgements}
    assert int(suite.attrib["tests"]) == len(gate.judgements)
    failed = [case for case in cases.values() if case.find("failure") is not None]
    open_ = [case for case in cases.values() if case.find("skipped") is not None]
    assert int(suite.attrib["failures"]) == len(failed) >= 1
    assert int(suite.attrib["skipped"]) == len(open_)
    failure = cases["capacity"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == of_capacity(gate).sentence == failure.text


def test_annotations_are_commands_of_a_workflow(tmp_path: Path) -> None:
    gate = judge(searched(tmp_path, 0.9, 0.01), margins([]))
    lines = annotations(gate).splitlines()
    assert lines[-1].startswith("::notice title=headcount gate::")
    error = next(line for line in lines if line.startswith("::error title=capacity::"))
    assert "10.0%25 less" in error
    assert "% " not in error
    assert all(line.startswith("::") for line in lines)


def test_texts_of_servers_cannot_break_out_of_the_markup(tmp_path: Path) -> None:
    gate = judge(searched(tmp_path, 0.9, 0.01), margins([]))
    evil = "<x>&\"'\n::error::no\x1b"
    bad = gate.judgements[0].model_copy(update={"name": evil, "sentence": evil})
    gate = gate.model_copy(update={"judgements": [bad], "sentence": evil})
    suite = ET.fromstring(junit(gate))  # noqa: S314 - our own
    assert next(suite.iter("testcase")).attrib["name"].startswith("<x>&\"'")
    assert len(annotations(gate).splitlines()) == 2
