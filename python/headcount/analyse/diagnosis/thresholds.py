"""The thresholds of figures as data, each with its reason."""

import tomllib
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict


class Threshold(BaseModel):
    """One number of the diagnosis; `unit` is a UCUM code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    value: float
    unit: str
    reason: str


@cache
def thresholds() -> dict[str, Threshold]:
    """All thresholds by name, in the order of the file."""
    text = files("headcount.analyse.diagnosis").joinpath("thresholds.toml").read_text("utf-8")
    found = [Threshold.model_validate(entry) for entry in tomllib.loads(text)["threshold"]]
    return {one.name: one for one in found}


def threshold(name: str) -> float:
    """The number of that name."""
    return thresholds()[name].value


def ramp(value: float, low: str, high: str) -> float:
    """From 0 at the threshold `low` to 1 at the threshold `high`, linear in between."""
    return between(value, threshold(low), threshold(high))


def between(value: float, low: float, high: float) -> float:
    """From 0 at `low` to 1 at `high`, linear in between.

    >>> between(0.9, 0.8, 1.0)
    0.5
    """
    return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else float(value >= low)
