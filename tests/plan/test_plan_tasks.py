"""Tasks in workload files: criteria, scores and marks that name them."""

import json
from pathlib import Path
from typing import Any

import pytest
from plan_cases import WORKLOAD, plan, spoilt

from headcount import _engine
from headcount.bundle.writer import BundleWriter
from headcount.controller.listener import Silent
from headcount.controller.session import Session
from headcount.errors import InputError, PlanError
from headcount.generator.players import Here
from headcount.plan.criteria import parse, parse_all
from headcount.plan.plan import validate
from headcount.plan.tasks import check_played
from headcount.plan.workload import Workload

SCORE = {"name": "Score", "weights": {"look": 10, "change": 2}}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the protocol of the tests' workload the tasks of the null protocol."""
    names = _engine.task_names
    monkeypatch.setattr(
        _engine, "task_names", lambda name: names("null" if name == "app" else name)
    )


def unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine have no protocol at all, as far as its tasks are asked for."""

    def names(name: str) -> list[str]:
        raise PlanError(f'no protocol "{name}"')

    monkeypatch.setattr(_engine, "task_names", names)


def workload_with(path: str, value: Any, *others: tuple[str, Any]) -> Workload:
    values = spoilt(path, value)
    for place, other in others:
        values = spoilt(place, other, values)
    return validate(Workload, values, "the workload")


def assert_refused(path: str, value: Any, part: str, *others: tuple[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        workload_with(path, value, *others)
    assert part in str(caught.value)


def test_criteria_may_name_tasks() -> None:
    texts = ["look:p95<=1s", "change:mean<1s", "look:errors<1%", "read:overload<1%"]
    workload = workload_with("criteria", texts)
    assert [each.scenario for each in workload.parsed_criteria] == [
        "look",
        "change",
        "look",
        "read",
    ]
    assert workload.named_tasks == {"look", "change"}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("lok:p95<=1s", 'are: look, change; did you mean "look"?'),
        ("look:overload<1%", "a task has no limit, no due time and no bytes"),
        ("look:achieved>=90%", "a task has no limit, no due time and no bytes"),
        ("score<=1s", "needs the weights of tasks in a [task_score]"),
    ],
)
def test_criteria_that_tasks_cannot_have_are_refused(text: str, part: str) -> None:
    assert_refused("criteria", [text], part)


def test_the_score_has_a_time_and_no_task() -> None:
    criterion = parse("score<=1s")
    assert (criterion.metric, criterion.limit, criterion.allowed_share) == ("score", 1.0, None)
    for text, part in (
        ("read:score<=1s", "write score<=1s"),
        ("score<=5%", "write it like 200ms"),
        ("score>=1s", "must be written with <="),
        ("score<=2h", "never be met or broken"),
    ):
        with pytest.raises(InputError, match=part):
            parse(text)
    assert workload_with("criteria", ["score<=1s"], ("task_score", SCORE)).task_score is not None


def test_names_of_scenarios_and_groups_must_not_be_those_of_tasks() -> None:
    assert_refused("scenarios.0.name", "look", '"look" is the name of a task of the protocol "app"')
    assert_refused(
        "groups", {"change": ["read"]}, '"change" is the name of a task of the protocol "app"'
    )


def test_tasks_of_an_unknown_protocol_are_checked_during_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unknown(monkeypatch)
    workload = workload_with("criteria", ["delivery:p95<=60s", "read:p95<=1s"])
    assert workload.named_tasks == {"delivery"}
    check_played(workload.named_tasks, ["delivery", "LOGIN"])
    with pytest.raises(InputError, match=r'did you mean "deliver"\?; .* are: deliver'):
        check_played(workload.named_tasks, ["deliver"])
    with pytest.raises(InputError, match="has no limit"):
        parse_all(["delivery:overload<1%"], ["read"], None)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"weights": {}}, "at least 1 item"),
        ({"weights": {"look": 0}}, "greater than 0"),
        ({"weights": {"read": 1}}, 'task_score.weights: "read" names a task that'),
        ({"weights": {"looks": 1}}, 'are: look, change; did you mean "look"?'),
        ({"percentile": 100}, "less than 100"),
        ({"unit": "s"}, "task_score.unit"),
        ({"kind": "mean"}, "there is no such key"),
    ],
)
def test_invalid_scores_are_refused(change: dict[str, Any], part: str) -> None:
    assert_refused("task_score", SCORE | change, part)


def test_a_run_has_one_score() -> None:
    other = {"name": "mean", "unit": "transactions/s"}
    assert_refused("task_score", SCORE, "exclude each other", ("score", other))


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"count": []}, "at least 1 item"),
        ({"count": ["read", "read"]}, "counted twice"),
        ({"count": ["rad"]}, "it has: read; the tasks of its protocol are: look, change"),
    ],
)
def test_invalid_marks_are_refused(change: dict[str, Any], part: str) -> None:
    assert_refused("marks", change, part)


def test_a_plan_keeps_score_and_marks() -> None:
    values = spoilt("task_score", SCORE)
    values = spoilt("marks", {"name": "Marks, tasks a minute", "count": ["look", "read"]}, values)
    values["criteria"] = ["score<=1s"]
    one = plan(workload=values)
    again = type(one).model_validate(one.model_dump(exclude_none=True))
    assert again == one
    assert one.workload.named_tasks == {"look", "change"}
    assert "[workload.task_score.weights]" in one.to_toml()
    assert one.workload.task_score is not None
    assert one.workload.marks is not None
    assert one.workload.task_score.text == "Score (ms), p95 of tasks by weight: look 10, change 2"
    assert one.workload.marks.text == "Marks, tasks a minute: completions per minute of look, read"
    assert WORKLOAD["criteria"] == ["p95<=1s", "errors<1%"]


def test_a_run_ends_before_its_first_user_when_a_name_is_no_task(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unknown(monkeypatch)
    one = plan(workload=spoilt("criteria", ["delivery:p95<=60s"]))
    target = {"address": "127.0.0.1:9", "file_bytes": 4096, "range_bytes": 4096, "seed": 1}
    bundle = BundleWriter(tmp_path)
    with pytest.raises(InputError, match=r'"delivery" is neither .* tasks are: none'):
        Session(one, Here(one, json.dumps(target)), [], bundle, Silent(), 0.0)
    bundle.close()
