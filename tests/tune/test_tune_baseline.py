"""The search before a tuning goes on where a quick one had no time to find a limit."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headcount import workloads
from headcount.bundle import reader
from headcount.bundle.diagnosis import Limit
from headcount.controller import run as controller
from headcount.controller.access import Secrets
from headcount.controller.listener import Silent
from headcount.errors import InputError, MachineLimitError
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.tune.baseline import is_late, measure_of, searched, trial_users
from headcount.tune.goal import parse
from headcount.tune.listener import Unwatched
from headcount.tune.start import Wanted, tune

Play = Callable[..., Sequence[int]]


def found(
    users: int, limit: str = "none", *, at_least: bool = True, stopped: str | None = None
) -> Any:
    capacity = SimpleNamespace(users=users, at_least=at_least)
    diagnosis = SimpleNamespace(limit=limit)
    return SimpleNamespace(
        outcome="passed", capacity=capacity, diagnosis=diagnosis, stopped=stopped
    )


def plan(*, quick: bool = True, most: int | None = None) -> Plan:
    asked = Overrides(search=True, quick=quick, max_users=most)
    return resolve(workloads.load("file-copy"), "lab:samba", asked)


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Plays searches with these answers; returns the users that each begins with."""

    def play(answers: Sequence[Any], asked: Plan) -> Sequence[int]:
        begun: list[int] = []

        def start(each: Plan, *_: object) -> tuple[Path, Any]:
            begun.append(each.search.start_users)
            answer = answers[len(begun) - 1]
            if isinstance(answer, Exception):
                raise answer
            return Path(str(len(begun) - 1)), answer

        monkeypatch.setattr(controller, "start", start)
        monkeypatch.setattr(reader, "load", lambda folder: folder)
        monkeypatch.setattr(
            controller,
            "with_verdict",
            lambda folder: SimpleNamespace(verdict=answers[int(str(folder))]),
        )
        last = searched(asked, Path(), Secrets(), Silent())
        ended = [one for one in answers[: len(begun)] if not isinstance(one, Exception)]
        assert str(last) == str(len(ended) - 1)
        return begun

    return play


def test_searches_go_on_with_twice_the_users_until_a_limit(starts: Play) -> None:
    assert starts([found(320), found(2560, "cpu", at_least=False)], plan()) == [10, 640]
    assert starts([found(320), found(1280), found(5120)], plan()) == [10, 640, 2560]


@pytest.mark.parametrize(
    "answer",
    [
        found(320, "cpu"),
        found(320, at_least=False),
        found(320, stopped="the machine has no more file handles"),
        found(0),
    ],
)
def test_one_search_is_enough_if_another_would_not_help(starts: Play, answer: Any) -> None:
    assert starts([answer], plan()) == [10]


def test_a_full_search_is_not_repeated(starts: Play) -> None:
    assert starts([found(320)], plan(quick=False)) == [10]


def test_searches_end_at_the_maximum_of_users(starts: Play) -> None:
    assert starts([found(320), found(500)], plan(most=500)) == [10, 500]


def test_at_a_limit_of_the_machine_the_last_answer_stays(starts: Play) -> None:
    assert starts([found(320), MachineLimitError("too few ports")], plan()) == [10, 640]


@pytest.mark.parametrize(
    ("goal", "limit", "users"),
    [
        ("capacity", "cpu", 150),
        ("capacity", "refusal", 300),
        ("capacity", "pool", 300),
        ("capacity", "pause", 100),
        ("cost", "refusal", 100),
        ("p95@7", "refusal", 100),
        ("log-on", "cpu", 100),
    ],
)
def test_the_trials_load_goes_beyond_what_the_server_holds(
    goal: str, limit: Limit, users: int
) -> None:
    measure = parse(goal).measure(limit)
    assert trial_users(found(100, limit), limit, measure) == users


def test_a_comparison_with_more_users_than_there_are_is_an_error_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headcount.tune.start.check_nothing_left", lambda _: None)
    few = plan().model_copy(update={"logins": 200})
    wanted = Wanted(parse("capacity"), 60.0, table=[50, 201])
    with pytest.raises(InputError, match="--table names 201 users, and there are 200"):
        tune(few, wanted, tmp_path, Secrets(), Unwatched())
    assert not [*tmp_path.glob("*")]


@pytest.mark.parametrize(
    ("binding", "late"),
    [
        ("p99<=10ms", True),
        ("overload<5%", True),
        ("rate>=50/s", False),
        ("users served", False),
    ],
)
def test_only_response_times_that_broke_are_late(binding: str, late: bool) -> None:
    verdict = found(100, at_least=False)
    verdict.capacity.binding = binding
    assert is_late(verdict) is late
    verdict.capacity.at_least = True
    assert not is_late(verdict)


def run(*failures: tuple[str, str, int], bad: int, log_on: str = "join") -> Any:
    """A run whose last level failed, with these faults and so many scenarios that count as bad."""
    faults = [SimpleNamespace(step=step, kind=kind, count=n) for step, kind, n in failures]
    criteria = [SimpleNamespace(bad=0), SimpleNamespace(bad=bad), SimpleNamespace(bad=None)]
    levels = [
        SimpleNamespace(outcome="passed", faults=[], criteria=criteria[:1]),
        SimpleNamespace(outcome="failed", faults=faults, criteria=criteria),
    ]
    played = SimpleNamespace(workload=SimpleNamespace(run=SimpleNamespace(log_on=log_on)))
    return SimpleNamespace(plan=played, levels=levels)


OPENING = "opening a session"


@pytest.mark.parametrize(
    ("found", "limit", "measure"),
    [
        (run((OPENING, "timeout", 23), bad=23), "cpu", "log_on"),
        (run((OPENING, "timeout", 23), bad=60), "cpu", "rate"),  # most were slow
        (run((OPENING, "login", 23), bad=23), "cpu", "rate"),  # a wrong password
        (run(("read", "timeout", 23), bad=23), "cpu", "rate"),
        (run((OPENING, "timeout", 23), bad=23), "refusal", "rate"),
        (run((OPENING, "timeout", 23), bad=23, log_on="first-scenario"), "cpu", "rate"),
        (run(bad=0), "cpu", "rate"),
    ],
)
def test_log_ons_decide_where_users_fail_to_get_in(found: Any, limit: Limit, measure: str) -> None:
    assert measure_of(parse("capacity"), limit, found) == measure
    assert measure_of(parse("log-on@30"), limit, found) == "log_on"
    assert measure_of(parse("cost"), limit, found) == "cpu"
