"""What a figure is: a drawing, its words, and the numbers it was drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.report.figures.plot import Plot
from headcount.report.markup import Html


class Run(Protocol):
    """What most figures are drawn from: a bundle, or the content of a report."""

    @property
    def levels(self) -> Sequence[LevelResult]:
        """All levels in the order they were run."""

    @property
    def verdict(self) -> Verdict | None:
        """The answer, if there is one yet."""

    @property
    def environment(self) -> EnvironmentFile | None:
        """Both sides' hardware and system, if recorded."""


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers behind a figure, formatted for people.

    Attributes:
        columns: Headings, each with its unit.
        rows: Cells, as many as there are columns; the first names the row.

    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a report.

    Attributes:
        name: What it is called in files and links, such as ``throughput``.
        title: Its heading.
        alt: What it shows, in a sentence or two, for readers who cannot see it.
        caption: What stands below it: what the marks mean, and what to beware of.
        svg: The drawing, as wide as a page. Its colours are classes of the page's style sheet;
            :func:`headcount.report.figures.standalone.standalone` makes a file of it.
        narrow: The same drawing for a narrow screen.
        table: The numbers it was drawn from.
        plot: The same numbers for the interactive chart of a page; None without one.

    """

    name: str
    title: str
    alt: str
    caption: str
    svg: Html
    narrow: Html
    table: Table
    plot: Plot | None = None
