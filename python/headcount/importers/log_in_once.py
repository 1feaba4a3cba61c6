"""A recorded visit of a user who stays logged in: the log-in becomes the workload's setup."""

import re
from collections.abc import Iterator

from headcount.errors import InputError
from headcount.importers.journey import Entry, Journey, Made, Page, Pause, Step

_LOG_OUT = re.compile(r"(?:^|[/_.-])(?:log|sign)[-_]?(?:out|off)(?:$|[/_.?-])", re.IGNORECASE)
"""Paths that end a session."""


def log_in_once(journey: Journey) -> None:
    """Move all up to the first log-in into the setup, and leave out log-outs.

    Raises InputError if nobody logs in.
    """
    (scenario,) = journey.scenarios
    entries = scenario.entries
    place = next((at for at, entry in enumerate(entries) if _logs_in(entry, journey)), None)
    if place is None:
        raise InputError("the recording has no log-in with a password; leave out --log-in once")
    before, after = entries[: place + 1], entries[place + 1 :]
    made = [one for one in before if isinstance(one, Made)]
    kept = [one for one in after if not any(_LOG_OUT.search(step.path) for step in _steps(one))]
    while kept and isinstance(kept[0], Pause):
        kept.pop(0)
    if not any(True for one in kept for _ in _steps(one)):
        raise InputError(
            "only the log-in was recorded; visit more of the site, or leave out --log-in once"
        )
    names = [step.name for one in after if one not in kept for step in _steps(one)]
    journey.left_out += [f"the log-out {name}: users stay logged in" for name in names]
    journey.setup = [one for one in before if not isinstance(one, Pause)]
    scenario.entries = [*made, *kept]
    journey.has_new_visitors = False
    _capture_again(journey, kept)


def _capture_again(journey: Journey, kept: list[Entry]) -> None:
    """Also capture values of the setup from later pages: the next visit needs the latest."""
    of_setup = {
        one.name for entry in journey.setup for step in _steps(entry) for one in step.captures
    }
    for step in (one for entry in kept for one in _steps(entry)):
        own = {one.name for one in step.captures}
        step.captures += [
            one
            for one in journey.again.get(step.name, ())
            if one.name in of_setup and one.name not in own
        ]


def _logs_in(entry: Entry, journey: Journey) -> bool:
    return any(step.name in journey.log_ins for step in _steps(entry))


def _steps(entry: Entry) -> Iterator[Step]:
    if isinstance(entry, Step):
        yield entry
    elif isinstance(entry, Page):
        yield from entry.steps
