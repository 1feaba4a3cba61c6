"""What to do about a limit: data."""

import tomllib
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from headcount.bundle.diagnosis import Advice, Limit

MOST = 3
"""Suggestions at once; nobody reads longer lists."""


class Entry(BaseModel):
    """A suggestion for a limit, or for one kind of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    limit: Limit
    detail: str | None = None
    text: str


@cache
def entries() -> tuple[Entry, ...]:
    """All advice there is."""
    text = files("headcount.analyse.diagnosis").joinpath("advice.toml").read_text("utf-8")
    return tuple(Entry.model_validate(entry) for entry in tomllib.loads(text)["advice"])


def advice(limit: Limit, detail: str | None) -> list[Advice]:
    """What fits, that for the kind first."""
    fits = [one for one in entries() if one.limit == limit and one.detail in (None, detail)]
    fits.sort(key=lambda one: one.detail is None)
    return [Advice(id=one.id, sentence=one.text) for one in fits[:MOST]]
