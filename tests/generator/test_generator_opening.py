"""How many workers agents get."""

from collections.abc import Sequence

import pytest

from headcount import workloads
from headcount.generator import opening
from headcount.generator.fleet import Wanted
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve

CLUSTER = "ray://10.0.0.1:6379"


@pytest.mark.parametrize(
    ("asked", "workers", "are_measured"),
    [
        (Overrides(agents=3, cluster=CLUSTER), [2, 8, 4], True),
        (Overrides(agents=3, cluster=CLUSTER, equal_users=True), [2, 2, 2], False),
        (Overrides(agents=3, workers=5), [5, 5, 5], False),
        (Overrides(agents=3, workers=5, equal_users=True), [5, 5, 5], False),
    ],
)
def test_agents_get_as_many_workers_as_is_asked(
    monkeypatch: pytest.MonkeyPatch, asked: Overrides, workers: Sequence[int], are_measured: bool
) -> None:
    found: list[Wanted] = []

    def fleet(_plan: Plan, _target: str, wanted: Wanted) -> None:
        found.append(wanted)

    def lines_to(_: object) -> tuple[Sequence[None], Sequence[int]]:
        return [None] * 3, [2, 8, 4]

    monkeypatch.setattr(opening, "Fleet", fleet)
    monkeypatch.setattr(opening, "lines_to", lines_to)
    opening.open_players(resolve(workloads.load("app-server"), "lab:app", asked), "", ())
    (wanted,) = found
    assert (list(wanted.workers), wanted.are_measured) == (list(workers), are_measured)
