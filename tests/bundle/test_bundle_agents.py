"""Who played the users, according to events: losses, resumed runs, and malformed events."""

from typing import Any

import pytest

from headcount.bundle.agents import Moment, fleets, machines_at


def agents(*numbers: int, machine: str = "load") -> dict[str, Any]:
    listed = [{"number": one, "machine": f"{machine}{one}", "cpus": 4} for one in numbers]
    return {"event": "agents", "agents": listed}


def level(number: int, users: int) -> list[dict[str, Any]]:
    return [
        {"event": "level-start", "level": number, "users": users},
        {"event": "level-end", "level": number},
    ]


LOST = {"event": "agents-lost", "message": "agent 2 (load2) was lost"}


def test_an_agent_is_lost_at_the_level_under_way() -> None:
    start, end = level(2, 200)
    first, second = fleets([agents(1, 2, 3), *level(1, 100), start, LOST, agents(1, 3), end])
    assert (list(first.agents), first.since, first.lost) == ([1, 2, 3], Moment(), frozenset())
    assert (second.since, second.lost) == (Moment(2, 200, is_during=True), {2})
    assert second.agents[3].machine == "load3"
    assert second.agents[3].cpus == 4


def test_an_agent_is_lost_between_levels() -> None:
    events = [agents(1, 2), *level(1, 100), LOST, agents(1), *level(2, 50)]
    assert fleets(events)[-1].since == Moment(1, 100)


def test_a_resumed_run_may_have_fewer_agents_and_has_lost_none() -> None:
    events = [agents(1, 2), *level(1, 100), {"event": "resumed"}, agents(1, machine="new")]
    assert not fleets(events)[-1].lost
    assert machines_at([*events, *level(2, 50)], 1) == {1: "load1", 2: "load2"}
    assert machines_at([*events, *level(2, 50)], 2) == {1: "new1"}


def test_a_restarted_level_has_the_machines_of_its_last_start() -> None:
    events = [agents(1), *level(1, 9), agents(1, machine="new"), *level(1, 9)]
    assert machines_at(events, 1) == {1: "new1"}
    assert machines_at(events, 4) == {}


def test_one_process_has_no_agents() -> None:
    assert fleets(level(1, 5)) == []


@pytest.mark.parametrize(
    "listed",
    [
        None,
        "agents",
        {"number": 1},
        [None, 1, "1", [], {}],
        [{"number": one} for one in (True, "1", 1.0, -1, 0, None, 1 << 40, [1])],
    ],
)
def test_malformed_agents_are_left_out(listed: Any) -> None:
    (found,) = fleets([{"event": "agents", "agents": listed}])
    assert found.agents == {}


def test_fields_of_the_wrong_type_are_unknown() -> None:
    odd = {"machine": 7, "host": [], "cpus": "4", "workers": 1.5, "late_ms": True}
    (found,) = fleets(
        [{"event": "agents", "agents": [{"number": 1, **odd, "clock_error_ms": float("nan")}]}]
    )
    one = found.agents[1]
    known = (one.machine, one.host, one.cpus, one.workers, one.late_ms, one.clock_error_ms)
    assert known == (None,) * 6
    start = {"event": "level-start", "level": "1", "users": [3]}
    assert fleets([start, agents(1)])[0].since == Moment(is_during=True)
