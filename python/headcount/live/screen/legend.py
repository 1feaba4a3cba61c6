"""The table below the chart: each line's scale, last value, mean, minimum and maximum."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from headcount.counters.value_text import value
from headcount.live import scale
from headcount.live.line import title, unit
from headcount.live.screen.palette import CHOSEN, COLOURS, HEAD
from headcount.live.view import Shown, View
from headcount.text import clean

_FIGURES = ("last", "mean", "least", "most")
_WIDE = 12
"""Characters of a figure: `123 MiB/s`, with room around it."""
_SCALE = 7
_SHARE = 0.45
"""Share of the screen that it may take."""


class Legend(Widget, can_focus=True):
    """Up and down choose a line; drawn as segments because they are the cheapest."""

    DEFAULT_CSS = "Legend { height: 2; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", show=False),
        Binding("down", "choose(1)", show=False),
    ]

    class Chosen(Message):
        """Another line was chosen."""

    def __init__(self, view: View) -> None:
        """Show a view."""
        super().__init__(id="legend")
        self._view = view
        self._shown: list[Shown] = []
        self._first = 0
        """The first visible row."""

    def fill(self) -> None:
        """Read the present state."""
        self._shown = self._view.visible_lines()
        keys = [one.line.key for one in self._shown]
        if self._view.selected not in keys:
            self._view.selected = keys[0] if keys else None
        most = int(self.screen.size.height * _SHARE)
        height = max(min(len(keys), most), 1) + 1
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height
        self._see_selected(height - 1)
        self.refresh()

    def action_choose(self, step: int) -> None:
        """Choose the line below, or above."""
        keys = [one.line.key for one in self._shown]
        if self._view.selected in keys:
            row = keys.index(self._view.selected) + step
            self._choose(min(max(row, 0), len(keys) - 1))

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        self._choose(self._first + event.y - 1)

    def on_mouse_scroll_down(self) -> None:
        """Choose the line below."""
        self.action_choose(1)

    def on_mouse_scroll_up(self) -> None:
        """Choose the line above."""
        self.action_choose(-1)

    def render_line(self, y: int) -> Strip:
        """The head, or a line."""
        width = self.size.width
        back = Style(bgcolor=self.rich_style.bgcolor)
        number = self._first + y - 1
        if y == 0:
            cells = [f"{name:>{_WIDE}}" for name in _FIGURES]
            text = f"  {'counter':<{self._room}}{'scale':>{_SCALE}}{''.join(cells)}"
            strip = Strip([Segment(text, HEAD)])
        elif 0 <= number < len(self._shown):
            strip = self._row(self._shown[number])
        else:
            strip = Strip([])
        return strip.adjust_cell_length(width).apply_style(back)

    @property
    def _room(self) -> int:
        """Characters of a name."""
        return max(self.size.width - 2 - _SCALE - _WIDE * len(_FIGURES), 8)

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self._shown):
            self._view.selected = self._shown[row].line.key
            self._see_selected(self.size.height - 1)
            self.refresh()
            self.post_message(self.Chosen())

    def _see_selected(self, rows: int) -> None:
        keys = [one.line.key for one in self._shown]
        row = keys.index(self._view.selected) if self._view.selected in keys else 0
        self._first = min(max(self._first, row - rows + 1), row, max(len(keys) - rows, 0))

    def _row(self, one: Shown) -> Strip:
        line, found, counted = one.line, one.figures, unit(one.line.name)
        several = len(self._view.monitor.sources) > 1
        name = f"{title(line.name)}, {clean(line.source)}" if several else title(line.name)
        room = self._room
        name = name if len(name) < room else name[: room - 2] + "\N{HORIZONTAL ELLIPSIS}"
        # A moving window shows the latest sample, which may lack the counter; a frozen one shows
        # the last value in it.
        moving = self._view.frozen_s is None
        last = self._view.monitor.latest(line) if moving else found.last if found else None
        figures = [last, *((found.mean, found.minimum, found.maximum) if found else (None,) * 3)]
        factor = f"{'' if line.power is None else '='}{scale.scale_text(one.power)}"
        text = "".join(f"{value(figure, counted):>{_WIDE}}" for figure in figures)
        chosen = line.key == self._view.selected
        return Strip(
            [
                Segment("\N{FULL BLOCK} ", COLOURS[line.colour % len(COLOURS)]),
                Segment(f"{name:<{room}}{factor:>{_SCALE}}{text}", CHOSEN if chosen else None),
            ]
        )
