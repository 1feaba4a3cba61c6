"""The terminal display while connections are held."""

from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from headcount.analyse.costs import Holding
from headcount.bundle.shares import LeftOut, SharesPoint
from headcount.text import storage


class HeldDisplay:
    """A live line on a terminal, and a permanent one for each start of the server."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        """Show on `console`."""
        self._console = console
        self._quiet = quiet
        self._live = Live(console=console, refresh_per_second=4, transient=True)
        self._starts = 0

    def __enter__(self) -> Self:
        """Begin to show."""
        if self._console.is_terminal and not self._quiet:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""
        self._live.stop()

    def began(self, folder: Path, starts: int) -> None:
        """Print what is measured, and the folder of the results."""
        self._starts = starts
        if not self._quiet:
            text = f"Holding shares, connections and open files: {starts} starts, kept in {folder}"
            self._console.print(text, markup=False)

    def holding(self, start: int, point: Holding, connected: int) -> None:
        """Show the point that is being set up."""
        if not self._live.is_started:
            return
        self._live.update(
            Text(
                f"  {start + 1}/{self._starts}: {point.shares:,} shares; {point.connections:,} "
                f"connections with {point.net_uses:,} net uses and {point.open_files:,} open files "
                f"({connected:,} ready)"
            )
        )

    def ended(self, start: int, points: list[SharesPoint], left: list[LeftOut]) -> None:
        """Print a line for the start that has ended."""
        if self._quiet:
            return
        last = points[-1] if points else None
        if last is not None:
            self._console.print(
                f"  {start + 1}/{self._starts}  {last.shares:>6,} shares  {last.connections:>5,} "
                f"connections  {last.net_uses:>4,} net uses  {last.open_files:>5,} open files  "
                f"{storage(last.process_bytes)}",
                markup=False,
            )
        if left:
            self._console.print(f"  no longer measured: {left[0].reason}", markup=False)
