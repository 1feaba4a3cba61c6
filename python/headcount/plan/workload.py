"""A workload: scenarios with weights, the pace of a user, the data set, the criteria. Data."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from headcount.plan.criteria import parse_all
from headcount.plan.units import seconds, size_bytes


def _duration(text: str) -> str:
    seconds(text)
    return text


def _size(value: str | int) -> str | int:
    size_bytes(value)
    return value


Duration = Annotated[str, AfterValidator(_duration)]
Size = Annotated[str | int, AfterValidator(_size)]


class Strict(BaseModel):
    """A frozen part of a plan; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class Step(BaseModel):
    """One protocol operation; the keys beside `name` and `op` are the protocol's own."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str
    op: str

    @property
    def options(self) -> dict[str, Any]:
        """What the protocol needs to know."""
        return {"op": self.op, **(self.model_extra or {})}


class Scenario(Strict):
    """One thing a user does."""

    name: str = Field(pattern=r"^[\w.-]+$")
    title: str = ""
    weight: float = Field(gt=0)
    limit: Duration = Field(description="Slower than this counts as overload")
    late: Duration | None = Field(default=None, description="Begun later than this is overload")
    origin: str = Field(
        default="", description="Where its figures come from, or that they are ours"
    )
    steps: list[Step] = Field(min_length=1)


class Data(Strict):
    """The data set on the system under test."""

    file_size: Size
    io_range: Size


class Run(Strict):
    """How levels are run unless the command line says otherwise."""

    ladder: list[int] | None = Field(default=None, description="None: search for the capacity")
    ramp_per_s: float = Field(default=100.0, gt=0, description="Users joining per second")
    ramp: Duration | None = Field(default=None, description="Length of every ramp, if fixed")
    settle: Duration = "10s"
    duration: Duration = Field(description="Measured part of a level of a ladder, or of `--users`")
    step_timeout: Duration = "30s"


class Score(Strict):
    """A score over the levels of a ladder: the weighted harmonic mean of their throughputs."""

    name: str
    unit: str
    weights: list[float] | None = Field(default=None, description="One a level; None: equal")


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
        parse_all(self.criteria, names)
        ladder, score = self.run.ladder, self.score
        if score and score.weights is not None and len(score.weights) != len(ladder or ()):
            raise ValueError("the score needs as many weights as the ladder has levels")
        return self
