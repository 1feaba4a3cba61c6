"""The machines of agents in reports: machines that are alike are described once."""

from dataclasses import replace

from report_factory import content, environment, host
from report_page import read

from headcount.bundle.environment import EnvironmentFile, Side
from headcount.report.content import ReportContent
from headcount.report.document import configuration, disclosure
from headcount.report.document.blocks import Table
from headcount.report.html import render
from headcount.report.machines import MOST_KINDS, machines, numbers_text


def load(number: int, memory_bytes: int = 8 << 30) -> Side:
    described = {**host(), "hostname": f"load{number}", "memory_bytes": memory_bytes}
    return Side(
        role="generator",
        host=described,
        programs={"headcount": "0.1.0"},
        settings={},
        agents=[number],
    )


def run(*sides: Side) -> ReportContent:
    own = environment()
    control = own.sides[1].model_copy(update={"role": "controller"})
    known: EnvironmentFile = own.model_copy(update={"sides": [own.sides[0], control, *sides]})
    return replace(content(), environment=known)


def tables(made: ReportContent) -> list[Table]:
    blocks = configuration.section(made).blocks
    return [one for one in blocks if isinstance(one, Table) and "System" in one.caption]


def test_machines_that_are_alike_are_described_once() -> None:
    made = run(*(load(number) for number in range(1, 25)))
    page = read(made)
    assert page.texts.count("Load generator: agents 1 to 24, on 24 machines of one kind") == 1
    assert "Controller, which plays no users" in page.texts
    assert "load1, load2, load3 and 21 more" in page.texts
    assert "All facts about the first of these machines" in page.texts
    (table,) = tables(made)
    heads = [column.heading for column in table.columns]
    assert heads[1:] == [
        "Server under test",
        "Controller, which plays no users",
        "Load generator: agents 1 to 24, on 24 machines of one kind",
    ]
    rows = {row.cells[0].text: row.cells[3].text for row in table.rows}
    assert rows["Host"] == "load1, load2, load3 and 21 more"
    assert rows["Memory"] == "8.00 GiB"


def test_different_machines_are_listed_apart_three_to_a_table() -> None:
    made = run(load(1), load(2, 16 << 30), load(3))
    found = machines(made.environment.sides)
    assert [one.number for one in found] == [1, 1, 2, 1]
    assert found[2].side.agents == [1, 3]
    assert [len(table.columns) for table in tables(made)] == [1 + 3, 1 + 1]
    assert tables(made)[1].caption == "System configuration, part 2"


def test_the_disclosure_has_the_agents_machines_as_drivers() -> None:
    made = run(load(1), load(2))
    drivers = next(
        one
        for one in disclosure.section(made).blocks
        if isinstance(one, Table) and one.caption == "Drivers"
    )
    found = [(row.cells[0].text, row.cells[1].text) for row in drivers.rows]
    assert found[:2] == [("Agents", "1 and 2"), ("Host", "load1 and load2")]
    assert "load01" not in str(found)  # the controller is no driver


def test_very_many_kinds_are_cut_and_the_rest_is_counted() -> None:
    made = run(*(load(number, number << 20) for number in range(1, 10_001)))
    page = read(made)
    assert sum(text.startswith("Load generator: agent ") for text in page.texts) == MOST_KINDS - 2
    over = 10_002 - MOST_KINDS
    assert f"{over:,} more machines of other kinds: see environment.json." in page.texts
    assert len(render(made)) < 2 * len(render(run(load(1))))


def test_malformed_facts_do_not_fail_the_report() -> None:
    odd = [
        load(1).model_copy(update={"host": {"cpu": ["x"], "kernel": 7, "limits": None}}),
        load(2).model_copy(update={"host": {"cpu": {"model": {"deep": [1]}}, "hostname": ["n"]}}),
        load(3).model_copy(update={"host": None}),
    ]
    page = read(run(*odd))
    # No known fact distinguishes agents 1 and 2, and nothing at all is known of agent 3.
    assert "Load generator: agents 1 and 2, on 2 machines of one kind" in page.texts
    assert "Load generator: agent 3" in page.texts


def test_a_run_by_one_process_has_the_usual_headings() -> None:
    page = read(content())
    assert {"Server under test", "Load generator", "All facts about the machine"} <= set(page.texts)


def test_agents_are_named_by_their_numbers() -> None:
    assert numbers_text([7]) == "7"
    assert numbers_text([1, 2]) == "1 and 2"
    assert numbers_text([*range(1, 101)]) == "1 to 100"
    assert numbers_text([1, 2, 4]) == "1, 2 and 4"
    assert numbers_text([*range(1, 101, 2)]) == "1, 3, 5 and 47 more"
