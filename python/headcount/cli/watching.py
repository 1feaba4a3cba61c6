"""Runs `headcount watch`: a list, lines, or a screen."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headcount import __version__
from headcount.cli.console import err, out, print_json
from headcount.cli.watched import Opened, opened
from headcount.counters.catalogue import lookup
from headcount.counters.log.own_record import Header
from headcount.counters.value_text import unit_name, value
from headcount.errors import InputError
from headcount.live import alert, plain
from headcount.live.line import title, unit
from headcount.live.monitor import POINTS, Happened, Monitor
from headcount.live.records import Objects
from headcount.live.wall import Wall
from headcount.live.watch import Watch
from headcount.secret_text import redacted, redacted_json
from headcount.text import clean

_LOGGED = "log: {0}; headcount diagnose {0} reads it"
_POLL_S = 0.2
"""How long to wait for samples before checking whether to stop."""
_MOST_POINTS = 1_000_000
"""Samples of a log that are shown at most; eleven days of seconds."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    target: str | None
    sources: tuple[str, ...]
    counters: tuple[str, ...]
    alerts: tuple[str, ...]
    interval_s: float
    for_s: float | None
    log: Path | None


def checked(interval_s: float, least_s: float, most_s: float) -> float:
    """The interval; raises InputError if it is out of bounds."""
    if not least_s <= interval_s <= most_s:
        raise InputError(f"--interval is {interval_s:g} s; it can be 100ms to 1h")
    return interval_s


def prepared(asked: Asked) -> tuple[Watch, Opened]:
    """The watch, not started yet, and its sources."""
    conditions = [alert.parse(text) for text in asked.alerts]
    wall = Wall()
    found = opened(asked.target, asked.sources, wall)
    points = min(max(POINTS, found.points), _MOST_POINTS)
    monitor = Monitor(asked.counters, alert.Alerts(conditions), points)
    interval_s = found.interval_s or asked.interval_s
    watch = Watch(monitor, found.feeds, found.sources, interval_s, __version__, wall)
    if asked.log is not None:
        watch.record(asked.log)
    return watch, found


def print_lines(asked: Asked, *, json: bool) -> None:
    """Print samples as lines until the source ends, the time is up, or Ctrl-C."""
    watch, _ = prepared(asked)
    head = Header(
        at_s=watch.wall.now(),
        headcount=__version__,
        interval_s=watch.interval_s,
        sources=list(watch.sources),
    )
    objects = Objects(head)

    def print_lines(happened: Happened) -> None:
        if json:
            shown = {line.key for line in watch.monitor.lines} if asked.counters else None
            lines = objects.lines(happened, shown)
        else:
            lines = plain.lines(watch.monitor, happened)
        for line in lines:
            print(redacted_json(line) if json else redacted(line), flush=True)
        while watch.messages:
            err.print(watch.messages.pop(0), markup=False)

    with suppress(KeyboardInterrupt):
        _follow(watch, asked, print_lines)
    for happened in watch.end():
        print_lines(happened)
    err.print(plain.ending(watch.monitor, watch.cost()), markup=False)
    if asked.log is not None:
        err.print(_LOGGED.format(asked.log), markup=False)


def _follow(watch: Watch, asked: Asked, print_lines: Callable[[Happened], None]) -> None:
    """Print what happens until the end; name once the patterns that match no counter."""
    until_s = float("inf") if asked.for_s is None else time.monotonic() + asked.for_s
    watch.start()
    warned = False
    while not watch.over:
        left_s = until_s - time.monotonic()
        if left_s <= 0:
            return
        for happened in watch.drain(min(_POLL_S, left_s)):
            print_lines(happened)
        if not warned and (unmatched := watch.monitor.unmatched_patterns()):
            warned = True
            for pattern in unmatched:
                text = f'no counter is called "{pattern}"; headcount watch --list names all'
                err.print(text, markup=False)


def list_counters(asked: Asked, *, json: bool) -> None:
    """Print the counters that can be watched; takes two samples, since rates need two."""
    watch, _ = prepared(asked)
    watch.start()
    began_s = time.monotonic()
    try:
        while not watch.over and time.monotonic() - began_s < max(2 * watch.interval_s, 1.0) + 5:
            watch.drain(_POLL_S)
            if all(state.samples > 1 for state in watch.monitor.sources.values()):
                break
    finally:
        watch.end()
    rows = [
        (source, name, state.history.latest.get(name))
        for source, state in watch.monitor.sources.items()
        for name in state.history.names
        if not asked.counters or watch.monitor.wants(name)
    ]
    if json:
        print_json([_described(*row) for row in rows])
        return
    several = len(watch.monitor.sources) > 1
    for source, name, now in rows:
        counter = lookup(name)
        whose = f" on {clean(source)}" if several else ""
        reading = value(now, unit(name))
        counted = unit_name(unit(name)) or "unit unknown"
        out.print(f"{title(name)}{whose}: {reading}", style="bold", markup=False)
        out.print(f"  {clean(name)} ({counted})", markup=False)
        out.print(f"  {counter.meaning if counter else 'Not in the catalogue.'}", markup=False)
    for state in watch.monitor.sources.values():
        if state.lost is not None:
            err.print(f"{state.name}: {state.lost}", markup=False)


def _described(source: str, name: str, now: float | None) -> dict[str, object]:
    counter = lookup(name)
    return {
        "source": source,
        "name": name,
        "label": title(name),
        "unit": unit(name),
        "value": now,
        "meaning": counter.meaning if counter else None,
    }


def show(asked: Asked) -> None:
    """Show a screen until q, the time is up, or Ctrl-C."""
    from headcount.live.screen.app import WatchApp

    watch, found = prepared(asked)  # after the import, to leave its CPU time out
    app = WatchApp(watch, for_s=asked.for_s, replayed=found.interval_s is not None)
    try:
        app.run()
    finally:
        watch.end()
    err.print(plain.ending(watch.monitor, watch.cost()), markup=False)
    if asked.log is not None:
        err.print(_LOGGED.format(asked.log), markup=False)
