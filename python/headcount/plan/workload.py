"""A workload: scenarios with weights, the pace of a user, the data set, the criteria. Data."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from headcount.errors import InputError
from headcount.plan.criteria import parse_all
from headcount.plan.levels import MOST_USERS
from headcount.plan.mistakes import as_mistake, nearest
from headcount.plan.target import PROTOCOLS
from headcount.plan.units import seconds, size_bytes

BLOCK_BYTES = 4096
"""The data set is written, read and checked in blocks of this size."""


def _duration(value: Any) -> str:
    with as_mistake():
        if not isinstance(value, str):
            raise InputError(f"it is {value}; write it with its unit, like 200ms, 30s or 1h30m")
        seconds(value, "it")
    return value


def _size(value: Any) -> str | int:
    with as_mistake():
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise InputError(f"it is {value}; write it like 4096, 16KiB or 20MB")
        size_bytes(value, "it")
    return value


def within(low: str, high: str) -> AfterValidator:
    """Bounds of a duration, both included."""

    def check(text: str) -> str:
        if not seconds(low) <= seconds(text) <= seconds(high):
            raise ValueError(f'it is "{text}"; it must be from {low} to {high}')
        return text

    return AfterValidator(check)


Duration = Annotated[str, BeforeValidator(_duration)]
Size = Annotated[str | int, BeforeValidator(_size)]
Users = Annotated[int, Field(ge=1, le=MOST_USERS)]
Name = Annotated[str, Field(pattern=r"^[\w.-]+$")]
"""Names become tags of logs and keys of tables, where commas and spaces part one from the next."""


class Strict(BaseModel):
    """A frozen part of a plan; an unknown key is an error, and so is an endless number."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


MOST_PAUSE_S = 86_400.0
"""The longest pause the engine accepts."""


class Think(Strict):
    """A distribution of a duration: `fixed` (mean), `uniform` (low, high), `exponential` (mean)."""

    draw: Literal["fixed", "uniform", "exponential"]
    mean: Duration | None = None
    low: Duration | None = None
    high: Duration | None = None

    @model_validator(mode="after")
    def _complete(self) -> "Think":
        given = (self.mean is not None, self.low is not None, self.high is not None)
        if given != ((False, True, True) if self.draw == "uniform" else (True, False, False)):
            raise ValueError("uniform needs low and high; fixed and exponential need mean")
        if seconds(self.low or "0s") > seconds(self.high or self.low or "0s"):
            raise ValueError(f"low ({self.low}) must not be above high ({self.high})")
        if max(seconds(text or "0s") for text in (self.mean, self.low, self.high)) > MOST_PAUSE_S:
            raise ValueError("a pause of more than 24h is no load; use up to 24h")
        return self

    @property
    def mean_s(self) -> float:
        """The mean of the distribution."""
        if self.mean is not None:
            return seconds(self.mean)
        return (seconds(self.low or "0s") + seconds(self.high or "0s")) / 2


class Pace(Strict):
    """When a user's scenarios are due.

    `closed`: a think time after the last one ended. `open`: on a schedule drawn beforehand.
    """

    kind: Literal["closed", "open"]
    time: Think = Field(description="The think time (closed) or the interval (open)")

    @model_validator(mode="after")
    def _possible(self) -> "Pace":
        if self.kind == "open" and self.time.mean_s <= 0:
            raise ValueError("an open pace needs an interval above 0, or the load has no end")
        return self


class Step(BaseModel):
    """One protocol operation; the keys beside `name` and `op` are the protocol's own."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: Name
    op: str

    @property
    def options(self) -> dict[str, Any]:
        """What the protocol needs to know."""
        return {"op": self.op, **(self.model_extra or {})}


class Scenario(Strict):
    """One thing a user does."""

    name: Name
    title: str = ""
    weight: float = Field(ge=1e-9, le=1e9)
    limit: Annotated[Duration, within("1us", "1h")] = Field(
        description="Slower than this counts as overload"
    )
    late: Annotated[Duration, within("1us", "1h")] | None = Field(
        default=None, description="Begun later than this is overload"
    )
    origin: str = Field(
        default="", description="Where its figures come from, or that they are ours"
    )
    steps: list[Step] = Field(min_length=1)


class Data(Strict):
    """The data set on the system under test."""

    file_size: Size
    io_range: Size

    @model_validator(mode="after")
    def _consistent(self) -> "Data":
        if not BLOCK_BYTES <= size_bytes(self.io_range) <= size_bytes(self.file_size):
            raise ValueError(
                f"io_range ({self.io_range}) must be from {BLOCK_BYTES} bytes (a block) up to "
                f"file_size ({self.file_size})"
            )
        return self


class Run(Strict):
    """How levels are run unless the command line says otherwise."""

    ladder: list[Users] | None = Field(
        default=None, min_length=1, description="None: search for the capacity"
    )
    ramp_per_s: float = Field(default=100.0, gt=0, description="Users joining per second")
    ramp: Annotated[Duration, within("0s", "24h")] | None = Field(
        default=None, description="Length of every ramp, if fixed"
    )
    settle: Annotated[Duration, within("0s", "24h")] = "10s"
    duration: Annotated[Duration, within("1s", "168h")] = Field(
        description="Measured part of a level of a ladder, or of `--users`"
    )
    step_timeout: Annotated[Duration, within("1ms", "1h")] = "30s"


class Score(Strict):
    """A score over the levels of a ladder: the weighted harmonic mean of their throughputs."""

    name: str
    unit: str
    weights: list[Annotated[float, Field(gt=0)]] | None = Field(
        default=None, description="One a level; None: equal"
    )


class Workload(Strict):
    """One workload file."""

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    protocol: str
    recreates: str
    description: str
    sources: list[str]
    deviations: list[str]
    criteria: list[str]
    pace: Pace
    data: Data | None = None
    run: Run
    score: Score | None = None
    scenarios: list[Scenario] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> "Workload":
        names = [scenario.name for scenario in self.scenarios]
        if len(set(names)) < len(names) or "all" in names:
            raise ValueError('scenario names must differ, and none may be "all"')
        if self.protocol not in PROTOCOLS:
            raise ValueError(
                f'there is no protocol "{self.protocol}"{nearest(self.protocol, list(PROTOCOLS))}'
                f" (there is: {', '.join(PROTOCOLS)})"
            )
        with as_mistake():
            parse_all(self.criteria, names)
        ladder, score = self.run.ladder, self.score
        if score and score.weights is not None and len(score.weights) != len(ladder or ()):
            raise ValueError("the score needs as many weights as the ladder has levels")
        return self
