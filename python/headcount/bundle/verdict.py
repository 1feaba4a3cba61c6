"""What a run came to: the file `verdict.json`."""

from typing import Literal

from pydantic import Field

from headcount.bundle.level import SCHEMA_VERSION, Record

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
    flags: list[str] = Field(description="Doubts a reader must know, in sentences")
    cost: Cost
