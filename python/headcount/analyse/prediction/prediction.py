"""What a prediction says, for people and for programs (`docs/schemas/prediction.schema.json`)."""

from typing import Final, Literal

from pydantic import Field

from headcount.bundle.level import Record

SCHEMA_VERSION: Final = 1

TestName = Literal[
    "little", "demands", "hold-out", "reach", "measured", "memory", "interval", "limit"
]
ModelName = Literal["exact", "corrected", "approximate", "bounds", "scalability", "exponential"]
Outcome = Literal["predicted", "not predictive"]


class Check(Record):
    """One of the tests that a prediction must pass."""

    name: TestName
    passed: bool | None = Field(description="Null where there was nothing to test")
    value: float | None = Field(
        description="What was tested, as a share; null if not a single figure"
    )
    limit: float | None = Field(description="The limit it must keep")
    sentence: str
    remedy: str | None = Field(description="What to measure so that it passes; null if it does")


class DemandFigure(Record):
    """What a scenario asks of a resource, by the utilisation law, and how much there is of it."""

    resource: str = Field(description="Such as `cpu`, `disk read`, `network sent`")
    counter: str
    unit: str = Field(description="Unit of the capacities, the background, and demand x 1/s")
    demand: float = Field(description="Of one scenario, in unit x seconds")
    low: float = Field(description="Lower bound of its 95% interval, by resampling")
    high: float
    background: float = Field(description="What is used without load")
    drift: float | None = Field(
        description="By how much the demand changes over the levels near the knee, as a share"
    )
    capacity: float | None = Field(description="In the run; null if not known")
    changed_to: float | None = Field(description="With the changes asked for; null if not known")
    usable: float = Field(
        description="Share of the capacity that the saturated levels really got; 1 if none was full"
    )
    at_capacity: float | None = Field(description="Utilisation at the capacity of the run")
    then: float | None = Field(description="Utilisation at the predicted capacity")


class Candidate(Record):
    """A model, and how well it predicted the levels that were held out."""

    model: ModelName
    throughput_error: float | None = Field(description="Largest relative error; null if not known")
    response_error: float | None
    capacity_error: float | None = Field(
        description="Error of the users at the limit; null if not known"
    )
    eligible: bool = Field(description="Whether it can answer the question")
    chosen: bool


class Expected(Record):
    """A number of users, and what they get."""

    users: float
    low: float | None = Field(description="Lower bound of the 95% interval; null: no interval")
    high: float | None
    per_s: float = Field(description="Scenarios per second")
    response_ms: float = Field(description="Mean response time")
    criterion: float = Field(description="The criterion's value as a share of its limit")


class Need(Record):
    """How much of a resource a number of users takes."""

    resource: str
    unit: str
    capacity: float | None = Field(description="In the run")
    needed: float = Field(description="So that these users meet the criterion")
    factor: float | None = Field(description="Needed over available")


class ForUsers(Record):
    """The answer to `--users`: what they get with the changes asked for, and what they need."""

    expected: Expected
    meets: bool = Field(description="Whether the criterion is met")
    response_low_ms: float | None = Field(description="Lower bound of the 95% interval")
    response_high_ms: float | None
    needs: list[Need]
    sentence: str


class CurvePoint(Record):
    """What a model says at a number of users, for charts."""

    users: float
    per_s: float
    response_ms: float
    criterion: float
    utilisation: dict[str, float] = Field(description="By resource")


class Prediction(Record):
    """What a server would hold."""

    schema_version: Literal[1] = SCHEMA_VERSION
    outcome: Outcome
    sentence: str = Field(description="The answer in a sentence")
    criterion: str = Field(description="The criterion that the capacity is of")
    changes: list[str] = Field(description="The changes, as text; empty if none")
    levels_used: list[int] = Field(description="Their numbers in the run")
    levels_left_out: list[str] = Field(description="With the reason, in sentences")
    published: int | None = Field(
        default=None, description="The run's capacity by the same criterion; null if it has none"
    )
    measured: float | None = Field(
        description="The run's estimate of the limit, or the users between a level that passed and "
        "one that failed; null if not reached"
    )
    now: Expected | None = Field(description="The same according to the model")
    capacity: Expected | None = Field(
        description="With the changes; null if refused. Judge it by `outcome`"
    )
    binds: str | None = Field(description="The resource that is fullest then")
    bound_now: str | None = Field(description="And now")
    model: ModelName | None
    candidates: list[Candidate]
    checks: list[Check]
    demands: list[DemandFigure]
    for_users: ForUsers | None
    unknowable: list[str] = Field(description="What the model cannot know, in sentences")
    notes: list[str]
    curve_now: list[CurvePoint]
    curve: list[CurvePoint] = Field(description="With the changes; empty if refused")
