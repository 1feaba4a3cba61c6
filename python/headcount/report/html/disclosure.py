"""The disclosure sheet: what was stated, beside what was recorded."""

from collections.abc import Sequence

from headcount.bundle.environment import Side
from headcount.report.answer_sentences import price_text, priced
from headcount.report.content import ReportContent
from headcount.report.html.environment import summary
from headcount.report.html.table import Cell, pairs
from headcount.report.html.table import folded as make_section
from headcount.report.machines import MOST_KINDS, machines, numbers_text
from headcount.report.markup import Html, element

NOT_STATED = "not stated"
GROUPS = (
    ("sut", "System under test"),
    ("drivers", "Drivers"),
    ("destinations", "Destinations"),
    ("tuning", "Tuning"),
    ("pricing", "Pricing"),
    ("auditor", "Auditor"),
)
"""Groups of statements and their headings."""


def section(content: ReportContent) -> Html:
    """Print each group, then how the run was made and in what the workload deviates."""
    note = "Stated: by the tester, not checked. Recorded: by Headcount during this run."
    deviations = content.deviations or ["none is named"]
    original = content.recreates or content.deviations
    return make_section(
        "Disclosure",
        element("p", note, class_="note"),
        element("div", *(_group(content, *group) for group in GROUPS), class_="sides"),
        element("h3", "The run, as recorded"),
        pairs(content.recorded),
        element("h4", "Deviations from the original benchmark") if original else None,
        element("ul", *(element("li", deviation) for deviation in deviations))
        if original
        else None,
    )


def _group(content: ReportContent, name: str, heading: str) -> Html:
    stated = sorted(content.disclosure.get(name, {}).items())
    found = recorded_of(content, name)
    return element(
        "div",
        element("h3", heading),
        element("h4", "Stated"),
        pairs(stated) if stated else element("p", NOT_STATED),
        element("h4", "Recorded") if found else None,
        pairs(found) if found else None,
    )


def recorded_of(content: ReportContent, name: str) -> Sequence[tuple[str, Cell]]:
    """What was recorded about a group: names and facts."""
    sides = content.environment.sides
    if name == "sut":
        return _machine([side for side in sides if side.role in ("sut", "both")])
    if name == "drivers":
        return _machine([side for side in sides if side.role in ("generator", "both")])
    if name == "tuning":
        return sorted(pair for side in sides for pair in side.settings.items())
    if name == "pricing" and content.verdict.price is not None:
        prices = priced(content.verdict)
        return [("System", price_text(content.verdict)), *(("Each", each) for each in prices)]
    return []


def _machine(sides: Sequence[Side]) -> list[tuple[str, Cell]]:
    found: list[tuple[str, Cell]] = []
    for one in machines(sides)[:MOST_KINDS]:
        side = one.side
        if side.agents:
            found.append(("Agents", numbers_text(side.agents)))
        if side.host is None:
            found.append(("Machine", "not known: the machine did not answer"))
        found += [(key, value) for key, value in summary(side.host or {}) if value is not None]
        found += sorted(side.programs.items())
    return found
