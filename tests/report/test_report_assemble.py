"""From a bundle to what the report gets."""

from pathlib import Path

import pytest
from report_factory import environment, level, verdict

from headcount.analyse.scaling import scaling_doubt
from headcount.bundle.reader import Bundle
from headcount.errors import InputError
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Tables
from headcount.report.assemble import assemble
from headcount.report.figures.published import LABEL
from headcount.report.html import render
from headcount.workloads import load


def plan_of(scale: float, workload: str = "app-server") -> Plan:
    return resolve(load(workload), "lab:app", Overrides(users=4, seed=1, scale=scale))


def test_the_plan_says_what_was_re_created_and_how_far_it_was_shrunk(tmp_path: Path) -> None:
    bundle = Bundle(tmp_path, plan_of(0.02), environment(), [level(1, 4, "only")], verdict())
    content = assemble(bundle)
    assert content.recreates == "Ziff-Davis ServerBench 4.0"
    assert content.shrunk is not None
    assert content.shrunk == scaling_doubt(bundle.plan)
    assert (content.timeline, content.timeline_level) == ([], 1)


def test_a_run_without_an_answer_has_no_report_yet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no verdict yet"):
        assemble(Bundle(tmp_path, plan_of(1), environment(), [], None))


def test_a_shrunk_data_set_is_described_in_figures() -> None:
    # 2% of 20 MiB are 102.4 blocks of 4 KiB, of which 102 are whole: 408 KiB.
    assert 102 * 4 == 408
    assert scaling_doubt(plan_of(0.02)) == (
        "the data set was scaled to 2.0% of the original: a file of 408 KiB for each user instead "
        "of 20.0 MiB; it may fit into the server's memory where the whole would not"
    )
    assert scaling_doubt(plan_of(1.0)) is None


def test_a_data_set_of_another_kind_is_described_by_its_scale() -> None:
    plan = plan_of(0.5)
    other = plan.model_copy(
        update={"workload": plan.workload.model_copy(update={"tables": Tables()})}
    )
    assert scaling_doubt(other) == (
        "the data set was scaled to 50.0% of the original; it may fit into the server's memory "
        "where the whole would not"
    )


def test_published_results_stand_beside_a_run_only_where_asked_for(tmp_path: Path) -> None:
    plan = resolve(load("home-folders"), "lab:samba", Overrides(users=4, seed=1))
    bundle = Bundle(tmp_path, plan, environment(), [level(1, 4, "only")], verdict())
    assert assemble(bundle).published == ()
    assert LABEL not in render(assemble(bundle))
    made = assemble(bundle, published=True)
    assert {one.source for one in made.published}
    assert all("home-folders" in one.workloads for one in made.published)
    page = render(made)
    assert page.count(f"dashed: {LABEL}") >= 2
    assert "9,500" in page
