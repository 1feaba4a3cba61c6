"""When a user's scenarios are due: think times and intervals."""

import re
from typing import Literal

from pydantic import Field, model_validator

from headcount.errors import InputError
from headcount.fields.model import Duration, Strict
from headcount.fields.units import duration_text, seconds

MOST_PAUSE_S = 86_400.0
"""The longest pause the engine accepts."""


class Think(Strict):
    """A distribution of a duration: `fixed` (mean), `uniform` (low, high), `exponential` (mean)."""

    draw: Literal["fixed", "uniform", "exponential"] = Field(description="How it is drawn")
    mean: Duration | None = Field(default=None, description="Of fixed and exponential")
    low: Duration | None = Field(default=None, description="The shortest, of uniform")
    high: Duration | None = Field(default=None, description="The longest, of uniform")

    @model_validator(mode="after")
    def _complete(self) -> "Think":
        given = (self.mean is not None, self.low is not None, self.high is not None)
        if given != ((False, True, True) if self.draw == "uniform" else (True, False, False)):
            raise ValueError("uniform needs low and high; fixed and exponential need mean")
        if seconds(self.low or "0s") > seconds(self.high or self.low or "0s"):
            raise ValueError(f"low ({self.low}) must not be above high ({self.high})")
        if max(seconds(text or "0s") for text in (self.mean, self.low, self.high)) > MOST_PAUSE_S:
            raise ValueError("a pause may last up to 24h")
        return self

    @property
    def text(self) -> str:
        """How long and how it is drawn, for people."""
        spread = f"{self.low} to {self.high}" if self.draw == "uniform" else self.mean
        return f"{spread} ({self.draw})"

    @property
    def option(self) -> str:
        """As `think_of` reads it."""
        return f"{self.draw}:{f'{self.low}..{self.high}' if self.draw == 'uniform' else self.mean}"

    @property
    def mean_s(self) -> float:
        """The mean of the distribution."""
        if self.mean is not None:
            return seconds(self.mean)
        return (seconds(self.low or "0s") + seconds(self.high or "0s")) / 2


def think_of(text: str, what: str) -> dict[str, str]:
    """Read `2s` (fixed), `exponential:2s` or `uniform:1s..3s`; raises InputError for `what`."""
    match = re.fullmatch(r"(?:(fixed|exponential|uniform):)?(.+)", text.strip())
    draw, rest = (match[1] or "fixed", match[2]) if match else ("fixed", text)
    if draw == "uniform":
        low, dots, high = rest.partition("..")
        if not dots:
            raise InputError(f'{what} is "{text}"; write it like uniform:1s..3s')
        return {
            "draw": draw,
            "low": duration_text(seconds(low, what)),
            "high": duration_text(seconds(high, what)),
        }
    return {"draw": draw, "mean": duration_text(seconds(rest, what))}


class Pace(Strict):
    """When a user's scenarios are due.

    `closed`: a think time after the last one ended. `open`: on a schedule drawn in advance.
    """

    kind: Literal["closed", "open"]
    time: Think = Field(description="The think time (closed) or the interval (open)")

    @model_validator(mode="after")
    def _possible(self) -> "Pace":
        if self.kind == "open" and self.time.mean_s <= 0:
            raise ValueError("an open pace needs an interval above 0")
        return self
