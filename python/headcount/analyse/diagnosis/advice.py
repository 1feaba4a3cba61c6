"""What to do about a limit: data."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from headcount.analyse.diagnosis.evidence.pause import COLLECTION, JVM
from headcount.analyse.diagnosis.evidence.upstream import ACCEPT_QUEUE, REDIS
from headcount.analyse.diagnosis.sign import Sign, address_of
from headcount.analyse.failures import failures_of, turning_away
from headcount.bundle.diagnosis import Advice, Limit
from headcount.bundle.level import LevelResult
from headcount.counters.naming import split_instance

SINGLE = "one at a time"
"""The kind for another server that serves one scenario at a time."""
BLIND = "blind"
"""The kind for an unknown limit of a server whose processes are not observed."""
OR_A_RATE = "or a rate"
"""The kind for a pool that could also be a rate limit."""
MOST = 3
"""Most suggestions at once; nobody reads longer lists."""


class Entry(BaseModel):
    """A suggestion for a limit, or for one kind of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    limit: Limit
    detail: str | None = None
    text: str


@cache
def entries() -> tuple[Entry, ...]:
    """All suggestions."""
    text = files("headcount.analyse.diagnosis").joinpath("advice.toml").read_text("utf-8")
    return tuple(Entry.model_validate(entry) for entry in tomllib.loads(text)["advice"])


def failure_advice(levels: Sequence[LevelResult]) -> list[Advice]:
    """What to do about the failures of a run."""
    found = failures_of(levels, MOST)
    texts = {failure.id: failure.advice for failure in found}
    return [Advice(id=name, sentence=text) for name, text in texts.items()]


def advice_kind(sign: Sign, programs: Mapping[str, str]) -> str | None:
    """The kind of a limit in the advice; a detail that is an address becomes the kind of server.

    `programs` are the programs at such addresses.
    """
    if sign.limit == "upstream":
        if any(one.counter == REDIS for one in sign.figures):
            return "redis"
        queued = any(split_instance(one.counter)[0] == ACCEPT_QUEUE for one in sign.figures)
        if queued:
            return "workers"
        return SINGLE if sign.size_unit == "ms" else programs.get(address_of(sign) or "")
    if sign.limit == "cpu" and any(one.counter in (COLLECTION, JVM) for one in sign.figures):
        return "garbage collection"
    if sign.detail is not None and sign.detail.startswith("connections"):
        return "connections"
    return sign.detail


def advice(limit: Limit, kind: str | None, levels: Sequence[LevelResult] = ()) -> list[Advice]:
    """The suggestions for a kind of limit, in the order of the file, those for the kind first.

    If there are any for the kind of a pool, a lock, a refusal or an unknown limit, only those:
    general advice names other settings. Other refusals get the advice for the server's own message.
    """
    fits = [one for one in entries() if one.limit == limit and one.detail in (None, kind)]
    exact = [one for one in fits if one.detail is not None]
    if limit == "refusal" and not exact:
        own = [one for one in failures_of(levels) if one.id in turning_away()]
        if own:
            return [Advice(id=own[0].id, sentence=own[0].advice)]
    if limit in ("pool", "lock", "refusal", "unknown", "none") and exact:
        fits = exact
    fits.sort(key=lambda one: one.detail is None)
    return [Advice(id=one.id, sentence=one.text) for one in fits[:MOST]]
