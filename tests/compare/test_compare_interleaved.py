"""Two sides of one run: which levels are pairs, what they say together, and what qualifies it."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from headcount.analyse.compare.compare import compare
from headcount.analyse.compare.interleaved import Interleaved, interleaved_run
from headcount.analyse.compare.subject import Side, side
from headcount.bundle.level import LevelResult
from headcount.bundle.versus import SideName, Versus, VersusRest, VersusTurn
from versus_levels import Server, bundles, level, pairing, plan, turn


def written(
    folder: Path, a: list[LevelResult], b: list[LevelResult], found: Versus, **changed: object
) -> tuple[Side, Side]:
    made = plan(**changed) if changed else plan(levels=",".join(str(one.users) for one in a))
    paths = bundles(folder, {"A": a, "B": b}, found, made)
    return side("A", [paths["A"]]), side("B", [paths["B"]])


def turns(count: int, users: int = 20) -> list[tuple[VersusTurn, VersusTurn]]:
    """Pairs in the order ABBA, of which the n-th has the n-th level of each side."""
    sides: list[SideName] = ["A", "B"]
    return [
        tuple(turn(name, number, users) for name in (sides if number % 2 else sides[::-1]))
        for number in range(1, count + 1)
    ]  # type: ignore[misc]


def around(capacity: float, seed: int, users: list[int]) -> list[LevelResult]:
    server = Server(capacity, seed, noise=0.005)
    return [server.level(number, each, "straddle") for number, each in enumerate(users, 1)]


STRADDLING = [966, 1036, 966, 1036, 966, 1036]


@pytest.fixture
def capacity(tmp_path: Path) -> tuple[Side, Side]:
    a, b = around(1000, 1, STRADDLING), around(1060, 2, STRADDLING)
    found = pairing(
        [
            (turn("A", n, users), turn("B", n, users))
            if n % 2
            else (turn("B", n, users), turn("A", n, users))
            for n, users in enumerate(STRADDLING, 1)
        ],
        "capacity",
    )
    return written(tmp_path, a, b, found, search=True)


def known(sides: tuple[Side, Side]) -> Interleaved:
    found = interleaved_run(*sides)
    assert found is not None
    return found


def test_capacities_come_from_the_pairs(capacity: tuple[Side, Side]) -> None:
    found = compare(capacity)
    (one,) = [each for each in found.differences if each.metric == "capacity"]
    assert (one.method, one.pairs) == ("pairs", 6)
    assert one.interval is not None
    assert one.interval[0] < 1.06 < one.interval[1]
    assert one.finding == "better"
    assert one.a.value == pytest.approx(1000, rel=0.01)
    assert [subject.capacity for subject in found.subjects] == [one.a, one.b]
    assert one.a.interval is not None
    assert one.a.interval[0] < 1000 < one.a.interval[1]
    assert found.interleaved
    assert found.finding == "better"
    assert not any("did not alternate" in doubt for doubt in found.doubts)


def test_the_answer_is_a_sentence(capacity: tuple[Side, Side]) -> None:
    found = known(capacity)
    assert found.capacity is not None
    ratio = found.capacity[1].ratio
    assert found.sentence() == (
        f"B holds {ratio.value:.2f} times ({ratio.low:.2f} to {ratio.high:.2f}) as many users as A."
    )


def test_swapping_the_sides_inverts_the_ratio(capacity: tuple[Side, Side]) -> None:
    there, back = known(capacity), known((capacity[1], capacity[0]))
    assert there.capacity is not None
    assert back.capacity is not None
    product = there.capacity[1].ratio.value * back.capacity[1].ratio.value
    assert product == pytest.approx(1, rel=1e-9)
    assert back.names == ("B", "A")


def test_equal_servers_show_no_difference(tmp_path: Path) -> None:
    a, b = around(1000, 1, STRADDLING), around(1000, 2, STRADDLING)
    found = pairing(
        [(turn("A", n, users), turn("B", n, users)) for n, users in enumerate(STRADDLING, 1)],
        "capacity",
    )
    sentence = known(written(tmp_path, a, b, found, search=True)).sentence()
    assert sentence is not None
    assert sentence.startswith("No difference shown: B holds ")


@pytest.mark.parametrize(
    ("count", "start"),
    [
        (2, "comparing capacities takes at least 3 pairs; there are 2"),
        (4, "the pairs do not show how"),
    ],
)
def test_pairs_without_capacities_say_why(tmp_path: Path, count: int, start: str) -> None:
    # As bad with fewer users as with more: there is no limit that they come nearer to.
    users = [1036, 966, 1036, 966][:count]
    levels = [
        level(n, each, 100 if each > 1000 else 1000, 10_000, purpose="straddle")
        for n, each in enumerate(users, 1)
    ]
    both = [(turn("A", n, each), turn("B", n, each)) for n, each in enumerate(users, 1)]
    found = known(written(tmp_path, levels, levels, pairing(both, "capacity"), search=True))
    assert found.capacity is None
    assert found.sentence() is None
    assert found.difference() is None
    (doubt,) = found.doubts()
    assert doubt.startswith(start)


def rates(each: list[float], users: int = 20) -> list[LevelResult]:
    return [level(n, users, rate_per_s=rate, at_s=n * 40) for n, rate in enumerate(each, 1)]


def test_a_pair_with_a_level_that_does_not_count_is_left_out(tmp_path: Path) -> None:
    a, b = rates([50, 51, 49, 50]), rates([60, 61, 20, 60])
    b[2] = b[2].model_copy(update={"outcome": "invalid"})
    sides = written(tmp_path, a, b, pairing(turns(4)))
    found = compare(sides)
    (one,) = [each for each in found.differences if each.metric == "throughput"]
    assert (one.method, one.pairs) == ("pairs", 3)
    logs = [math.log(60 / 50), math.log(61 / 51), math.log(60 / 50)]
    assert one.ratio == pytest.approx(math.exp(sum(logs) / 3))
    assert one.finding == "better"
    assert "1 pair is left out because of an invalid level" in found.doubts


def test_levels_of_no_pair_are_not_compared_with_pairs(tmp_path: Path) -> None:
    a, b = rates([50, 51, 49, 5]), rates([60, 61, 59])
    sides = written(tmp_path, a, b, pairing(turns(3)))
    (one,) = [each for each in compare(sides).differences if each.metric == "throughput"]
    assert one.pairs == 3
    assert one.a.value == pytest.approx((50 * 51 * 49) ** (1 / 3))


def test_a_difference_that_changes_is_a_doubt(tmp_path: Path) -> None:
    a, b = rates([50.0] * 8), rates([50.0 + 2 * n for n in range(8)])
    doubts = known(written(tmp_path, a, b, pairing(turns(8)))).doubts()
    assert len(doubts) == 1
    assert doubts[0].startswith("the ratio of throughput at 20 users changed by ")


def test_drift_that_both_share_is_not_a_doubt(tmp_path: Path) -> None:
    both = [50.0 + n * (-1) ** n for n in range(8)]
    sides = written(tmp_path, rates(both), rates([each * 1.1 for each in both]), pairing(turns(8)))
    assert known(sides).doubts() == []


@pytest.mark.parametrize(("cores", "doubted"), [(0.2, True), (0.01, False), (None, False)])
def test_a_server_that_does_not_rest_is_a_doubt(
    tmp_path: Path, cores: float | None, *, doubted: bool
) -> None:
    rests = [
        VersusRest(side="B", began_s=0, ended_s=30, cpu_cores=cores),
        VersusRest(side="A", began_s=30, ended_s=60, cpu_cores=0.0),
    ]
    sides = written(tmp_path, rates([50] * 3), rates([50] * 3), pairing(turns(3), rests=rests))
    doubts = known(sides).doubts()
    assert doubts == (
        ["B: its server used 0.20 cores while it had no users and the other was measured"]
        if doubted
        else []
    )


def test_an_unfinished_comparison_says_so(tmp_path: Path) -> None:
    cut = pairing(turns(3), wanted_pairs=6, ending="interrupted")
    doubts = known(written(tmp_path, rates([50] * 3), rates([50] * 3), cut)).doubts()
    assert doubts == ["the comparison did not finish: it rests on 3 of 6 pairs"]


def test_sides_may_differ_in_their_client_options(tmp_path: Path) -> None:
    a, b = written(tmp_path, rates([50] * 3), rates([60] * 3), pairing(turns(3)))
    other = b.plan.model_copy(update={"client": {"think": "otherwise"}})
    changed = Side("B", [replace(b.bundles[0], plan=other)])
    found = compare((a, changed))
    assert [(one.what, one.spoils) for one in found.unlike] == [("client", False)]
    assert found.finding != "not comparable"


def test_bundles_of_other_runs_are_not_a_pair(tmp_path: Path) -> None:
    one = written(tmp_path / "one", rates([50] * 3), rates([50] * 3), pairing(turns(3)))
    other = written(
        tmp_path / "other", rates([50] * 3), rates([50] * 3), pairing(turns(3), id="b" * 32)
    )
    assert interleaved_run(one[0], other[1]) is None
    assert interleaved_run(one[0], one[0]) is None
