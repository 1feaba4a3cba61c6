"""Published results beside a comparison: the points that were printed, without a verdict."""

from pathlib import Path

import pytest
from runs_made import make

from headcount.analyse.compare.compare import compare
from headcount.analyse.compare.references import references
from headcount.analyse.compare.subject import side
from headcount.errors import InputError
from headcount.report.compare import page


def test_the_points_are_those_that_were_printed() -> None:
    # Configuration 1: 95th percentiles of 470, 613 and 1,200 ms with 500, 1,000 and 2,000 users.
    found = [one for one in references(["configuration_1"]) if one.metric == "response.p95"]
    assert [(one.users, one.value, one.unit) for one in found] == [
        (500, 470.0, "ms"),
        (1000, 613.0, "ms"),
        (2000, 1200.0, "ms"),
    ]
    assert all("other hardware" in one.remark for one in found)
    assert all("published" in one.label for one in found)


def test_a_document_has_all_of_its_systems_once() -> None:
    found = references(["exchange-tuning", "configuration_1"])
    assert len({one.label for one in found}) == 3
    assert len(found) == len({(one.label, one.metric, one.users) for one in found})


def test_references_are_in_no_difference(tmp_path: Path) -> None:
    sides = [
        side(name, [make(tmp_path / name, (10, 20), seed=place)]) for place, name in enumerate("AB")
    ]
    beside = compare(sides, references(["configuration_1"]))
    assert beside.differences == compare(sides).differences
    text = page.render(beside, "today")
    assert "NCR 4300, Configuration 1 (published about 2001)" in text


@pytest.mark.parametrize("name", ["nothing", ""])
def test_an_unpublished_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="headcount published lists"):
        references([name])
