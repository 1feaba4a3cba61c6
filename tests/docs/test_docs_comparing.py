"""The page about comparing has every metric and margin, and the numbers of pairs it promises."""

import pytest
from pages import codes, rows, text

from headcount.analyse.compare.metrics import METRICS
from headcount.analyse.statistics.pairs import pairs_needed


def test_every_metric_is_explained_with_its_better_direction() -> None:
    good_way: dict[str, str] = {}
    for row in rows(text("comparing.md")):
        names = codes(row[0])
        ways = row[-1].split(", ")
        good_way |= {name: ways[min(at, len(ways) - 1)] for at, name in enumerate(names)}
    for metric in METRICS:
        assert good_way[metric.id] == metric.better


@pytest.mark.parametrize(("to_see", "line"), [(0.01, 0), (0.02, 1), (0.03, 2), (0.05, 3)])
def test_the_table_has_the_number_of_pairs_needed(to_see: float, line: int) -> None:
    table = [row for row in rows(text("comparing.md")) if len(row) == 5 and "%" in row[0]]
    promised = [int(cell) for cell in table[line][1:]]
    assert promised == [pairs_needed(spread, 1 + to_see) for spread in (0.01, 0.02, 0.03, 0.05)]
