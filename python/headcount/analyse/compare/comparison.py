"""A comparison, for programs: who was compared, how they differ, and what qualifies that.

Every difference is stated from the first of two subjects to the second: `ratio` is second / first.
A percentage has two directions, and they are not the same number: a time that falls from 100 ms to
78 ms is 22% less time and 1.28 times as fast. Both are here, each with its name.
"""

from typing import Literal

from pydantic import Field

from headcount.bundle.level import SCHEMA_VERSION, Record

Finding = Literal["better", "worse", "no difference shown"]
"""The outcome for a difference. The third does not say that there is none."""

Method = Literal["pairs", "runs", "sections", "searches"]
"""The source of a difference's interval: pairs of interleaved runs; several runs of each side; the
sections of one level of each side; the intervals of two searches."""


class Reading(Record):
    """A figure of one subject."""

    value: float
    interval: tuple[float, float] | None = Field(
        default=None, description="95% confidence interval; null where nothing gives one"
    )
    runs: int = Field(default=1, description="How many runs it is the geometric mean of")


class Point(Record):
    """One level of a subject, for charts and for what is compared at equal load."""

    users: int
    outcome: Literal["passed", "failed", "invalid"]
    readings: dict[str, Reading] = Field(
        description="By metric: `throughput`, `response.p95`, `cpu.utilization`, ..."
    )


class Criterion(Record):
    """A limit of a response time, as a line in charts."""

    text: str = Field(description="As written in the plan, such as `p95<=1s`")
    metric: str = Field(description="The metric it limits, such as `response.p95`")
    limit_ms: float


class Subject(Record):
    """One of those compared: the runs of one server, in one configuration."""

    name: str = Field(description="Short, for tables and legends: `A`, or what the user called it")
    title: str = Field(description="What it is: `web-static on lab:nginx`")
    bundles: list[str] = Field(description="The runs' folders, in the order they were measured")
    target: str
    workload: str
    program: str | None = Field(description="Server program and version, where it is known")
    started_at: list[str] = Field(description="When each run began; UTC, ISO 8601")
    users: list[int] = Field(description="Users of the levels measured, ascending, each once")
    capacity: Reading | None = Field(description="Its capacity; null if none was found")
    criteria: list[Criterion] = Field(default=[], description="Limits of its response times")
    points: list[Point] = Field(default=[], description="Its levels, by users")


class Difference(Record):
    """One metric of two subjects: by how much they differ, and whether that is shown."""

    metric: str = Field(description="Such as `capacity`, `throughput`, `response.p95`, `cpu.each`")
    label: str = Field(description="For a person: `p95 response time`")
    unit: str = Field(description="`users`, `1/s`, `ms`, `s`, `By`, `share`, or a currency")
    better: Literal["higher", "lower"]
    at: Literal["capacity", "level"] = Field(
        description="`level`: at the same number of users of both, which `users` gives"
    )
    users: int | None = Field(description="Users of the level; null at the capacity")
    first: str = Field(description="Name of the subject that the other is compared with")
    second: str
    a: Reading = Field(description="Of the first")
    b: Reading = Field(description="Of the second")
    ratio: float = Field(description="b / a")
    interval: tuple[float, float] | None = Field(
        description="95% confidence interval of the ratio; null: no difference can be shown"
    )
    method: Method | None = Field(description="Where the interval is from; null without one")
    pairs: int | None = Field(default=None, description="Pairs of runs, where they were paired")
    spread: float | None = Field(
        default=None,
        description="Standard deviation of the logarithm of the ratio of one pair of runs, as far "
        "as it is known: it decides how many pairs would show a difference",
    )
    indicative: bool = Field(
        description="Rests on four or fewer runs of a side: a hint, not a proof"
    )
    finding: Finding
    change: float = Field(description="b / a - 1: how much more (or, below 0, less) b is than a")
    reverse: float = Field(
        description="a / b - 1: the same difference seen from b; for times, the gain in speed"
    )
    words: str = Field(description="Both directions in words: `22% less time; 1.28 times as fast`")


class Equality(Record):
    """Whether two subjects are equal within a margin, in one metric."""

    metric: str
    label: str
    users: int | None = Field(description="Of the level; null at the capacity")
    first: str
    second: str
    ratio: float
    interval: tuple[float, float] | None
    result: Literal["equal", "different", "not shown"] = Field(
        description="`equal`: the whole interval of the ratio lies within the margin; `different`: "
        "beyond it; `not shown`: neither"
    )


class Unlike(Record):
    """Something in which subjects differ besides what was to be compared."""

    what: str = Field(description="`workload`, `seed`, `criteria`, `generator`, `cpu`, ...")
    values: dict[str, str] = Field(description="By the subject's name")
    spoils: bool = Field(
        description="Whether figures at equal users then mean different things, so that the "
        "servers do not explain the differences"
    )
    sentence: str


class Reference(Record):
    """A published result, drawn beside what was measured; never compared by a test."""

    label: str = Field(description="Such as `ProLiant 800, published 1998`")
    source: str = Field(description="Document, and the place in it")
    metric: str = Field(description="As of differences")
    unit: str
    users: int | None = Field(default=None, description="At how many users, where it says so")
    value: float
    remark: str = Field(description="Why it cannot be compared: other hardware, other years")


class Comparison(Record):
    """What comparing came to."""

    schema_version: Literal[1] = SCHEMA_VERSION
    sentence: str = Field(description="The verdict in a sentence")
    finding: Literal["better", "worse", "no difference shown", "mixed", "not comparable"] = Field(
        description="The second compared with the first, by the metric that decides; `mixed` if "
        "more than two subjects differ in direction"
    )
    confidence: float = Field(default=0.95, description="Of every interval")
    subjects: list[Subject]
    differences: list[Difference]
    unlike: list[Unlike] = Field(description="Other differences between the subjects")
    margin: float | None = Field(
        default=None, description="Of --within, as a share; null where nobody asked"
    )
    equalities: list[Equality] = Field(
        default=[], description="Whether each difference is within the margin, in the same order"
    )
    interleaved: bool = Field(
        description="Whether the subjects' runs alternated in time, so that drift cancels out"
    )
    doubts: list[str] = Field(description="What qualifies the verdict, in sentences")
    references: list[Reference] = Field(
        default=[], description="Published results to show beside them, always labelled as such"
    )
