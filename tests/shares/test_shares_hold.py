"""The order of the points, and what is done when the machine's memory runs short."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from headcount import workloads
from headcount.analyse.costs import Holding
from headcount.bundle.shares import SharesPoint
from headcount.controller.access import Secrets
from headcount.controller.shares.design import Experiment, chains
from headcount.controller.shares.hold import hold
from headcount.controller.shares.run import shares_plan
from headcount.controller.sut import connect
from headcount.counters import footprint


def experiment(**changes: Any) -> Experiment:
    values: dict[str, Any] = {
        "workload": workloads.load("shares"),
        "target": "lab:samba",
        "shares": [1, 50],
        "connections": [2, 5],
        "net_uses": [1, 3],
        "open_files": [0, 4, 9],
        "repeats": 1,
        "seed": 1,
        "runs": Path("runs"),
    }
    return Experiment(**{**values, **changes})


def test_within_a_start_things_only_grow() -> None:
    starts = chains(experiment())
    for points in starts:
        assert points[0].connections == 0
        for before, after in itertools.pairwise(points):
            assert after.shares == before.shares
            assert after.connections >= before.connections
            assert after.net_uses >= before.net_uses
            assert after.open_files >= before.open_files
            assert after != before
    expected = {
        tuple(Holding(shares, *each) for each in [(0, 1, 0), (connections, 1, 0), *grown])
        for shares in (1, 50)
        for connections in (2, 5)
        for grown in ([(connections, 1, 4), (connections, 1, 9)], [(connections, 3, 0)])
    }
    assert {tuple(points) for points in starts} == expected
    assert len(starts) == len(expected) == 8


def test_the_order_is_drawn_from_the_seed() -> None:
    first = chains(experiment())
    assert chains(experiment()) == first
    assert any(chains(experiment(seed=seed)) != first for seed in (2, 3))
    assert sorted(map(str, chains(experiment(repeats=3)))) == sorted(map(str, first * 3))


def test_without_files_and_net_uses_connections_are_held_alone() -> None:
    starts = chains(experiment(net_uses=[1], open_files=[0], shares=[1]))
    assert sorted(len(points) for points in starts) == [2, 2]


def test_a_point_that_takes_the_machines_memory_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: list[SharesPoint] = []
    points = [
        Holding(1, 0, 1, 0),
        Holding(1, 2, 1, 0),
        Holding(1, 2, 1, 2000),
        Holding(1, 2, 1, 3000),
    ]

    def squeeze_memory(point: Holding, _: int) -> None:
        if point.open_files:
            monkeypatch.setattr(footprint, "memory", lambda: (9e6, 100e6))

    with connect(shares_plan(experiment(), 1), Secrets()) as sut:
        assert sut.pids is not None
        lost = hold(sut, sut.pids, 0, points, squeeze_memory, kept)
    assert [point.connections for point in kept] == [0, 2]
    assert [left.open_files for left in lost] == [2000, 3000]
    assert lost[0].reason == "memory ran short: 9 MB of 100 MB left"
