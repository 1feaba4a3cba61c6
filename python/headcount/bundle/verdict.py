"""The result of a run: the file `verdict.json`."""

from typing import Literal

from pydantic import Field

from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.failure import Failure
from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.bundle.price import Price

VerdictOutcome = Literal["passed", "failed", "invalid", "interrupted", "unfinished"]


class Capacity(Record):
    """The capacity, as the glossary defines it.

    The capacity is the number of users at a level that Headcount ran and that met every criterion.
    The 95% confidence interval beside it covers the limit itself: the number of users at which a
    criterion just breaks.
    """

    users: int | None = Field(
        description="The capacity: the number to quote; null while no level has passed"
    )
    level: int | None = Field(
        default=None, description="Index of the level at `users`; figures beside the number are its"
    )
    level_s: float | None = Field(default=None, description="Seconds measured in that level")
    estimate: float | None = Field(
        description="The most likely position of the limit; no level ran there"
    )
    low: float | None = Field(description="Lower bound of the 95% confidence interval")
    high: float | None = Field(description="Upper bound; null when no level failed")
    at_least: bool = Field(description="True when no level failed: the server may hold more")
    official_passed: bool = Field(
        description="Whether the level at `users` ran for the purpose, after the search, and passed"
    )
    binding: str | None = Field(description="The criterion that sets the limit")
    widened_by: list[str] = Field(
        default=[], description="What widened the interval beyond the scatter of the levels"
    )


class Score(Record):
    """A score of a re-created benchmark, such as ServerBench's weighted harmonic mean."""

    name: str
    value: float
    unit: str
    formula: str
    zero_level: int | None = Field(description="Users of the level that made the score zero")
    interval: tuple[float, float] | None = Field(
        default=None, description="95% confidence interval, of a score of one level"
    )
    users: int | None = Field(default=None, description="Users of that level; null: of a ladder")


class Marks(Record):
    """What the workload counts, completed per minute at the level that stands for the answer."""

    name: str
    count: list[str] = Field(description="The scenarios and tasks that count")
    per_minute: float
    interval_per_minute: tuple[float, float] | None = Field(description="95% confidence interval")
    users: int


class Plateau(Record):
    """Where the throughput of a ladder's levels flattened out, if it did."""

    figure: Literal["scenarios", "bytes"] = Field(
        description="Whose throughput: completed scenarios, or bytes read and written"
    )
    flattened: bool = Field(description="Whether it measurably stopped growing with the load")
    users: int | None = Field(
        description="The saturation point: the fewest users that no larger level measurably beat"
    )
    above_users: int | None = Field(
        description=(
            "The next smaller level, which had less throughput; the true point lies above it"
        )
    )
    value_per_s: float | None = Field(description="The throughput at the saturation point")
    interval_per_s: tuple[float, float] | None = Field(description="Its 95% confidence interval")
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
    flags: list[str] = Field(description="Doubts, in sentences")
    failures: list[Failure] = Field(
        default=[], description="What went wrong, the most telling first; at most three"
    )
    stopped: str | None = Field(
        default=None, description="What kept a search from playing more users, in a sentence"
    )
    diagnosis: Diagnosis | None = Field(
        default=None, description="What stopped the server; null in bundles older than diagnoses"
    )
    cost: Cost
