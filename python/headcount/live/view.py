"""Which time window is shown, and each line in it: pure, for the chart."""

import bisect
from dataclasses import dataclass

import numpy as np

from headcount.live import scale
from headcount.live.figures import Figures, figures
from headcount.live.history import Trace
from headcount.live.line import Line, unit
from headcount.live.monitor import Monitor
from headcount.live.plot import Curve

SPANS_S = (10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 4 * 3600.0, 12 * 3600.0, 86400.0)
"""Lengths of time that a chart may show, besides all of it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One line in the chart.

    Attributes:
        trace: What is in the window.
        power: Power of ten that it is multiplied by.
        figures: Those of the window; None if it has no value.

    """

    line: Line
    trace: Trace
    power: int
    figures: Figures | None


@dataclass
class View:
    """A time window on what a monitor knows.

    Attributes:
        span_s: How much time is shown; None for all of it.
        frozen_s: The window's end if it stands still; None if it moves.

    """

    monitor: Monitor
    span_s: float | None = 60.0
    frozen_s: float | None = None
    selected: tuple[str, str] | None = None
    highlighted: bool = False

    def window(self) -> tuple[float, float] | None:
        """The first and last moment shown; None before any sample."""
        whole = self.monitor.span_s()
        if whole is None:
            return None
        end_s = whole[1] if self.frozen_s is None else self.frozen_s
        if self.span_s is None:
            return whole[0], max(end_s, whole[0] + 1e-3)
        return end_s - self.span_s, end_s

    def freeze(self) -> None:
        """Stand still, or move again."""
        whole = self.monitor.span_s()
        self.frozen_s = whole[1] if self.frozen_s is None and whole is not None else None

    def move(self, windows: float) -> None:
        """Move by this many windows, back if negative; the window then stands still."""
        whole, shown = self.monitor.span_s(), self.window()
        if whole is None or shown is None or self.span_s is None:
            return
        end_s = shown[1] + windows * self.span_s
        self.frozen_s = min(max(end_s, min(whole[0] + self.span_s, whole[1])), whole[1])

    def zoom(self, step: int) -> None:
        """Show a shorter time (-1) or a longer one (1); the longest is all of it."""
        whole = self.monitor.span_s()
        kept_s = whole[1] - whole[0] if whole else 0.0
        if self.span_s is None:
            shorter = [span for span in SPANS_S if span < kept_s] or [SPANS_S[0]]
            self.span_s = shorter[-1] if step < 0 else None
            return
        place = bisect.bisect_left(SPANS_S, self.span_s) + step
        too_long = step > 0 and self.span_s >= kept_s and self.frozen_s is not None
        self.span_s = None if too_long or place >= len(SPANS_S) else SPANS_S[max(place, 0)]

    def visible_lines(self) -> list[Shown]:
        """Every line with its part in the window."""
        window = self.window()
        if window is None:
            return []
        return [self._visible_line(line, window) for line in self.monitor.lines]

    def curves(self, shown: list[Shown]) -> list[Curve]:
        """What to draw, the selected line last and so above all others."""
        ordered = sorted(shown, key=lambda one: one.line.key == self.selected)
        return [Curve(one.trace, 10.0**one.power, one.line.colour) for one in ordered]

    def _visible_line(self, line: Line, window: tuple[float, float]) -> Shown:
        state = self.monitor.sources.get(line.source)
        empty = np.zeros(0)
        trace = (
            state.history.trace(line.name).between(*window)
            if state
            else Trace(empty, empty, empty.astype(np.bool_))
        )
        found = figures(trace)
        power = line.power
        if power is None:
            largest = max(abs(found.maximum), abs(found.minimum)) if found else 0.0
            power = scale.fitting_power(largest, unit(line.name))
        return Shown(line, trace, power, found)
