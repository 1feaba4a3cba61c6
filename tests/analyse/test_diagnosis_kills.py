"""OOM kills in any second of a level are the limit."""

from typing import Any

import pytest
from diagnosis_levels import QUIET, Server, level, seconds
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.analyse.diagnosis.kills import HOST, OWN, Kills, kills

ALIVE = {"process.count": 10.0}
LIMIT = {"cgroup.memory.limit": 24e6}


def second(
    level: int, phase: str = "steady", length_s: float = 1.0, **sides: Any
) -> dict[str, Any]:
    scenarios = {"all": {"completed": 10, "service_s": 0.1}}
    return {
        "t_s": 0.0,
        "seconds": length_s,
        "level": level,
        "phase": phase,
        "scenarios": scenarios,
        "counters": sides,
    }


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.floats(0.9, 1.2), st.sampled_from(["ramp", "steady"])),
        max_size=20,
    )
)
def test_rates_add_up_to_the_number_of_kills(parts: list[tuple[int, float, str]]) -> None:
    """Whatever the length and the phase of the seconds."""
    made = [
        second(1, phase, length_s, sut=ALIVE | {OWN: number / length_s})
        for number, length_s, phase in parts
    ]
    number = sum(part[0] for part in parts)
    assert kills([], made) == ({1: Kills(number, gone=False)} if number else {})


def test_a_fraction_of_a_kill_counts_as_one() -> None:
    """After a pause without seconds the rate is that of the pause."""
    assert kills([], [second(2, sut={OWN: 0.01})]) == {2: Kills(1, gone=False)}


def test_kills_of_a_group_that_is_gone_are_counted_on_its_machine() -> None:
    alive, dead = second(1, sut=ALIVE | {HOST: 0.0}), second(2, "ramp", sut={HOST: 1.99})
    after = second(2, sut={HOST: 0.0})
    assert kills([], [alive, dead, after]) == {2: Kills(2, gone=True)}


def test_a_kill_in_the_last_second_with_processes_counts_once_they_are_gone() -> None:
    """As seen: its group had gone, and three of its processes were still ending."""
    alive, last = second(1, sut=ALIVE | {OWN: 0.0}), second(2, "ramp", sut=ALIVE | {HOST: 1.99})
    after = second(2, sut={HOST: 0.0})
    assert kills([], [alive, last, after, after]) == {2: Kills(2, gone=True)}
    assert kills([], [alive, last, second(2, sut=ALIVE), after]) == {}
    counted = second(2, sut=ALIVE | {OWN: 0.0, HOST: 1.0})  # somebody else's, by the group's count
    assert kills([], [alive, counted, after]) == {}


def test_a_process_that_outlives_the_others_does_not_hide_the_kill() -> None:
    """As seen: ten of PostgreSQL's processes had ended, a session stayed for five seconds."""
    alive, left = second(1, sut=ALIVE | {OWN: 0.0}), {"process.count": 1.0}
    last, later = second(2, "ramp", sut=left | {HOST: 1.9}), second(2, sut=left | {HOST: 0.0})
    after = second(2, sut={HOST: 0.0})
    assert kills([], [alive, last]) == {2: Kills(2, gone=True)}
    assert kills([], [alive, last, later, later, later, after]) == {2: Kills(2, gone=True)}
    back = second(2, sut=left | {OWN: 0.0})  # its group is read again: the kill was another's
    assert kills([], [alive, last, later, back, after]) == {}
    without = second(1, sut=ALIVE | {HOST: 0.0})  # a server without a group of its own
    assert kills([], [without, last, later]) == {}


def test_kills_on_the_machine_do_not_count_while_the_server_lives() -> None:
    assert kills([], [second(1, sut=ALIVE | {HOST: 2.0}), second(2, sut=ALIVE)]) == {}


def test_kills_long_after_the_servers_end_do_not_count() -> None:
    alive, end, later = second(1, sut=ALIVE), second(2, sut={HOST: 0.0}), second(2, sut={HOST: 1.0})
    assert kills([], [alive, end, later]) == {2: Kills(1, gone=True)}
    assert kills([], [alive, end, end, later]) == {}
    assert kills([], [alive, second(2), second(2), later]) == {2: Kills(1, gone=True)}


def test_kills_before_any_process_was_seen_do_not_count() -> None:
    assert kills([], [second(1, sut={HOST: 2.0})] * 3) == {}


def test_without_seconds_kills_come_from_the_means_of_a_level() -> None:
    made = level(1, 10, 5.0, 0.1, 1.0, QUIET | {OWN: 0.1})
    assert kills([made], []) == {1: Kills(round(0.1 * made.steady_s), gone=False)}


def dying_server() -> Server:
    """A server that lets in forty users; the others cannot connect."""
    return Server(places=8, most=40, think_s=1.0, quiet=QUIET | LIMIT)


@pytest.mark.parametrize("phase", ["ramp", "settle", "steady"])
def test_a_server_killed_while_users_arrive_does_not_refuse(phase: str) -> None:
    levels = [dying_server().level(index, users) for index, users in enumerate((5, 20, 40, 60), 1)]
    before = seconds(levels)
    assert getattr(of_levels(levels, before), "limit", None) == "refusal"
    found = of_levels(levels, [*before, second(4, phase, sut={OWN: 3.0})])
    assert found is not None
    assert (found.limit, found.detail, found.confidence_word) == ("memory", "killed", "high")
    assert (found.size, found.size_unit) == (24e6, "By")
    figure = found.figures[0]
    assert (figure.counter, figure.value, figure.unit, figure.users) == (OWN, 3, "{kill}", 60)
    assert figure.sentence == "the kernel OOM-killed 3 of its processes"
    assert found.doubts == []
    scores = {level.users: level.scores["memory"] for level in found.levels}
    assert scores == {5: 0, 20: 0, 40: 0, 60: 1}


def test_a_server_that_is_gone_is_reported_with_its_memory_limit() -> None:
    levels = [dying_server().level(index, users) for index, users in enumerate((5, 20), 1)]
    last = level(3, 80, 0.0, 0.0, 1.0, {}, refused=80)
    ends = [second(2, sut=ALIVE), second(3, "ramp", sut={HOST: 1.0})]
    found = of_levels([*levels, last], [*seconds(levels), *ends])
    assert found is not None
    assert (found.limit, found.detail, found.size) == ("memory", "killed", 24e6)
    assert "1 process on its machine" in found.sentence
    assert "no server process was left" in found.sentence
    assert not [doubt for doubt in found.doubts if "stopped answering" in doubt]


def test_of_several_levels_the_one_with_the_fewest_users_is_reported() -> None:
    levels = [dying_server().level(index, users) for index, users in enumerate((60, 20), 1)]
    ends = [second(1, sut={OWN: 5.0}), second(2, sut={OWN: 2.0})]
    found = of_levels(levels, [*seconds(levels), *ends])
    assert found is not None
    assert (found.figures[0].users, found.figures[0].value) == (20, 2)
