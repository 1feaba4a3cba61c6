"""The terminal display while sorts are under way."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from headcount.sort.experiment import Trial
from headcount.text import clean, duration, storage

EVERY_S = 0.1


class SortProgress:
    """A bar on a terminal; one line per sort elsewhere; nothing when quiet."""

    def __init__(self, console: Console, sorts: int, *, quiet: bool) -> None:
        """Show the progress of that many sorts on `console`."""
        self._console, self._sorts, self._quiet = console, sorts, quiet
        self._done = 0
        self._shown_s = 0.0
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[position]}"),
        )
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task("", total=1, position="")

    def __enter__(self) -> Self:
        """Begin to show."""
        if self._shows:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""
        if self._shows:
            self._bar.stop()

    @property
    def _shows(self) -> bool:
        return self._console.is_terminal and not self._quiet

    def far(self, what: str, done_bytes: int, total_bytes: int) -> None:
        """Show how far the current step is."""
        now_s = time.monotonic()
        if not self._shows or now_s < self._shown_s + EVERY_S:
            return
        self._shown_s = now_s
        # More passes over the runs than expected must not overflow the bar.
        done = min(done_bytes / max(total_bytes, 1), 1.0)
        position = "" if what == "making the data" else f"sort {self._done + 1} of {self._sorts}"
        self._bar.update(self._task, description=what, completed=done, position=position)

    def measured(self, trial: Trial) -> None:
        """Print a line for the sort that has ended."""
        self._done += 1
        if self._quiet:
            return
        setting, took = trial.setting, trial.sorted
        limit = "" if setting.memory_bytes is None else f" of {storage(setting.memory_bytes)}"
        temporary = storage(took.temporary_bytes) if took.temporary_bytes else "nothing"
        folders = ", ".join(clean(str(place.folder)) for place in setting.work)
        line = (
            f"  {self._done:>3} of {self._sorts}: {storage(setting.sortsize_bytes)}{limit}, "
            f"{duration(took.exit_s * 1000)}, {duration(took.durable_s * 1000)} on disk, "
            f"{temporary} temporary"
        )
        if took.temporary_bytes:
            line += f" in {folders}"
        self._console.print(line, markup=False)
