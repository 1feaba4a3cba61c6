"""What went wrong at all levels: how often, where, and in the server's own words."""

from dataclasses import dataclass, field

from headcount.report.content import ReportContent
from headcount.report.failures import failure_text
from headcount.report.html.table import Column, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element, joined
from headcount.text import count, plural

EXAMPLES_SHOWN = 3
EXAMPLE_CHARACTERS = 300
"""An example is cut after this many characters: a server may answer with a whole page."""

_COLUMNS = (
    Column("Step", text=True),
    Column("Kind", text=True),
    Column("How many"),
    Column("At levels of", text=True),
    Column("Examples", text=True),
)


@dataclass(slots=True)
class _Kind:
    """Faults of one kind at one step, summed over all levels."""

    total: int = 0
    users: list[int] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)


def section(content: ReportContent) -> Html | None:
    """List the kinds of faults, the most frequent first, or say that there were none."""
    if not content.levels:
        return None
    kinds = _kinds(content)
    if not kinds:
        return make_section("Faults", element("p", "No faults at any level."))
    ordered = sorted(kinds.items(), key=lambda item: -item[1].total)
    rows = [
        row(
            _COLUMNS,
            [step, kind, count(found.total), _users(found), _examples(found)],
        )
        for (step, kind), found in ordered
    ]
    return make_section("Faults", joined([_causes(content), table(_COLUMNS, rows, "Faults")]))


def _causes(content: ReportContent) -> Html | None:
    """The failures that explain most: what they mean, and what to do."""
    found = content.verdict.failures
    if not found:
        return None
    return element(
        "ul",
        *(element("li", f"{failure_text(one)}. {one.advice}") for one in found),
        class_="failures",
    )


def _kinds(content: ReportContent) -> dict[tuple[str, str], _Kind]:
    kinds: dict[tuple[str, str], _Kind] = {}
    for level in content.levels:
        for fault in level.faults:
            kind = kinds.setdefault((fault.step, fault.kind), _Kind())
            kind.total += fault.count
            kind.users.append(level.users)
            kind.examples += [text for text in fault.examples if text not in kind.examples]
    return kinds


def _users(kind: _Kind) -> str:
    numbers = sorted(set(kind.users))
    if len(numbers) > EXAMPLES_SHOWN:
        return (
            f"{count(numbers[0])} to {plural('user', numbers[-1])} "
            f"({plural('level', len(numbers))})"
        )
    return ", ".join(count(number) for number in numbers) + " users"


def _examples(kind: _Kind) -> Html:
    return joined(
        element(
            "code",
            text[:EXAMPLE_CHARACTERS]
            + ("\N{HORIZONTAL ELLIPSIS}" * (len(text) > EXAMPLE_CHARACTERS)),
            class_="example",
        )
        for text in kind.examples[:EXAMPLES_SHOWN]
    )
