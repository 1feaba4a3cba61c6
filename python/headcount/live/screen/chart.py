"""The chart: lines over time on one axis of 0 to 100, each with a scale of its own."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from headcount.live.plot import Cell, place, plot
from headcount.live.screen.palette import COLOURS, FAINT, MARKED, STRONG
from headcount.live.view import View

_MARGIN = 5
"""Characters left of the lines: the axis and its figures."""
_LEAST_WIDTH, _LEAST_HEIGHT = 8, 3
BOOKMARK = "\N{BLACK UP-POINTING TRIANGLE}"
_AXIS = "\N{BOX DRAWINGS LIGHT VERTICAL}"


class Chart(Widget):
    """Draws the view's lines on request, as segments because they are the cheapest to draw."""

    DEFAULT_CSS = "Chart { height: 1fr; }"

    def __init__(self, view: View, *, dated: bool) -> None:
        """Show a view; `dated` if it may be of another day than today."""
        super().__init__(id="chart")
        self._view = view
        self._dated = dated
        self._strips: list[Strip] = []

    def fill(self) -> None:
        """Redraw."""
        self._strips = [Strip(segments) for segments in self._rows()]
        self.refresh()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.fill()

    def render_line(self, y: int) -> Strip:
        """One line, in the widget's colours if it has none."""
        width = self.size.width
        strip = self._strips[y] if y < len(self._strips) else Strip.blank(width)
        return strip.adjust_cell_length(width).apply_style(Style(bgcolor=self.rich_style.bgcolor))

    def _rows(self) -> list[list[Segment]]:
        """All lines of the widget."""
        width, height = self.size.width - _MARGIN, self.size.height - 1
        window = self._view.window()
        if width < _LEAST_WIDTH or height < _LEAST_HEIGHT:
            return [[Segment("too small for a chart", FAINT)]]
        if window is None:
            return [[Segment("waiting for the first sample", FAINT)]]
        shown = self._view.visible_lines()
        selected = next(
            (one.line.colour for one in shown if one.line.key == self._view.selected), None
        )
        ticks = {0: "100", height // 2: "50", height - 1: "0"}
        return [
            [
                Segment(f"{ticks.get(number, ''):>{_MARGIN - 1}}{_AXIS}", FAINT),
                *self._runs(row, selected),
            ]
            for number, row in enumerate(plot(self._view.curves(shown), *window, width, height))
        ] + [self._below(window, width)]

    def _runs(self, row: Sequence[Cell], selected: int | None) -> list[Segment]:
        """A row of cells, with adjacent cells of one colour joined."""
        return [
            Segment("".join(cell.character for cell in cells), self._style(colour, selected))
            for colour, cells in groupby(row, key=lambda cell: cell.colour)
        ]

    def _style(self, colour: int | None, selected: int | None) -> Style | None:
        if colour is None:
            return None
        if not self._view.highlighted:
            return COLOURS[colour % len(COLOURS)]
        return STRONG if colour == selected else FAINT

    def _below(self, window: tuple[float, float], width: int) -> list[Segment]:
        """The time axis: its start and end, and the bookmarks."""
        start, end = (self._moment(at_s) for at_s in window)
        line = list(start.ljust(width)[:width])
        if width > len(start) + len(end) + 2:
            line[width - len(end) :] = end
        for mark in self._view.monitor.bookmarks:
            at = place(mark.at_s, *window, width)
            if at is not None:
                line[at] = BOOKMARK
        return [
            Segment(" " * _MARGIN),
            *(
                Segment("".join(letters), MARKED if marked else FAINT)
                for marked, letters in groupby(line, key=lambda letter: letter == BOOKMARK)
            ),
        ]

    def _moment(self, at_s: float) -> str:
        at = datetime.fromtimestamp(at_s, UTC).astimezone()
        return f"{at:%Y-%m-%d %H:%M:%S}" if self._dated else f"{at:%H:%M:%S}"
