"""Whether the agents sufficed, and how many would."""

import pytest

from headcount.analyse.agents import full_agents
from headcount.bundle.level import CounterSummary, LevelResult
from versus_levels import level


def at(users: int, *shares: float) -> LevelResult:
    """A level whose agents have equal parts of the users, and so busy workers."""

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
def test_nothing_is_said_where_they_sufficed(levels: list[LevelResult]) -> None:
    assert full_agents(levels) == []


def test_the_largest_level_says_how_many_are_needed() -> None:
    levels = [at(30_000, 0.7, 0.82, 0.7), at(41_000, 0.88, 0.96, 0.6), at(20_000, 0.5, 0.5, 0.5)]
    # 13,667 users took 0.96 of a core, so 11,389 take 0.8 of it.
    assert full_agents(levels) == [
        "2 of 3 agents were full at 41,000 users; 4 agents of this kind play them"
    ]


def test_more_are_needed_than_there_were() -> None:
    (text,) = full_agents([at(1000, 0.801)])
    assert text == "1 of 1 agent was full at 1,000 users; 2 agents of this kind play them"
