"""What to do about a limit: data."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from headcount.analyse.failures import failures_of
from headcount.bundle.diagnosis import Advice, Limit
from headcount.bundle.level import LevelResult

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


def failure_advice(levels: Sequence[LevelResult]) -> list[Advice]:
    """What to do about the failures of a run."""
    found = failures_of(levels, MOST)
    texts = {failure.id: failure.advice for failure in found}
    return [Advice(id=name, sentence=text) for name, text in texts.items()]


def advice(limit: Limit, detail: str | None, levels: Sequence[LevelResult] = ()) -> list[Advice]:
    """What fits, that for the kind first; of refusals, what the server's own words ask for."""
    if limit == "refusal":
        own = [one for one in failures_of(levels) if one.cause == "turned-away"]
        if own:
            return [Advice(id=own[0].id, sentence=own[0].advice)]
    kind = "connections" if (detail or "").startswith("connections") else detail
    fits = [one for one in entries() if one.limit == limit and one.detail in (None, kind)]
    exact = [one for one in fits if one.detail is not None]
    if limit in ("pool", "lock", "refusal") and exact:
        fits = exact  # what is said of these in general names other settings
    fits.sort(key=lambda one: one.detail is None)
    return [Advice(id=one.id, sentence=one.text) for one in fits[:MOST]]
