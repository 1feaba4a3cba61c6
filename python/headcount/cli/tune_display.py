"""The display of a tuning: what is tried, and the budget that is left."""

from pathlib import Path

from rich.console import Console

from headcount.bundle.level import LevelResult
from headcount.cli.display import Display, figures
from headcount.controller.listener import Phase
from headcount.plan.plan import Plan
from headcount.text import duration, plural
from headcount.tune.change import AS_IT_IS
from headcount.tune.goal import judged_p95

LEAST_SHOWN_S = 1.0
"""Time to log on from which it is shown: most servers let users in at once."""


class TuneDisplay(Display):
    """A run's display until the trials begin; then a line for each turn, with what it tries.

    Whether a turn passes says nothing: it has more users than the server holds, so that the limit
    shows.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        """Show on `console`."""
        super().__init__(console, quiet=quiet)
        self._settings: str | None = None
        self._numbers = {AS_IT_IS.text: 0}
        """Of the settings that were tried, in their order."""

    def started(self, plan: Plan, folder: Path) -> None:
        """Print what runs, and on which target: of the search, then of the trials."""
        self._outlook = None
        super().started(plan, folder)

    def configured(self, text: str) -> None:
        """Show these settings above the turns from now on."""
        self._settings = text
        self._numbers.setdefault(text, len(self._numbers))

    def level(self, result: LevelResult) -> None:
        """Print a line for the level or turn that has ended."""
        if self._settings is None:
            super().level(result)
            return
        number = self._numbers[self._settings]
        side = f"change {number}" if number else AS_IT_IS.text
        self._say(f"  {side:>13}  {figures(result)}{_judged_text(result)}{_log_on_text(result)}")
        if result.outcome == "invalid":
            self._say(f"          {'; '.join(result.reasons)}", markup=False)

    def _title(self, phase: Phase) -> str:
        if self._settings is None:
            return super()._title(phase)
        return f"turn {phase.level}: {plural('user', phase.users)} ({self._settings})"


def _judged_text(turn: LevelResult) -> str:
    """The 95th percentile of some scenarios, if they are what the workload is judged by."""
    judged = judged_p95(turn)
    return f"  {judged[0]} p95 {duration(judged[1])}" if judged is not None else ""


def _log_on_text(turn: LevelResult) -> str:
    log_on_s = turn.log_on_s or 0.0
    return f"  {duration(log_on_s * 1000)} to log on" if log_on_s >= LEAST_SHOWN_S else ""
