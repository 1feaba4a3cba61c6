"""The views beside the chart: alerts, log and report."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import DataTable, Static

from headcount.counters.value_text import value
from headcount.live.alert import Condition
from headcount.live.export import latest
from headcount.live.line import title, unit
from headcount.live.plain import clock
from headcount.live.watch import Watch
from headcount.text import clean, memory, span


class Alerts(Vertical):
    """The conditions, and below them what happened, the latest first."""

    DEFAULT_CSS = """
    Alerts { & > #conditions { height: auto; max-height: 40%; }
             & > #events { height: 1fr; border-top: solid $primary; } }
    """

    def __init__(self, watch: Watch) -> None:
        """Of a watching."""
        super().__init__(id="alerts")
        self._watch = watch
        self._conditions: list[Condition] = []
        self._seen: tuple[int, float] = (0, 0.0)

    def compose(self) -> ComposeResult:
        """Two tables."""
        yield DataTable[Text](id="conditions", cursor_type="row")
        yield DataTable[Text](id="events", cursor_type="row")

    def on_mount(self) -> None:
        """Name the columns."""
        self.query_one("#conditions", DataTable).add_columns("alert when", "now")
        self.query_one("#events", DataTable).add_columns(
            "time", "", "counter", "value", "threshold", "lasted"
        )

    @property
    def selected(self) -> Condition | None:
        """The condition that was chosen."""
        row = self.query_one("#conditions", DataTable).cursor_row
        return self._conditions[row] if 0 <= row < len(self._conditions) else None

    def fill(self) -> None:
        """Write what is known now."""
        alerts = self._watch.monitor.alerts
        table = self.query_one("#conditions", DataTable)
        row = table.cursor_row
        self._conditions = list(alerts.conditions)
        table.clear()
        for condition in self._conditions:
            beyond = sum(key[2] == condition for key in alerts.raised_s)
            state = Text(f"{beyond} beyond it", style="bold red") if beyond else Text("none")
            table.add_row(Text(condition.text), state)
        if not self._conditions:
            table.add_row(Text("none yet: press t to set one", style="dim"), Text(""))
        table.move_cursor(row=min(row, max(len(self._conditions) - 1, 0)))
        self._fill_events()

    def _fill_events(self) -> None:
        events = self._watch.monitor.events
        seen = (len(events), events[-1].at_s if events else 0.0)
        if seen == self._seen:
            return
        self._seen = seen
        table = self.query_one("#events", DataTable)
        table.clear()
        for event in reversed(events):
            unit_ = unit(event.name)
            raised = event.lasted_s is None
            table.add_row(
                Text(clock(event.at_s)),
                Text(event.state, style="bold red" if raised else "green"),
                Text(f"{title(event.name)}, {clean(event.source)}"),
                Text(value(event.value, unit_), justify="right"),
                Text(f"{event.condition.side} {value(event.condition.level, unit_)}"),
                Text("" if raised else span(event.lasted_s)),
            )


class Report(DataTable[Text]):
    """The latest value of every counter, a column for each source."""

    def __init__(self, watch: Watch) -> None:
        """Of a watching."""
        super().__init__(id="report", cursor_type="row", fixed_columns=1)
        self._watch = watch
        self._names: list[str] = []
        self._sources: list[str] = []

    @property
    def selected(self) -> str | None:
        """The counter that was chosen."""
        return self._names[self.cursor_row] if self.cursor_row < len(self._names) else None

    def fill(self) -> None:
        """Write what is known now; rows keep their places while the counters are the same."""
        monitor = self._watch.monitor
        rows = latest(monitor)
        names = sorted(rows, key=lambda name: title(name).casefold())
        sources = list(monitor.sources)  # an agent of a run may come later
        if names != self._names or sources != self._sources:
            chosen = self.selected
            self.clear(columns=True)
            self.add_columns("counter", *map(clean, sources))
            for name in names:
                self.add_row(Text(title(name)), *(Text() for _ in monitor.sources))
            self._names, self._sources = names, sources
            if chosen in names:
                self.move_cursor(row=names.index(chosen))
        for row, name in enumerate(names):
            for column, source in enumerate(monitor.sources, start=1):
                cell = Text(value(rows[name].get(source), unit(name)), justify="right")
                if self.get_cell_at((row, column)) != cell:  # type: ignore[arg-type]
                    self.update_cell_at((row, column), cell, update_width=True)  # type: ignore[arg-type]


class Log(Static):
    """The log that is written, the sources, and what all of it costs."""

    def __init__(self, watch: Watch) -> None:
        """Of a watching."""
        super().__init__(id="log")
        self._watch = watch

    def fill(self) -> None:
        """Write what is known now."""
        watch = self._watch
        text = Text()
        recorder = watch.recorder
        if recorder is None:
            text.append("No log is written. Press w to write one.\n", style="dim")
        else:
            text.append("Writing ", style="bold")
            text.append(
                f"{recorder.path}: {recorder.samples:,} samples, {memory(recorder.bytes)}\n"
            )
            if recorder.failing is not None:
                text.append(
                    f"{recorder.failing}; {recorder.dropped:,} lines lost\n", style="bold red"
                )
        text.append(f"\nSampled every {watch.interval_s:g} s (i changes it).\n\n")
        for state in watch.monitor.sources.values():
            text.append(f"{clean(state.name)}: ", style="bold")
            text.append(f"{state.samples:,} samples, {len(state.history.names):,} counters")
            if state.cost_each_ms is not None:
                text.append(f", {state.cost_each_ms:.1f} ms of CPU a sample")
            if state.lost is not None:
                text.append(f"; LOST: {clean(state.lost)}", style="bold red")
            text.append("\n")
        text.append(f"\nThis program has taken {watch.cost():.1%} of one core so far.\n\n")
        for mark in list(watch.monitor.bookmarks)[-10:]:
            text.append(f"{clock(mark.at_s)}  {clean(mark.text)}\n")
        self.update(text)
