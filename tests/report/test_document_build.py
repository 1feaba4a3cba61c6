"""The report for customers as data: what is in it, for every kind of run."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from report_cases import Case, cases
from report_factory import content, level, verdict

from headcount.plan.resolve import Overrides, resolve
from headcount.report.content import ReportContent
from headcount.report.document.blocks import (
    Block,
    Bullets,
    Code,
    Document,
    Facts,
    Figure,
    Heading,
    KeyFigures,
    Note,
    Paragraph,
    Table,
    Text,
)
from headcount.report.document.build import headline, of_content
from headcount.report.document.repeat import BEHIND_TITLE
from headcount.workloads import load

SECTIONS = [
    "Executive overview",
    "Configuration",
    "Methodology",
    "Results",
    "Measurement analysis",
    "Disclosure",
    "How to repeat it",
    "How to read this report",
]


def blocks(document: Document) -> Iterator[Block]:
    for section in document.sections:
        yield from section.blocks


def prose(document: Document) -> Iterator[str]:
    """Every sentence of Headcount's own, without text from files and servers."""

    def joined(text: Text) -> str:
        return "".join(span.text for span in text).replace("\N{NO-BREAK SPACE}", " ")

    for block in blocks(document):
        match block:
            case Paragraph(text=text):
                yield joined(text)
            case Bullets(items=items) | Note(items=items):
                yield from map(joined, items)
            case Facts(items=items):
                yield from (joined(text) for _, text in items)
            case Table(note=note) | Figure(note=note):
                yield note
            case Heading(text=text):
                yield text
            case KeyFigures(items=figures):
                yield from (one.of for one in figures)
            case Code():
                pass


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_run_has_every_section_in_the_usual_order(case: Case) -> None:
    titles = [section.title for section in of_content(case.content).sections]
    assert titles[: len(SECTIONS)] == SECTIONS
    appended = ["The figures behind the charts", "Appendix: settings"]
    assert titles[len(SECTIONS) :] == [one for one in appended if one in titles]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_tables_are_whole(case: Case) -> None:
    for block in blocks(of_content(case.content)):
        if isinstance(block, Table):
            assert block.columns
            assert all(len(row.cells) == len(block.columns) for row in block.rows), block.caption
            assert len(block.widths) in (0, len(block.columns)), block.caption


def one_user() -> Case:
    """One user, one level."""
    one = level(1, 1, "only")
    cost = verdict().cost.model_copy(update={"levels": 1, "operations": 1})
    found = verdict().model_copy(update={"kind": "level", "capacity": None, "cost": cost})
    return Case("one user", replace(content(), levels=[one], verdict=found))


@pytest.mark.parametrize("case", [*cases(), one_user()], ids=lambda case: case.name)
def test_sentences_are_whole(case: Case) -> None:
    for text in prose(of_content(case.content)):
        assert "None" not in text
        assert "  " not in text
        assert ".." not in text.replace("...", "")
        assert " ." not in text
        assert not re.search(r"(?<![\d,.])1 (users|levels|operations|scenarios)\b", text), text
        assert text == text.strip(), text


def test_every_level_is_in_both_tables_of_levels() -> None:
    run = content()
    tables = [
        block
        for block in blocks(of_content(run))
        if isinstance(block, Table) and block.caption.startswith("Every level")
    ]
    assert len(tables) == 2
    for table in tables:
        assert [row.cells[0].text for row in table.rows] == [
            f"{level.users:,}" for level in sorted(run.levels, key=lambda level: level.users)
        ]


def test_the_plan_describes_the_users_and_what_they_do() -> None:
    plan = resolve(load("app-server"), "lab:app", Overrides(users=4, seed=17))
    document = of_content(content(), plan)
    text = " ".join(prose(document))
    assert "closed pace; think time 1s (exponential)" in text
    assert "The seed 17 makes" in text
    (table,) = [
        block
        for block in blocks(document)
        if isinstance(block, Table) and block.caption == "What users do"
    ]
    assert [row.cells[2].text for row in table.rows] == ["20.0%"] * 5


def test_every_figure_has_words_and_numbers() -> None:
    document = of_content(content())
    figures = [block for block in blocks(document) if isinstance(block, Figure)]
    assert len(figures) >= 2
    behind = next(one for one in document.sections if one.title == BEHIND_TITLE)
    assert behind.blocks == [one.data for one in figures]
    assert all(one.alt and one.data and one.data.rows for one in figures)


def test_headlines_say_no_more_than_is_known() -> None:
    found = verdict()
    assert headline(found) == "918 users"
    assert found.capacity is not None
    least = found.capacity.model_copy(update={"at_least": True, "high": None})
    assert headline(found.model_copy(update={"capacity": least})) == "at least 918 users"
    none = found.capacity.model_copy(update={"users": None})
    assert headline(found.model_copy(update={"capacity": none})) is None
    assert headline(found.model_copy(update={"capacity": None})) is None
    alone = found.capacity.model_copy(update={"users": 1})
    assert headline(found.model_copy(update={"capacity": alone})) == "1 user"


def disclosure_rows(run: ReportContent) -> list[tuple[str, str, str]]:
    return [
        (row.cells[0].text, row.cells[1].text, row.cells[2].text)
        for section in of_content(run).sections
        if section.title == "Disclosure"
        for block in section.blocks
        if isinstance(block, Table)
        for row in block.rows
    ]


def test_stated_and_recorded_facts_are_distinguished() -> None:
    run = replace(content(), disclosure={"auditor": {"name": "A. Person"}, "sut": {"rack": "7"}})
    rows = disclosure_rows(run)
    assert ("name", "A. Person", "stated") in rows
    assert ("rack", "7", "stated") in rows
    assert ("Kernel", "6.1.0-28-amd64", "recorded") in rows
    text = " ".join(prose(of_content(run)))
    assert "Not stated: drivers, destinations, tuning and pricing." in text


def test_a_machine_on_both_sides_is_described_once() -> None:
    run = next(case.content for case in cases() if case.name == "on one machine")
    rows = disclosure_rows(run)
    assert rows.count(("Kernel", "6.1.0-28-amd64", "recorded")) == 1
    assert ("Machine", "the same as the system under test", "recorded") in rows


def test_the_largest_littles_law_error_may_be_negative() -> None:
    levels = [
        level(1, 100).model_copy(update={"little_error": 0.004}),
        level(2, 200).model_copy(update={"little_error": -0.07}),
    ]
    (table,) = [
        block
        for block in blocks(of_content(replace(content(), levels=levels)))
        if isinstance(block, Table) and block.caption == "Checks of the measurement"
    ]
    cells = {row.cells[0].text: row.cells[1].text for row in table.rows}
    assert cells["Little's law"] == "7.0% at 200 users"
