"""The charts of a run, in the order of reading."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.bundle.reader import Bundle
from headcount.report.document.blocks import Column, Figure, Row, Table, cells
from headcount.report.figures import (
    before_after,
    collection,
    cpu_pair,
    figure_types,
    response,
    throughput,
    transfer,
    utilisation,
)
from headcount.report.figures.pair import Side
from headcount.text import plural

MOST_ROWS = 60
"""Most rows of the numbers behind a chart; the run's folder has them all."""

OF_USE = frozenset({"utilisation", "transfer"})
"""Charts of what the server used; the others are of what users saw."""
OF_AGENTS = "agents"
"""The chart of the agents, which is in a section of its own."""


@dataclass(frozen=True, slots=True)
class Charts:
    """Charts of the results, of what the server used, and of the agents."""

    results: Sequence[Figure]
    analysis: Sequence[Figure]
    agents: Sequence[Figure] = ()


def of_bundle(bundle: Bundle) -> Charts:
    """All charts for which the bundle has figures."""
    return _sorted(collection.of_bundle(bundle))


def of_run(run: figure_types.Run) -> Charts:
    """The charts that need only the levels of a run, not its seconds."""
    made = [throughput.figure(run), response.figure(run)]
    made += [utilisation.figure(run), transfer.figure(run)]
    return _sorted([one for one in made if one is not None])


def of_pair(names: Sequence[str], runs: Sequence[Bundle]) -> list[Figure]:
    """Charts of two runs against each other; with more, of the first and the last."""
    before, after = (Side(names[at], runs[at]) for at in (0, -1))
    title = f"{after.name} against {before.name}"
    made = [before_after.figure(before, after, title), cpu_pair.figure(before, after)]
    return [taken(one) for one in made if one is not None]


def _sorted(made: Sequence[figure_types.Figure]) -> Charts:
    return Charts(
        [taken(one) for one in made if one.name not in {*OF_USE, OF_AGENTS}],
        [taken(one) for one in made if one.name in OF_USE],
        [taken(one) for one in made if one.name == OF_AGENTS],
    )


def taken(one: figure_types.Figure) -> Figure:
    """A figure as a block of the document, with the numbers behind it as its table."""
    return Figure(
        svg=one.svg,
        alt=one.alt,
        caption=one.title,
        note=one.caption,
        data=_table(one) if one.table.rows else None,
    )


def _table(one: figure_types.Figure) -> Table:
    columns = [
        Column(heading, text=not index or _words(one.table, index))
        for index, heading in enumerate(one.table.columns)
    ]
    over = len(one.table.rows) - MOST_ROWS
    are = "is" if over == 1 else "are"
    return Table(
        f"Behind “{one.title}”",
        columns,
        [Row(cells(*row)) for row in one.table.rows[:MOST_ROWS]],
        f"{plural('more row', over)} {are} left out here." if over > 0 else "",
    )


def _words(table: figure_types.Table, index: int) -> bool:
    """Whether a column holds words rather than figures."""
    texts = [row[index] for row in table.rows]
    return not any(character.isdigit() for text in texts for character in text)
