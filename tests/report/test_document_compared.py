"""Competitive results: every figure of the comparison, both directions, and what qualifies them."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from report_bundle import bundle_of
from report_factory import content, level
from test_document_build import prose

from headcount.analyse.compare.comparison import (
    Comparison,
    Difference,
    Reading,
    Reference,
    Subject,
    Unlike,
)
from headcount.bundle import reader
from headcount.bundle.reader import Bundle
from headcount.report.document import charts, competitive
from headcount.report.document.blocks import Code, Figure, Table
from headcount.report.document.build import of_bundle
from headcount.report.document.compared import of_comparison
from headcount.report.pdf.render import pdf
from paper import squeezed, text_of


def subject(name: str, users: float) -> Subject:
    return Subject(
        name=name,
        title=f"home-folders on {name}",
        bundles=[f"runs/{name}"],
        target=f"smb://{name}/home",
        workload="home-folders",
        program="smbd 4.17.12",
        started_at=["2025-11-20T14:03:00Z"],
        users=[100, 200],
        capacity=Reading(value=users, interval=(users * 0.97, users * 1.03)),
    )


def difference(metric: str, label: str, unit: str, users: int | None, a: float, b: float):
    return Difference(
        metric=metric,
        label=label,
        unit=unit,
        better="lower" if unit == "ms" else "higher",
        at="capacity" if users is None else "level",
        users=users,
        first="old",
        second="new",
        a=Reading(value=a),
        b=Reading(value=b),
        ratio=b / a,
        interval=(b / a * 0.95, b / a * 1.05),
        method="sections",
        indicative=False,
        finding="better" if (b < a) == (unit == "ms") else "worse",
        change=b / a - 1,
        reverse=a / b - 1,
        words="",
    )


def comparison() -> Comparison:
    levels = [
        difference("response.p95", "p95 response time", "ms", users, 100.0 + users, 78.0)
        for users in (50, 100, 150, 200, 250, 300)
    ]
    return Comparison(
        sentence="new holds 22.3% more users than old.",
        finding="better",
        subjects=[subject("old", 500), subject("new", 611)],
        differences=[difference("capacity", "Capacity", "users", None, 500, 611), *levels],
        unlike=[Unlike(what="cpu", values={}, spoils=False, sentence="new has more CPUs")],
        interleaved=True,
        doubts=["new: other programs used 0.5 of 2 CPUs"],
        references=[
            Reference(
                label="A server of 1997",
                source="seed, table 1",
                metric="capacity",
                unit="users",
                users=None,
                value=2200,
                remark="other hardware, other years",
            )
        ],
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Bundle]:
    folder = tmp_path_factory.mktemp("runs")
    faster = [level(index, users) for index, users in enumerate((100, 400, 800), 1)]
    return [
        reader.load(bundle_of(content(), folder / "old")),
        reader.load(bundle_of(replace(content(), levels=faster), folder / "new")),
    ]


def test_differences_are_given_in_both_directions(runs: list[Bundle]) -> None:
    text = text_of(pdf(of_comparison(comparison(), runs)))
    assert "new holds 22.3% more users than old." in text
    # 611 / 500 = 1.222; 500 / 611 = 0.8183, so 18.2% less.
    assert "Capacity 500 users 611 users 22.2% more 16.1% to 28.3% more old 18.2% less" in text
    # 78 / 300 = 0.26, so 74% less time and 3.85 times the speed.
    assert "p95 response time 400 ms 78.0 ms 80.5% less time" in text
    assert "5.13\N{MULTIPLICATION SIGN} the speed" in text
    assert "A server of 1997 seed, table 1" in text
    assert "new has more CPUs." in text
    assert text.count("new: other programs used 0.5 of 2 CPUs.") == 1


def test_of_many_levels_the_largest_are_printed(runs: list[Bundle]) -> None:
    section = competitive.section(comparison(), [])
    captions = [block.caption for block in section.blocks if isinstance(block, Table)]
    assert captions[1] == "Answers: new against old"
    assert captions[2:6] == [f"At {users} users: new against old" for users in (150, 200, 250, 300)]
    text = " ".join(prose(of_comparison(comparison(), runs)))
    assert "Figures at 2 smaller numbers of users are left out here" in text


def test_competitive_results_follow_the_results_of_the_run(runs: list[Bundle]) -> None:
    section = competitive.section(comparison(), charts.of_pair(["old", "new"], runs))
    titles = [one.title for one in of_bundle(runs[0], section).sections]
    assert titles[titles.index("Results") + 1] == "Competitive results"
    drawn = [block for block in section.blocks if isinstance(block, Figure)]
    assert len(drawn) == 2


def test_commands_that_repeat_runs_are_quoted_for_a_shell(runs: list[Bundle]) -> None:
    found = comparison()
    folders = [["runs/old server's"], ["runs/new; rm -rf x"]]
    subjects = [
        one.model_copy(update={"bundles": bundles})
        for one, bundles in zip(found.subjects, folders, strict=True)
    ]
    sections = of_comparison(found.model_copy(update={"subjects": subjects}), runs).sections
    (code,) = [block for one in sections for block in one.blocks if isinstance(block, Code)]
    assert [shlex.split(line) for line in code.text.splitlines()] == [
        ["headcount", "run", f"{folder}/plan.toml"] for (folder,) in folders
    ]


def test_machines_stand_beside_each_other(runs: list[Bundle]) -> None:
    (section,) = [
        one for one in of_comparison(comparison(), runs).sections if one.title == "Configuration"
    ]
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    assert [column.heading for column in table.columns] == ["Feature", "old", "new"]
    assert ["Kernel", "6.1.0-28-amd64", "6.1.0-28-amd64"] in [
        [cell.text for cell in row.cells] for row in table.rows
    ]


def test_names_are_never_markup(tmp_path: Path, runs: list[Bundle]) -> None:
    del tmp_path
    hostile = '#panic("x") *new* <label>'
    found = comparison()
    one = found.subjects[1].model_copy(update={"name": hostile, "title": hostile})
    changed = found.model_copy(
        update={"subjects": [found.subjects[0], one], "sentence": f"{hostile} wins"}
    )
    text = text_of(pdf(of_comparison(changed, runs)))
    assert squeezed(text).count(squeezed(hostile)) > 5
