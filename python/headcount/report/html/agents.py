"""The agents that played the users, side by side."""

from headcount.report.agents import columns, note, rows, title
from headcount.report.content import ReportContent
from headcount.report.html.table import Column, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element
from headcount.report.selection import shown


def section(content: ReportContent) -> Html | None:
    """Show each agent at the level that stands for the answer; nothing if one process played."""
    level = shown(content.verdict, content.levels)
    found = rows(content.agents, content.levels, level)
    if not found:
        return None
    filled = columns(found)
    heads = [Column(one.heading, text=one.text) for one in filled]
    return make_section(
        title(level),
        table(heads, [row(heads, [one.cell(each) for one in filled]) for each in found], "Agents"),
        element("p", note(filled), class_="note"),
    )
