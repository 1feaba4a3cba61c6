"""The network between users and server: lost packets and long round trips."""

from collections.abc import Mapping

import pytest
from diagnosis_levels import QUIET, level

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult

USERS = (2, 16, 64)
THINK_S = 0.2
TRIP, SENT, LOST = "socket.round_trip", "socket.segments", "socket.segments.lost"


SEEN = {name: value for name, value in QUIET.items() if name != "socket.connections"}


def ladder(
    took_s: float,
    generator: Mapping[str, float],
    *,
    outcome: str = "passed",
    counters: Mapping[str, float] | None = None,
    requests: int = 1,
    figures_of: str = "generator",
) -> list[LevelResult]:
    """Levels of users who think; counters with a rate are for each scenario."""
    made = []
    for index, users in enumerate(USERS, 1):
        per_s = users / (took_s + THINK_S)
        own = {name: one if name == TRIP else one * per_s for name, one in generator.items()}
        seen = dict(SEEN if counters is None else counters)
        if figures_of == "sut":
            seen |= own
        one = level(
            index,
            users,
            per_s,
            took_s,
            THINK_S,
            seen,
            generator=own if figures_of == "generator" else None,
        )
        asked = {"GET": requests * one.total.completed}
        made.append(one.model_copy(update={"outcome": outcome, "requests": asked}))
    return made


def diagnosed(levels: list[LevelResult]) -> Diagnosis:
    found = of_levels(levels)
    assert found is not None
    return found


@pytest.mark.parametrize("blind", [False, True], ids=["seen", "blind"])
def test_long_round_trips_are_not_a_slow_server(*, blind: bool) -> None:
    counters = {} if blind else None
    found = diagnosed(ladder(0.064, {TRIP: 60.0}, counters=counters))
    assert (found.limit, found.detail) == ("delay", "latency")
    assert "a round trip between users and server takes 60.0 ms" in found.sentence
    assert [one.id for one in found.advice] == ["delay-latency", "delay-users"]
    assert not any("still grew" in doubt for doubt in found.doubts)
    # A server nearby that takes as long itself.
    near = diagnosed(ladder(0.064, {TRIP: 0.1}, counters=counters))
    assert near.detail != "latency"


def test_each_of_several_requests_takes_a_round_trip() -> None:
    found = diagnosed(ladder(0.33, {TRIP: 60.0}, requests=5))
    assert (found.limit, found.detail) == ("delay", "latency")
    assert "5.00 requests one after the other" in found.sentence
    assert diagnosed(ladder(0.33, {TRIP: 60.0}, requests=1)).detail == "waiting"


def test_short_round_trips_are_not_a_limit() -> None:
    assert diagnosed(ladder(0.012, {TRIP: 10.0})).limit == "none"


@pytest.mark.parametrize("end", ["generator", "sut"])
def test_lost_packets_explain_a_few_slow_scenarios(end: str) -> None:
    """Of 100 scenarios with three segments each, six wait 200 ms for one that was lost."""
    figures = {TRIP: 1.0, SENT: 3.0, LOST: 0.06}
    found = diagnosed(ladder(0.003 + 0.06 * 0.2, figures, outcome="failed", figures_of=end))
    assert (found.limit, found.detail) == ("delay", "loss")
    assert "2.0% of TCP segments were lost" in found.sentence
    kept = ladder(0.003 + 0.06 * 0.2, figures, outcome="passed", figures_of=end)
    assert diagnosed(kept).detail == "loss"
    assert found.confidence_word == "high"
    assert [one.id for one in found.advice] == ["delay-loss", "delay-users"]


@pytest.mark.parametrize(
    ("lost", "took_s", "outcome"),
    [
        pytest.param(0.001, 0.015, "failed", id="too few to matter"),
        pytest.param(0.06, 0.5, "failed", id="it waits for something else"),
        pytest.param(0.0, 0.015, "failed", id="none"),
    ],
)
def test_losses_are_named_only_where_they_matter(lost: float, took_s: float, outcome: str) -> None:
    found = diagnosed(ladder(took_s, {TRIP: 1.0, SENT: 3.0, LOST: lost}, outcome=outcome))
    assert found.detail != "loss"


def test_round_trips_and_losses_of_other_clients_do_not_count() -> None:
    """Somebody else is 60 ms away and loses packets; the users of the run are nearby."""
    others = {"socket.connections": 500.0, TRIP: 60.0}
    lossy = {SENT: 3.0, LOST: 0.06}
    near = ladder(0.064, lossy | {TRIP: 60.0}, counters=SEEN | others, figures_of="sut")
    assert diagnosed(near).detail not in ("loss", "latency")
    both = [
        one.model_copy(update={"counters": {**one.counters, "generator": generator}})
        for one, generator in zip(
            ladder(0.064, {TRIP: 60.0}, figures_of="sut"),
            [each.counters["generator"] for each in ladder(0.064, {TRIP: 0.1})],
            strict=True,
        )
    ]
    assert diagnosed(both).detail != "latency"  # the users' own end knows better
