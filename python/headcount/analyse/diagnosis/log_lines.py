"""What the server's own log says to it."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict

from headcount.bundle.diagnosis import Limit, LogLine

EVENT = "server-log"
"""The event by which a run keeps a line of the server's log."""
MOST = 5
"""Lines kept; the same one is kept once."""


class Pattern(BaseModel):
    """A line of a log and what it is a sign of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: Limit
    server: str
    pattern: str


@cache
def patterns() -> tuple[Pattern, ...]:
    """All lines that are known."""
    text = files("headcount.analyse.diagnosis").joinpath("log_lines.toml").read_text("utf-8")
    return tuple(Pattern.model_validate(entry) for entry in tomllib.loads(text)["line"])


def log_lines(events: Iterable[Mapping[str, Any]]) -> list[LogLine]:
    """The telling lines among a run's events, each kind of them once, the first ones first."""
    found: dict[str, LogLine] = {}
    for event in events:
        if event.get("event") != EVENT:
            continue
        text = str(event.get("line", event.get("text", "")))
        for known in patterns():
            if known.pattern not in found and re.search(known.pattern, text):
                log = event.get("log", event.get("server"))
                found[known.pattern] = LogLine(
                    t_s=event.get("t_s"),
                    log=None if log is None else str(log),
                    text=text[:500],
                    limit=known.limit,
                )
    return list(found.values())[:MOST]


def said(lines: Sequence[LogLine]) -> frozenset[Limit]:
    """What the server's log names."""
    return frozenset(line.limit for line in lines)
