"""The agents that played the users, in the page, in the PDF's document and on the terminal."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_agents import agents, fleet, level_of_agents, levels, summary
from report_bundle import bundle_of
from report_cases import HOSTILE, hostile
from report_factory import content, level
from report_page import read
from rich.console import Console

from headcount.bundle import reader
from headcount.bundle.agents import Agent, Fleet, Moment, fleets
from headcount.errors import InputError
from headcount.report.agents import MOST_ROWS, columns, rows
from headcount.report.assemble import assemble
from headcount.report.content import ReportContent
from headcount.report.document import analysis
from headcount.report.document.blocks import Heading, Table
from headcount.report.html import agents as section
from headcount.report.html import render
from headcount.report.terminal import summary as printed_summary
from headcount.text import DASH

AT = "Agents at 800 users (passed)"


def printed(made: ReportContent, width: int = 120) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width)
    printed_summary(made.verdict, made.levels, console, agents=made.agents)
    return file.getvalue()


def cells(made: ReportContent) -> list[dict[str, str]]:
    found = rows(made.agents, made.levels, made.levels[2])
    filled = columns(found)
    return [{one.heading: one.cell(row) for one in filled} for row in found]


def test_without_agents_there_is_no_section_on_them() -> None:
    made = content()
    assert section.section(made) is None
    assert "Agents" not in render(made)
    assert "Agents" not in printed(made)


def test_each_agent_has_the_figures_of_the_level_at_the_answer() -> None:
    one, two, three = cells(agents())
    # 800 users are 267 for each; two do one in 5.2 s each, the slow one 0.7 of that.
    assert [each["Users"] for each in (one, two, three)] == ["267", "267", "267"]
    assert [each["Scenarios/s"] for each in (one, two)] == ["51.3", "35.9"]
    mean = (1 + 1 + 0.7) / 3
    assert one["Per user"] == f"{1 / mean:.1%}"
    assert two["Per user"] == f"{0.7 / mean:.1%}"
    # 0.0006 of a core for each user, and 1.8 times that on the slow machine.
    assert [each["Busiest worker"] for each in (one, two)] == ["48.0%", "86.4%"]
    assert [each["Lateness"] for each in (one, two)] == ["201 \N{MICRO SIGN}s", "12.5 ms"]
    assert one["Clock error"] == "101 \N{MICRO SIGN}s"
    assert [each["Full from"] for each in (one, two, three)] == [DASH, "800 users", DASH]
    assert (two["Machine"], two["CPUs"], two["Workers"]) == ("load2", "8", "8")
    assert "Lost" not in one


def test_an_agent_that_was_lost_says_when() -> None:
    numbers = (1, 3)
    later = [fleet(1, 2, 3), fleet(*numbers, since=Moment(2, 400, is_during=True), lost=[2])]
    made = agents(slow=None)
    kept = [*made.levels[:2], *levels(numbers, None)[2:]]
    one, two, three = cells(replace(made, levels=kept, agents=later))
    assert (two["Users"], two["Per user"], two["Lost"]) == (DASH, DASH, "at 400 users")
    assert (one["Users"], one["Lost"], three["Users"]) == ("400", DASH, "400")
    before = [fleet(1, 2), fleet(1, since=Moment(), lost=[2])]
    assert cells(replace(made, agents=before))[1]["Lost"] == "before the first level"
    after = [fleet(1, 2), fleet(1, since=Moment(1, 100), lost=[2])]
    assert cells(replace(made, agents=after))[1]["Lost"] == "after 100 users"


@pytest.mark.parametrize("number", [24, 100])
def test_of_many_agents_the_worst_are_listed_and_the_others_are_summed(number: int) -> None:
    found = cells(agents(number, slow=number - 3))
    assert len(found) == MOST_ROWS + 1
    assert found[0]["Agent"] == str(number - 3)
    assert found[0]["Full from"] == "800 users"
    rest = found[-1]
    others = number - MOST_ROWS
    assert rest["Agent"].split() == [str(others), "others"]
    assert rest["Workers"] == str(8 * others)
    assert float(rest["Users"]) == pytest.approx(800 / number * others, abs=0.5)
    assert float(rest["Scenarios/s"]) == pytest.approx(800 / number * others / 5.2, rel=0.005)
    assert rest["Busiest worker"] == "up to 48.0%"
    assert rest["Per user"].startswith("from 10")
    listed = sum(float(one["Users"]) for one in found)
    assert listed == pytest.approx(800, abs=MOST_ROWS)


def test_one_more_than_the_most_is_listed_rather_than_summed() -> None:
    assert len(cells(agents(MOST_ROWS + 1))) == MOST_ROWS + 1
    assert cells(agents(MOST_ROWS + 1))[-1]["Agent"] == str(MOST_ROWS + 1)


def test_the_page_and_the_document_have_the_table_and_the_chart() -> None:
    made = agents()
    page = read(made)
    assert {AT, "Agents against each other"} <= set(page.headings)
    blocks = list(analysis.section(made, []).blocks)
    at = blocks.index(Heading("Agents of the load generator"))
    table = blocks[at + 1]
    assert isinstance(table, Table)
    assert table.caption == AT
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        [*one.values()] for one in cells(made)
    ]
    assert "Full from" in table.note
    assert len(table.widths) == len(table.columns)


def test_the_terminal_has_the_short_form() -> None:
    text = printed(agents(), 100)
    lines = text[text.index(AT) :].splitlines()
    assert lines[1].split()[:2] == ["Agent", "Machine"]
    assert lines[4].split()[:5] == ["2", "load2", "267", "35.9", "77.8%"]
    many = printed(agents(100))
    assert "94 others" in many.replace("\N{NO-BREAK SPACE}", " ")


def test_agents_on_one_machine_need_no_column_of_it_on_the_terminal() -> None:
    made = agents()
    here = {
        number: replace(one, machine="this machine")
        for number, one in made.agents[0].agents.items()
    }
    text = printed(replace(made, agents=[Fleet(here, Moment())]))
    assert "this machine" not in text


def test_a_machine_has_both_its_names_where_they_differ_and_each_once() -> None:
    made = agents()
    here = {1: replace(made.agents[0].agents[1], machine="10.0.0.7", host="load7")}
    then = {1: replace(made.agents[0].agents[1], machine="10.0.0.8", host="10.0.0.8")}
    moved = [Fleet(one, Moment()) for one in (here, then, here)]
    assert cells(replace(made, agents=moved))[0]["Machine"] == "10.0.0.7 (load7), then 10.0.0.8"


def test_machines_cannot_inject_and_long_names_are_cut() -> None:
    page = render(hostile())
    assert "<script>window" not in page
    assert "<img" not in page
    assert "Agents against each other" in page
    long = agents()
    named = {1: replace(long.agents[0].agents[1], machine="x" * 5000)}
    assert "x" * 50 not in render(replace(long, agents=[Fleet(named, Moment())]))
    assert HOSTILE not in printed(hostile())


@pytest.mark.parametrize(
    "listed", ["nobody", [1, None, {"number": "2"}], [{"number": 2, "machine": [HOSTILE]}], None]
)
def test_a_bundle_with_a_malformed_event_has_a_report(listed: object, tmp_path: Path) -> None:
    folder = bundle_of(agents(), tmp_path / "run")
    event = {"at": "2026-01-01T00:00:00Z", "t_s": 0, "event": "agents", "agents": listed}
    (folder / "events.ndjson").write_text(json.dumps(event) + "\n", "utf-8")
    page = render(assemble(reader.load(folder)))
    assert AT in page
    assert "<img" not in page


def test_a_bundle_without_events_or_with_damaged_ones(tmp_path: Path) -> None:
    folder = bundle_of(agents(), tmp_path / "run")
    assert AT in render(assemble(reader.load(folder)))
    (folder / "events.ndjson").write_text('{"event": 1}\n[1]\n', "utf-8")
    with pytest.raises(InputError, match="is damaged: line 1 is not an event"):
        assemble(reader.load(folder))


def test_ten_thousand_agents_are_as_many_rows_as_a_hundred() -> None:
    made = agents()
    event = {
        "event": "agents",
        "agents": [{"number": one, "machine": f"m{one}"} for one in range(1, 10_001)],
    }
    many = replace(made, levels=[level(1, 800)], agents=fleets([event]))
    found = rows(many.agents, many.levels, many.levels[0])
    assert len(found) == MOST_ROWS + 1
    assert len(render(many)) < 2 * len(render(replace(made, levels=[level(1, 800)])))


def test_agents_without_facts_or_figures_are_shown_with_what_is_known() -> None:
    made = agents()
    (one,) = cells(replace(made, levels=[level(1, 800)] * 3, agents=[fleet(1)]))
    assert (one["Machine"], one["Users"], one["Per user"]) == ("load1", DASH, DASH)
    bare = cells(replace(made, agents=[]))
    assert [each["Machine"] for each in bare] == [DASH] * 3
    assert [each["Users"] for each in bare] == ["267"] * 3
    nothing = Agent(1, None, None, None, None, None, None)
    (row,) = rows([Fleet({1: nothing}, Moment())], [], None)
    assert [one.cell(row) for one in columns([row])][1:] == [DASH] * 9
    idle = level_of_agents(level(1, 800), (1, 2), None)
    still = {
        side: {**found, "agent.scenarios": summary(0.0)} if side.startswith("agent") else found
        for side, found in idle.counters.items()
    }
    idle = idle.model_copy(update={"counters": still})
    assert {one.relative for one in rows([], [idle], idle)} == {None}
