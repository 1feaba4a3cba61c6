"""Mistakes in plans and workloads: each is named with its place and the way out."""

from pathlib import Path
from typing import Any

import pytest
from plan_cases import PLAN, WORKLOAD, plan, spoilt, workload

from headcount import workloads
from headcount.errors import InputError
from headcount.plan.plan import load, validate
from headcount.plan.workload import Workload

UNIFORM = {"draw": "uniform", "low": "2s", "high": "1s"}
BAD: list[tuple[str, Any, str]] = [
    ("titel", "x", 'titel: there is no such key; did you mean "title"?'),
    ("run.durations", "1s", 'run.durations: there is no such key; did you mean "duration"?'),
    ("pace.time.maen", "1s", 'pace.time.maen: there is no such key; did you mean "mean"?'),
    ("scenarios.0.limt", "1s", 'scenarios.0.limt: there is no such key; did you mean "limit"?'),
    ("zzz", 1, "zzz: there is no such key"),
    ("run", {}, "run.duration: is missing"),
    ("run.duration", True, "run.duration: it is True; write it like 200ms"),
    ("run.duration", 0, 'run.duration: it is "0s"; it must be from 1s'),
    ("run.duration", "30x", 'run.duration: it is "30x"; write it like 200ms'),
    ("run.duration", "0s", 'run.duration: it is "0s"; it must be from 1s'),
    ("run.step_timeout", "2h", "run.step_timeout: it is"),
    ("run.settle", "5%", "run.settle: it is"),
    ("run.ramp_per_s", 0, "run.ramp_per_s:"),
    ("run.ladder", [], "run.ladder:"),
    ("run.ladder", [1, 0], "run.ladder.1:"),
    ("run.ladder", [10_000_000], "run.ladder.0:"),
    ("scenarios.0.limit", "0s", 'scenarios.0.limit: it is "0s"; it must be from 1us to 1h'),
    ("scenarios.0.weight", float("inf"), "scenarios.0.weight:"),
    ("scenarios.0.weight", 0, "scenarios.0.weight:"),
    ("scenarios.0.name", "a,b", "scenarios.0.name:"),
    ("scenarios.0.name", "all", 'none may be "all"'),
    ("scenarios.0.steps", [], "scenarios.0.steps:"),
    ("scenarios.0.steps.0.name", "a\nb", "scenarios.0.steps.0.name:"),
    ("scenarios", [], "scenarios:"),
    ("scenarios", WORKLOAD["scenarios"] * 2, "scenario names must differ"),
    ("data.file_size", "5XB", 'data.file_size: it is "5XB"; write it like 4096'),
    ("data.file_size", 1.5, "data.file_size: it is 1.5; write it like 4096"),
    ("data.io_range", "2MiB", "io_range (2MiB) must be from 4096 bytes"),
    ("data.io_range", 100, "io_range (100) must be from 4096 bytes"),
    ("pace.time.draw", "gauss", "pace.time.draw:"),
    ("pace.time", {"draw": "fixed"}, "fixed and exponential need mean"),
    ("pace.time", UNIFORM, "low (2s) must not be above high (1s)"),
    ("pace.time.mean", "25h", "up to 24h"),
    (
        "scenarios.0.pause",
        {"draw": "fixed", "maen": "1s"},
        'scenarios.0.pause.maen: there is no such key; did you mean "mean"?',
    ),
    ("scenarios.0.pause", "2s", 'scenarios.0.pause: it is "2s"; write a table'),
    (
        "pace",
        {"kind": "open", "time": {"draw": "fixed", "mean": "0s"}},
        "an open pace needs an interval above 0",
    ),
    ("criteria", [], "at least one criterion"),
    ("criteria", ["p95<=1%"], "write it like 200ms"),
    ("criteria", ["write:p95<=1s"], "it has: read"),
    ("protocol", "apq", 'no protocol "apq"; did you mean "app"?'),
    ("score", {"name": "s", "unit": "u", "weights": [1.0]}, "as many weights as the ladder"),
    ("score", {"name": "s", "unit": "u", "weights": [-1.0]}, "score.weights.0:"),
]


@pytest.mark.parametrize(("path", "value", "part"), BAD, ids=[f"{p}={v}" for p, v, _ in BAD])
def test_a_mistake_is_named_with_its_place(path: str, value: Any, part: str) -> None:
    with pytest.raises(InputError) as caught:
        workload(path, value)
    assert part in str(caught.value)
    assert str(caught.value).startswith("the workload has a mistake:")


@pytest.mark.parametrize("written", [30, "30", "30s"])
def test_a_bare_number_is_seconds_and_kept_with_its_unit(written: Any) -> None:
    assert workload("run.duration", written).run.duration == "30s"


def test_all_mistakes_are_reported_at_once() -> None:
    values = spoilt("run.settle", "5x") | {"titel": "x", "name": "Bad Name"}
    with pytest.raises(InputError) as caught:
        validate(Workload, values, "small.toml")
    text = str(caught.value)
    assert text.startswith("small.toml has 3 mistakes:\n")
    assert all(part in text for part in ("run.settle", "titel", "name:"))


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"levels": []}, "give levels for a ladder, and none for a search"),
        ({"mode": "search"}, "give levels for a ladder, and none for a search"),
        ({"levels": [1, 2]}, 'the mode "level" has one level'),
        ({"levels": [0]}, "levels.0:"),
        ({"levels": [-5]}, "levels.0:"),
        ({"seed": -1}, "seed:"),
        ({"seed": 2**63}, "seed:"),
        ({"workers": 0}, "workers:"),
        ({"scale": 0}, "scale:"),
        ({"scale": float("nan")}, "scale:"),
        ({"target": "host"}, "write http://host"),
        ({"format": 2}, "format:"),
        ({"workesr": 1}, 'workesr: there is no such key; did you mean "workers"?'),
        (
            {"search": {"budgte": "1m"}},
            'search.budgte: there is no such key; did you mean "budget"?',
        ),
        ({"search": {"soak": "0s"}}, "search.soak:"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(changes: dict[str, Any], part: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(**changes)
    assert part in str(caught.value)
    assert str(caught.value).startswith("the plan has a mistake:")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml cannot be read: No such file"):
        load(tmp_path / "none.toml")
    with pytest.raises(InputError, match=r"none\.toml cannot be read"):
        workloads.load(str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_text("a = \n")
    for read in (load, lambda path: workloads.load(str(path))):
        with pytest.raises(InputError, match=r"bad\.toml is not valid TOML: .*line 1"):
            read(tmp_path / "bad.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    for read in (load, lambda path: workloads.load(str(path))):
        with pytest.raises(InputError, match=r"binary\.toml"):
            read(tmp_path / "binary.toml")
    (tmp_path / "typo.toml").write_text("formt = 1\n")
    with pytest.raises(InputError, match=r'formt: there is no such key; did you mean "format"'):
        load(tmp_path / "typo.toml")


def test_an_unknown_workload_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r'no workload "sys60"; did you mean "sys-60"\?'):
        workloads.load("sys60")
    with pytest.raises(InputError, match=r'no workload "zzzz" \(headcount workloads lists them\)'):
        workloads.load("zzzz")


def test_the_case_that_the_others_spoil_is_valid() -> None:
    assert workload().name == "small"
    assert plan().levels == PLAN["levels"]
