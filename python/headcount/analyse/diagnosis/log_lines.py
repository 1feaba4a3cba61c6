"""Lines of the server's log that name a limit."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict

from headcount.bundle.diagnosis import Limit, LogLine

EVENT = "server-log"
"""The event that records a line of the server's log."""
MOST = 5
"""Most lines kept; each once."""


class Pattern(BaseModel):
    """A known line of a log, and the limit it is a sign of.

    Attributes:
        name: Unique among them.
        limit: The limit it is a sign of.
        server: The server that logs it.
        pattern: A regular expression for it.
        meaning: Its meaning, as a part of a sentence.
        knob: The setting behind it, under the server's name for it.
        knobs: The names of such settings as `headcount tune` knows them, with groups in braces.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    limit: Limit
    server: str
    pattern: str
    meaning: str
    knob: str
    knobs: tuple[str, ...] = ()

    def knobs_in(self, text: str) -> list[str]:
        """The settings that a matching text names; one that needs a missing group is left out."""
        match = re.search(self.pattern, text)
        groups = {} if match is None else {k: v for k, v in match.groupdict().items() if v}
        found = []
        for one in self.knobs:
            with suppress(KeyError):
                found.append(one.format_map(groups))
        return found


@cache
def patterns() -> tuple[Pattern, ...]:
    """All known lines."""
    text = files("headcount.analyse.diagnosis").joinpath("log_lines.toml").read_text("utf-8")
    return tuple(Pattern.model_validate(entry) for entry in tomllib.loads(text)["line"])


def known(text: str) -> Pattern | None:
    """The known line that a text matches; None if there is none."""
    return next((one for one in patterns() if re.search(one.pattern, text)), None)


def log_lines(events: Iterable[Mapping[str, Any]]) -> list[LogLine]:
    """Known lines among a run's events, each once, in order."""
    found: dict[str, LogLine] = {}
    for event in events:
        if event.get("event") != EVENT:
            continue
        text = str(event.get("line", event.get("text", "")))
        one = known(text)
        if one is not None and one.name not in found:
            log = event.get("log", event.get("server"))
            found[one.name] = LogLine(
                t_s=event.get("t_s"),
                log=None if log is None else str(log),
                text=text[:500],
                limit=one.limit,
            )
    return list(found.values())[:MOST]


def logged_knobs(events: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The settings that lines of the server's log name, as `headcount tune` knows them."""
    return frozenset(
        str(name)
        for event in events
        if event.get("event") == EVENT
        for name in event.get("knobs", ())
    )


def named_limits(lines: Sequence[LogLine]) -> frozenset[Limit]:
    """The limits that the server's log names."""
    return frozenset(line.limit for line in lines)
