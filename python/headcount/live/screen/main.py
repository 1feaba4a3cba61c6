"""The one screen: four views of a watch, and the actions of the keys."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Footer, Static

from headcount.errors import InputError
from headcount.live import alert, export, scale
from headcount.live.explanation import explanation
from headcount.live.line import Line
from headcount.live.monitor import Happened
from headcount.live.plain import clock
from headcount.live.reading import Back, Lost
from headcount.live.screen import keys
from headcount.live.screen.add import Add
from headcount.live.screen.chart import Chart
from headcount.live.screen.dialogs import Ask, Page
from headcount.live.screen.legend import Legend
from headcount.live.screen.tables import Alerts, Log, Report
from headcount.live.view import View
from headcount.live.watch import Watch
from headcount.text import clean, share

LEAST_S, MOST_S = 0.1, 3600.0
_NAMES = {keys.CHART: "Chart", keys.ALERTS: "Alerts", keys.LOG: "Log", keys.REPORT: "Report"}


class Main(Screen[None]):
    """Chart, alerts, log and report."""

    DEFAULT_CSS = """
    Main { & > #tabs { height: 1; } & > #status { height: 1; color: $text-muted; }
           & ContentSwitcher { height: 1fr; } & #chart-view { height: 1fr; } }
    """
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings()

    def __init__(self, watch: Watch, view: View, *, replayed: bool) -> None:
        """Of a watching."""
        super().__init__()
        self._watch, self._view, self._replayed = watch, view, replayed

    def compose(self) -> ComposeResult:
        """Tabs, what is going on, the view, the keys."""
        yield Static("", id="tabs")
        yield Static("", id="status")
        with ContentSwitcher(initial=keys.CHART):
            with Vertical(id=keys.CHART):
                yield Chart(self._view, dated=self._replayed)
                yield Legend(self._view)
            yield Alerts(self._watch)
            yield Log(self._watch)
            yield Report(self._watch)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Let keys reach the table of lines."""
        self.query_one(Legend).focus()
        self.fill()

    def take(self, happened: list[Happened]) -> None:
        """Show messages, and what is new."""
        for one in happened:
            match one.news:
                case Lost(source, _, reason):
                    self._say(f"{source}: {reason}", bad=True)
                case Back(source, _):
                    self._say(f"{source} is back")
                case _:
                    pass
        while self._watch.messages:
            self._say(self._watch.messages.pop(0), bad=True)

    def fill(self) -> None:
        """Show what is known now in the view that is open."""
        view = self.query_one(ContentSwitcher).current
        if view == keys.CHART:
            self.query_one(Legend).fill()
            self.query_one(Chart).fill()
        elif view == keys.ALERTS:
            self.query_one(Alerts).fill()
        elif view == keys.LOG:
            self.query_one(Log).fill()
        else:
            self.query_one(Report).fill()
        self.query_one("#tabs", Static).update(self._tabs(view))
        self.query_one("#status", Static).update(self._status())

    @on(Legend.Chosen)
    def _chosen(self) -> None:
        """Draw the chosen line above the others."""
        self.query_one(Chart).fill()

    def action_view(self, name: str) -> None:
        """Open a view."""
        self.query_one(ContentSwitcher).current = name
        focus = {keys.CHART: "#legend", keys.ALERTS: "#conditions", keys.REPORT: "#report"}
        if name in focus:
            self.query_one(focus[name]).focus()
        self.fill()

    def action_add(self) -> None:
        """Add counters."""
        self.app.push_screen(Add(self._watch.monitor), lambda _: self.fill())

    def action_remove(self) -> None:
        """Remove the chosen line, or the chosen alert."""
        if self.query_one(ContentSwitcher).current == keys.ALERTS:
            condition = self.query_one(Alerts).selected
            if condition is not None:
                self._watch.monitor.alerts.remove(condition)
        elif (line := self._line()) is not None:
            self._watch.monitor.remove(line)
        self.fill()

    def action_scale(self, step: int) -> None:
        """Multiply the chosen line by ten, or divide it."""
        line = self._line()
        power = next((one.power for one in self._view.visible_lines() if one.line == line), None)
        if line is not None and power is not None:
            self._watch.monitor.rescale(line, scale.clamped_power(power + step))
            self.fill()

    def action_fit(self) -> None:
        """Let the chosen line's scale follow its values."""
        if (line := self._line()) is not None:
            self._watch.monitor.rescale(line, None)
            self.fill()

    def action_highlight(self) -> None:
        """Show the chosen line alone in full colour, or all of them."""
        self._view.highlighted = not self._view.highlighted
        self.fill()

    def action_freeze(self) -> None:
        """Stand still, or go on."""
        self._view.freeze()
        self.fill()

    def action_zoom(self, step: int) -> None:
        """Show a shorter or a longer time."""
        self._view.zoom(step)
        self.fill()

    def action_move(self, step: int) -> None:
        """Go back or forward in time."""
        self._view.move(step / 2)
        self.fill()

    def action_bookmark(self) -> None:
        """Note something about now, or about the end of what is frozen."""
        at_s = self._view.frozen_s or self._watch.wall.now()

        def take(text: str | None) -> None:
            if text is not None:
                self._watch.bookmark(text, at_s)
                self.fill()

        self.app.push_screen(Ask(f"Bookmark at {clock(at_s)}: what is happening?"), take)

    def action_explain(self) -> None:
        """Explain the chosen counter."""
        if self.query_one(ContentSwitcher).current == keys.REPORT:
            name = self.query_one(Report).selected
        else:
            line = self._line()
            name = None if line is None else line.name
        if name is not None:
            self.app.push_screen(Page(explanation(name)))

    def action_alert(self) -> None:
        """Set an alert; the chosen counter is there already."""
        line = self._line()
        given = f"{line.name}>" if line is not None else ""

        def take(text: str | None) -> None:
            if text is not None:
                self._watch.monitor.alerts.conditions.append(alert.parse(text))
                self.fill()

        question = "Alert when a counter is over or under a number, such as CPU busy>90%:"
        self.app.push_screen(Ask(question, given, alert.parse), take)

    def action_write(self) -> None:
        """Write a log from now on, or end it."""
        if self._watch.recorder is not None:
            path = self._watch.recorder.path
            self._watch.stop_recording()
            self._say(f"{path} is closed")
            self.fill()
            return

        def take(text: str | None) -> None:
            if text is not None:
                self._say(f"writing {text}")
                self.fill()

        def write(text: str) -> None:
            self._watch.record(Path(text).expanduser())

        self.app.push_screen(Ask("Write all counters to this file:", _named("log"), write), take)

    def action_interval(self) -> None:
        """Sample more often or less."""
        if self._replayed:
            self._say("a recording has its own interval", bad=True)
            return

        def take(text: str | None) -> None:
            if text is not None:
                self._watch.every(interval(text))
                self.fill()

        given = f"{self._watch.interval_s:g}s"
        question = "Time between samples, such as 500ms, 5s or 1m:"
        self.app.push_screen(Ask(question, given, interval), take)

    def action_export(self) -> None:
        """Write what is on the screen as CSV."""
        view = self.query_one(ContentSwitcher).current
        monitor = self._watch.monitor
        if view == keys.ALERTS:
            text = export.alerts(monitor)
        elif view == keys.REPORT:
            text = export.report(monitor)
        else:
            text = export.chart(self._view)

        def take(path: str | None) -> None:
            if path is not None:
                self._say(f"written: {path}")

        def save(path: str) -> None:
            export.save(Path(path).expanduser(), text)

        self.app.push_screen(Ask("Save what is shown as CSV to:", _named("csv"), save), take)

    def action_keys(self) -> None:
        """List the keys."""
        self.app.push_screen(Page(keys.page()))

    def action_leave(self) -> None:
        """End."""
        self.app.exit()

    def _line(self) -> Line | None:
        """The chosen line."""
        lines = self._watch.monitor.lines
        return next((line for line in lines if line.key == self._view.selected), None)

    def _say(self, text: str, *, bad: bool = False) -> None:
        self.app.notify(clean(text), severity="warning" if bad else "information", markup=False)

    def _tabs(self, view: str | None) -> Text:
        text = Text(" ")
        raised = len(self._watch.monitor.alerts.raised_s)
        notes = {keys.ALERTS: f" ({raised})" if raised else "", keys.LOG: ""}
        if self._watch.recorder is not None:
            notes[keys.LOG] = " \N{BLACK CIRCLE}"
        for number, (name, shown) in enumerate(_NAMES.items(), start=1):
            style = "bold reverse" if name == view else "bold red" if notes.get(name) else ""
            text.append(f" {number} {shown}{notes.get(name, '')} ", style=style)
            text.append(" ")
        return text

    def _status(self) -> Text:
        watch, view = self._watch, self._view
        parts = []
        lost = [state.name for state in watch.monitor.sources.values() if state.lost is not None]
        if lost:
            parts.append(f"LOST: {', '.join(map(clean, lost))}")
        if view.frozen_s is not None:
            parts.append("FROZEN")
        names = [clean(name) for name in watch.monitor.sources]
        parts.append(names[0] if len(names) == 1 else f"{len(names)} sources")
        if not self._replayed:
            parts.append(f"every {watch.interval_s:g} s")
        costs = [state.cost_each_ms for state in watch.monitor.sources.values()]
        known = [cost for cost in costs if cost is not None]
        if known:
            parts.append(f"a sample costs {sum(known):.1f} ms")
        parts.append(f"this program {share(watch.cost())} of a core")
        return Text("  " + ", ".join(parts), no_wrap=True, overflow="ellipsis")


def interval(text: str) -> float:
    """Read an interval such as 500ms; raises InputError if it is invalid or not possible."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)", text.strip())
    seconds = float(found[1]) * {"ms": 1e-3, "s": 1, "m": 60, "h": 3600}[found[2]] if found else 0
    if not LEAST_S <= seconds <= MOST_S:
        raise InputError(
            f'cannot use the interval "{clean(text)}"; write it like 500ms or 5s, 100ms to 1h'
        )
    return seconds


def _named(ending: str) -> str:
    """A name for a new file."""
    return f"watch-{datetime.now(UTC).astimezone():%Y%m%d-%H%M%S}.{ending}"
