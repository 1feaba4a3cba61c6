"""Whether the agents were enough, which of them were full, and how many it takes."""

import statistics

import pytest

from headcount.analyse.agent_level import at_level
from headcount.analyse.agents import full_agents, full_text, with_full_agents
from headcount.bundle.level import CounterSummary, LevelResult
from versus_levels import level


def at(users: int, *shares: float) -> LevelResult:
    """A level whose agents have equal shares of the users, and workers this busy."""

    def summary(value: float) -> CounterSummary:
        return CounterSummary(mean=value, max=1.0, p95=value, samples=9)

    counters = {
        f"agent-{number}": {
            "agent.users": summary(users / len(shares)),
            "agent.worker.busiest": summary(share),
        }
        for number, share in enumerate(shares, start=1)
    }
    return level(1, users).model_copy(update={"counters": {"sut": {}, **counters}})


@pytest.mark.parametrize(
    "levels",
    [
        [level(1, 400)],
        [at(300, 0.5, 0.7), at(600, 0.79, 0.8)],
    ],
    ids=["one process", "none was full"],
)
def test_sufficient_agents_are_not_reported(levels: list[LevelResult]) -> None:
    assert full_agents(levels) == []


def test_the_largest_level_says_how_many_are_needed() -> None:
    levels = [at(30_000, 0.7, 0.82, 0.7), at(41_000, 0.88, 0.96, 0.6), at(20_000, 0.5, 0.5, 0.5)]
    # 13,667 users took 0.96 of a core, so 11,389 take 0.8 of it.
    assert full_agents(levels) == [
        "2 of 3 agents were full at 41,000 users; 4 agents of this kind play them"
    ]


def test_a_single_full_agent_needs_another() -> None:
    (text,) = full_agents([at(1000, 0.801)])
    assert text == "1 of 1 agent was full at 1,000 users; 2 agents of this kind play them"


MACHINES = {1: "load1", 2: "load2", 3: "load3"}


def late(*each_ms: float) -> LevelResult:
    """A level whose agents have CPU to spare, and timers this late."""
    made = at(300, *[0.3] * len(each_ms))
    counters = {
        side: {
            **found,
            "agent.timer.lateness": CounterSummary(mean=ms, max=ms, p95=ms, samples=9),
        }
        for (side, found), ms in zip(list(made.counters.items())[1:], each_ms, strict=True)
    }
    return made.model_copy(update={"counters": counters})


ROOM = "; the other 2 had room"
LATE, OVER = "1% of", "were over 85.0 ms late, those of the other"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (
            at(300, 0.4, 0.98, 0.5),
            "agent 2 (load2) was full: its busiest worker used 98.0% of a core" + ROOM,
        ),
        (
            at(300, 0.81, 0.5),
            "agent 1 (load1) was full: its busiest worker used 81.0% of a core; the other had room",
        ),
        (
            at(300, 0.81, 0.93, 0.79, 0.1),
            "agents 1 (load1) and 2 (load2) were full: their busiest workers used up to 93.0% of a "
            "core" + ROOM,
        ),
        (
            at(300, *[0.9] * 5, *[0.1] * 2),
            "agents 1 (load1), 2 (load2), 3 (load3) and 2 more were full: their busiest workers "
            "used up to 90.0% of a core" + ROOM,
        ),
        (
            late(0.4, 0.6, 85.0),
            f"agent 3 (load3) was late: {LATE} its timers {OVER} 2 up to 600 \N{MICRO SIGN}s",
        ),
        (
            late(0.4, 40.0, 85.0, 0.2, 0.3),
            (
                f"agents 2 (load2) and 3 (load3) were late: {LATE} their timers {OVER} 3 up to 400 "
                "\N{MICRO SIGN}s"
            ),
        ),
        (at(300, 0.9, 0.85, 0.95), None),
        (at(300, 0.1, 0.2, 0.8), None),
        (late(3.0, 4.0, 9.0), None),  # five times that of the median agent is not reached
        (late(0.01, 0.02, 0.9), None),  # as late as on a quiet machine
        (late(85.0), None),
        (level(1, 300), None),
    ],
)
def test_a_level_names_the_agents_that_were_full_while_others_had_room(
    found: LevelResult, text: str | None
) -> None:
    assert full_text(at_level(found.counters), MACHINES) == text


def test_the_full_agent_is_the_first_reason_of_a_limited_level() -> None:
    one = at(300, 0.4, 0.98)
    quiet = with_full_agents(one.generator, one.counters, MACHINES)
    assert quiet.reasons == []
    busy = one.generator.model_copy(update={"reasons": ["a worker used 98%"], "limited": True})
    named = with_full_agents(busy, one.counters, {})
    assert named.reasons == [
        "agent 2 was full: its busiest worker used 98.0% of a core; the other had room",
        "a worker used 98%",
    ]


def test_an_agents_figures_are_the_means_of_its_counters() -> None:
    made = at(41, 0.25, 0.75)
    found = at_level(
        {**made.counters, "agent-x": {}, "agent-0": {}, "agent-\N{SUPERSCRIPT TWO}": {}}
    )
    assert [one.number for one in found] == [1, 2]
    assert [one.users for one in found] == [20.5, 20.5]
    assert statistics.fmean(one.busiest or 0 for one in found) == 0.5
    assert found[0].late_ms is None


def test_impossible_figures_are_unknown() -> None:
    wrong = CounterSummary(mean=float("nan"), max=1.0, p95=1.0, samples=1)
    less = wrong.model_copy(update={"mean": -3.0})
    (found,) = at_level({"agent-1": {"agent.users": wrong, "agent.worker.busiest": less}})
    assert (found.users, found.busiest) == (None, None)
