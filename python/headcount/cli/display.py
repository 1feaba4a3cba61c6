"""The terminal display of a run under way."""

import time
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.controller.level import WAIT
from headcount.controller.listener import TRIAL, Outlook, Phase, Second
from headcount.plan.plan import Plan
from headcount.plan.tokens import oauth2_of
from headcount.text import count, duration, plural, share, significant, span

PURPOSES = {
    "climb": "on the way up",
    "probe": "growing until something breaks",
    "bracket": "narrowing down",
    "straddle": "measuring around the capacity",
    "official": "full level at the capacity",
    "recovery": "after an overload, until the server recovers",
    "curve": "for the chart",
    "ladder": "ladder",
    "only": "one level",
    "soak": "soak",
}
PHASES = {"rest": "leaving", "change": "changing", "drain": "leaving"}
BAR = 12
"""Columns of a bar: the figures beside it fit into a terminal of 80 columns."""
MARKS = {"passed": "[green]passed[/]", "failed": "[red]failed[/]", "invalid": "[yellow]invalid[/]"}


def figures(result: LevelResult) -> str:
    """The figures of a level in a line, in columns."""
    response = result.total.response
    cpu = result.counters.get("sut", {}).get("system.cpu.utilization")
    columns = [
        f"{significant(result.achieved_per_s):>7}/s",
        f"p95 {time_text(response, 'p95_ms'):>8}",
        f"CPU {share(cpu.mean if cpu else None):>6}",
    ]
    return "  ".join(columns)


class Display:
    """A live display on a terminal; one line per level elsewhere; nothing when quiet."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        """Show on `console`."""
        self._console = console
        self._quiet = quiet
        self._live = Live(console=console, refresh_per_second=4, transient=True)
        self._phase: Phase | None = None
        self._phase_began_s = 0.0
        self._second: Second | None = None
        self._outlook: Outlook | None = None
        self._outlook_at_s = 0.0
        self._prepared: tuple[int, int] | None = None

    def __enter__(self) -> Self:
        """Begin to show."""
        if self._shows:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""
        if self._shows:
            self._live.stop()

    @property
    def _shows(self) -> bool:
        return self._console.is_terminal and not self._quiet

    def started(self, plan: Plan, folder: Path) -> None:
        """Print what runs, and on which target."""
        criteria = " ".join(plan.workload.criteria)
        self._say(plan.workload.title, markup=False)
        by = f" (rule {plan.rule})" if plan.rule else ""
        self._say(f"  on {plan.target}, criteria {criteria}{by}, seed {plan.seed}", markup=False)
        if plan.workload.program is not None:
            self._say(f"  plays {plan.workload.program.text}", markup=False)
        if (oauth2 := oauth2_of(plan.workload)) is not None:
            self._say(f"  {oauth2.text}", markup=False)
        self._say(f"  bundle {folder}", markup=False)

    def phase(self, phase: Phase) -> None:
        """Show the phase that begins."""
        self._phase, self._phase_began_s = phase, time.monotonic()
        self._prepared = None
        self._refresh()

    def prepared(self, done: int, users: int) -> None:
        """Show how much of the data set is ready."""
        self._prepared = (done, users)
        self._refresh()

    def second(self, second: Second) -> None:
        """Show the figures of the second that has passed."""
        self._second = second
        self._refresh()

    def level(self, result: LevelResult) -> None:
        """Print a line for the level that has ended."""
        users = plural("user", result.users)
        self._say(f"  {users:>13}  {figures(result)}  {MARKS[result.outcome]}")
        if result.outcome == "invalid":
            self._say(f"          {'; '.join(result.reasons)}", markup=False)

    def noted(self, text: str) -> None:
        """Print a line."""
        self._say(f"  {text}", markup=False)

    def outlook(self, outlook: Outlook) -> None:
        """Print the expected time once; after that the display shows it."""
        if self._outlook is None:
            self._say(f"  this will take about {span(outlook.remaining_s)}", markup=False)
        self._outlook, self._outlook_at_s = outlook, time.monotonic()
        self._refresh()

    def finished(self, verdict: Verdict) -> None:
        """Do nothing: the verb prints the answer, on standard output."""

    def _say(self, text: str, *, markup: bool = True) -> None:
        if not self._quiet:
            self._console.print(text, markup=markup)

    def _refresh(self) -> None:
        if self._shows:
            self._live.update(self._render())

    def _render(self) -> RenderableType:
        lines = [line for line in (self._now(), self._known()) if line is not None]
        return Group(*lines)

    def _now(self) -> RenderableType | None:
        phase = self._phase
        if phase is None:
            return None
        passed_s = time.monotonic() - self._phase_began_s
        if phase.name in (WAIT, TRIAL):
            minutes, seconds = divmod(round(passed_s), 60)
            return Text(f"{phase.name}, {minutes}:{seconds:02}")
        title = Text(self._title(phase), overflow="ellipsis", no_wrap=True)
        row = Table.grid(padding=(0, 1))
        if self._prepared is not None and phase.name == "prepare":
            done, users = self._prepared
            bar = ProgressBar(total=max(users, 1), completed=done, width=BAR)
            row.add_row(Text("preparing the data set"), bar)
        else:
            bar = ProgressBar(total=max(phase.seconds, 1), completed=passed_s, width=BAR)
            row.add_row(Text(PHASES.get(phase.name, phase.name)), bar, Text(self._figures()))
        return Group(title, row)

    def _title(self, phase: Phase) -> str:
        if phase.name == "drain":
            return "all levels are done"
        what = PURPOSES.get(phase.purpose, phase.purpose)
        return f"level {phase.level}: {plural('user', phase.users)} ({what})"

    def _figures(self) -> str:
        second = self._second
        if second is None:
            return ""
        figures = [
            f"{count(second.users)} present",
            f"{significant(second.rate_per_s)}/s",
            f"p95 {duration(second.p95_ms)}",
        ]
        if second.cpu_share is not None:
            figures.append(f"CPU {share(second.cpu_share)}")
        if second.failed:
            figures.append(f"{count(second.failed)} failed")
        return "  ".join(figures)

    def _known(self) -> Text | None:
        outlook = self._outlook
        if outlook is None:
            return None
        left_s = max(outlook.remaining_s - (time.monotonic() - self._outlook_at_s), 0.0)
        known = []
        if outlook.low > 0:
            known.append(f"{plural('user', outlook.low)} pass")
        if outlook.high != float("inf"):
            known.append(f"{count(outlook.high)} do not")
        if outlook.estimate is not None and outlook.high != float("inf"):
            known.append(f"estimate {count(outlook.estimate)}")
        known.append(f"about {span(left_s)} left")
        return Text(", ".join(known), style="dim")
