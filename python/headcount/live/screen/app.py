"""The program on the terminal: draws, asks for news, and ends with its signals."""

import asyncio
import os
import signal
import time
from types import FrameType
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from headcount.errors import ExitCode
from headcount.live.screen.main import Main
from headcount.live.view import SPANS_S, View
from headcount.live.watch import Watch

DRAWN_S = 0.25
"""Shortest time between redraws: more cannot be read and costs CPU that is being watched."""
_SAMPLES_SHOWN = 60
"""Samples that a chart has room for at the start."""


class WatchApp(App[None]):
    """Shows a watch until the user leaves, or the time is over.

    Args:
        watch: Not started yet; its creator ends it.
        for_s: End after this time; None for never.
        replayed: Whether all of it happened already, or somebody else samples it.

    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "headcount watch"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", show=False, priority=True)]

    def __init__(self, watch: Watch, *, for_s: float | None, replayed: bool) -> None:
        """Show nothing yet."""
        super().__init__()
        self._watch = watch
        wanted_s = _SAMPLES_SHOWN * watch.interval_s
        span_s = next((span for span in SPANS_S if span >= wanted_s), None)
        self.view = View(watch.monitor, None if replayed else span_s)
        self._replayed = replayed
        self._until_s = None if for_s is None else time.monotonic() + for_s

    def on_mount(self) -> None:
        """Begin."""
        self.main = Main(self._watch, self.view, replayed=self._replayed)
        self.push_screen(self.main)
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, self.exit)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, _hang_up)
        self._watch.start()
        self.set_interval(min(self._watch.interval_s, DRAWN_S), self.tick)

    def tick(self) -> None:
        """Take what is new; draw when something is."""
        if self._until_s is not None and time.monotonic() >= self._until_s:
            self.exit()
            return
        happened = self._watch.drain()
        if not self.main.is_mounted:
            return
        if happened or self._watch.messages:
            self.main.take(happened)
            self.main.fill()


def _hang_up(_signal: int, _frame: FrameType | None) -> None:
    """Exit at once: the terminal is gone, and the library would block for ever on a write to it.

    Nothing is lost: every log line was passed to the system when it was written.
    """
    os._exit(ExitCode.INTERRUPTED)
