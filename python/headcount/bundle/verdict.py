"""What a run came to: the file `verdict.json`."""

from typing import Literal

from pydantic import Field

from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.bundle.price import Price

VerdictOutcome = Literal["passed", "failed", "invalid", "interrupted", "unfinished"]


class Capacity(Record):
    """The largest number of users at which every criterion holds in the long run."""

    users: int | None = Field(
        description="The number to quote: the lower bound, after a full level at it has passed"
    )
    estimate: float | None = Field(description="The most likely value")
    low: float | None = Field(description="Lower bound of the 95 % confidence interval")
    high: float | None = Field(description="Upper bound; null when nothing failed")
    at_least: bool = Field(description="True when nothing broke up to the largest level tried")
    official_passed: bool = Field(description="Whether a full level at `users` has passed")
    binding: str | None = Field(description="The criterion that set it")


class Score(Record):
    """A score of a re-created benchmark, such as ServerBench's weighted harmonic mean."""

    name: str
    value: float
    unit: str
    formula: str
    zero_level: int | None = Field(description="Users of the level that made the score zero")
    interval: tuple[float, float] | None = Field(
        default=None, description="95 % confidence interval, of a score of one level"
    )
    users: int | None = Field(default=None, description="Users of that level; null: of a ladder")


class Marks(Record):
    """What the workload counts, completed per minute at the level that stands for the answer."""

    name: str
    count: list[str] = Field(description="The scenarios and tasks that count")
    per_minute: float
    interval_per_minute: tuple[float, float] | None = Field(description="95 % confidence interval")
    users: int


class Plateau(Record):
    """Where the throughput of a ladder's levels flattened out, if it did."""

    figure: Literal["scenarios", "bytes"] = Field(
        description="Whose throughput: completed scenarios, or bytes read and written"
    )
    flattened: bool = Field(description="Whether it surely stopped growing with the load")
    users: int | None = Field(
        description="The saturation point: the fewest users that no larger level measurably beat"
    )
    above_users: int | None = Field(
        description="The next smaller level, which was beaten; the true point lies above it"
    )
    value_per_s: float | None = Field(description="The throughput at the saturation point")
    interval_per_s: tuple[float, float] | None = Field(description="Its 95 % confidence interval")
    most_users: int = Field(description="The level with the greatest throughput")
    most_per_s: float
    stress_users: int | None = Field(
        description="The stress point: every larger level had measurably less; null if none fell"
    )
    sentence: str


class Cost(Record):
    """What the answer took."""

    levels: int
    seconds: float
    operations: int


class Verdict(Record):
    """What a run came to, for people and for programs."""

    schema_version: Literal[1] = SCHEMA_VERSION
    kind: Literal["capacity", "ladder", "level"]
    outcome: VerdictOutcome
    sentence: str = Field(description="The answer in a sentence")
    broke_first: str | None = Field(description="What broke first, in a sentence")
    capacity: Capacity | None
    score: Score | None
    marks: Marks | None = Field(default=None, description="Of workloads with `marks`")
    price: Price | None = Field(default=None, description="Where a cost was stated")
    rule: str | None = Field(default=None, description="The workload's rule that gave the criteria")
    plateaus: list[Plateau] = Field(
        default=[], description="Of a ladder: where scenarios/s and bytes/s flattened out"
    )
    flags: list[str] = Field(description="Doubts a reader must know, in sentences")
    diagnosis: Diagnosis | None = Field(
        default=None, description="What stopped the server; null in bundles older than diagnoses"
    )
    cost: Cost
