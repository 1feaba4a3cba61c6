"""The result of one level: the figures of `levels.json`.

Times are in milliseconds, rates per second, shares from 0 to 1. Every figure is of the steady
part of the level; what could not be measured is null, never zero.
"""

from collections.abc import Iterable
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION: Final = 1


class Record(BaseModel):
    """A frozen record of a bundle; unknown keys are errors.

    Pydantic builds it when it is first used: a command uses few of the records that it imports.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class OwnDelay(Record):
    """At most so much of each of the times is the load generator's own delay, in ms."""

    mean_ms: float
    p50_ms: float
    p90_ms: float
    p95_ms: float
    p99_ms: float
    p999_ms: float


class Times(Record):
    """Percentiles of a duration, in ms, read from a merged HDR histogram (3 digits)."""

    count: int = Field(description="How many durations the histogram holds")
    mean_ms: float
    p50_ms: float
    p90_ms: float
    p95_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float
    own_delay: OwnDelay | None = Field(
        default=None,
        description="Of the load generator in these times; null where its timers are not known",
    )


class ScenarioResult(Record):
    """One scenario (or all of them together, named `all`) in the steady part of a level."""

    name: str
    due: int = Field(description="Fell due, whether started or not")
    completed: int
    failed: int
    slow: int = Field(description="Completed, but over the scenario's limit")
    late: int = Field(description="Started later after the due moment than the workload allows")
    overloaded: int = Field(description="Failed, slow or late, ended or not; each counted once")
    overload: float | None = Field(
        description=(
            "Overloaded as a share of all scenarios that fell due and were decided; null if none"
        )
    )
    unanswered: int = Field(description="Over the limit and still unanswered at the end")
    rate_per_s: float = Field(description="Completed per second")
    read_bytes_per_s: float
    written_bytes_per_s: float
    mean_ms: float | None = Field(
        default=None,
        description="Mean response time as criteria use it, including failures and waiting",
    )
    response: Times | None = Field(description="From the due moment to the end; null if none")
    service: Times | None = Field(description="From the actual start to the end; null if none")
    p95_interval_ms: tuple[float, float] | None = Field(
        description=(
            "95% confidence interval of the p95 response time, by sectioning; its lower end is "
            "less by what may be the load generator's own delay"
        )
    )
    p95_interval_unreliable: bool = Field(
        default=False,
        description=(
            "Whether that interval is too narrow, because there were too few bursts of "
            "slow responses"
        ),
    )
    rate_interval_per_s: tuple[float, float] | None = Field(
        default=None, description="95% confidence interval of `rate_per_s`, by sectioning"
    )
    bytes_interval_per_s: tuple[float, float] | None = Field(
        default=None, description="The same of the bytes read and written, added up"
    )


class StepResult(Record):
    """All steps of one name in the steady part of a level."""

    name: str
    completed: int
    failed: int
    rate_per_s: float
    read_bytes_per_s: float
    written_bytes_per_s: float
    service: Times | None


class TaskResult(Record):
    """All tasks of one name in the steady part of a level: things timed inside steps."""

    name: str
    completed: int
    failed: int
    per_minute: float = Field(description="Completed per minute")
    mean_ms: float | None = Field(description="Of the completed ones, from their sum; null if none")
    sd_ms: float | None = Field(
        description="Sample standard deviation, from the sum of squares; null with fewer than two"
    )
    service: Times | None = Field(description="From beginning to end; null if none completed")
    p95_interval_ms: tuple[float, float] | None = Field(
        description="95% confidence interval of the p95, by sectioning"
    )


class LineResult(Record):
    """All scenarios of the users on one line in the steady part of a level."""

    name: str = Field(description="The line's, or `others` of users without one")
    users: int
    started: int
    completed: int
    failed: int
    overloaded: int = Field(description="Ended and failed, slow or late; each counted once")
    rate_per_s: float = Field(description="Completed per second")
    response: Times | None = Field(
        description="Of the completed, from the due moment to the end; null if none"
    )


class LevelScore(Record):
    """The workload's `task_score` at a level: a weighted mean of percentiles of tasks' times."""

    name: str
    unit: Literal["ms"]
    percentile: float
    value: float | None = Field(
        description="Null if no weighted task happened, or one of them never succeeded"
    )
    interval: tuple[float, float] | None = Field(
        description="95% confidence interval, by sectioning; null if a section holds too few"
    )
    weights: dict[str, float] = Field(description="Of the tasks that happened")
    missing: list[str] = Field(description="Tasks with a weight that did not happen")


class LevelMarks(Record):
    """What the workload's `marks` count, completed per minute."""

    name: str
    count: list[str] = Field(description="The scenarios and tasks that count")
    per_minute: float
    interval_per_minute: tuple[float, float] | None = Field(
        description="95% confidence interval, by sectioning"
    )


class FaultGroup(Record):
    """Faults whose messages differ only in names and figures."""

    message: str = Field(description="The first one")
    count: int


class FaultResult(Record):
    """Faults of one kind at one step."""

    step: str = Field(description="The step's name, or `opening a session`")
    kind: str = Field(description="connect, login, timeout, disconnected, refused, ...")
    count: int
    examples: list[str]
    groups: list[FaultGroup] = Field(
        default=[], description="By message, the most frequent first; empty in older bundles"
    )


class CriterionResult(Record):
    """Whether a level satisfied one criterion."""

    criterion: str = Field(description="As written in the plan, such as `p95<=1s`")
    passed: bool
    value: float | None = Field(description="What was measured, in the criterion's own unit")
    limit: float
    unit: str = Field(
        description="`ms`, `share`, `1/s` (scenarios), `By/s`, or the UCUM unit of a counter"
    )
    bad: int | None = Field(description="For criteria on a share: how many broke the limit")
    total: int | None = Field(description="For criteria on a share: out of how many")
    allowed_share: float | None = Field(description="For criteria on a share: the share allowed")
    batches: list[tuple[int, int]] = Field(
        default=[], description="(bad, total) of consecutive stretches of 5 s, for the noise"
    )
    unproven: bool = Field(
        default=False, description="Passed only because nothing it covers happened"
    )
    least: float | None = Field(
        default=None,
        description="What `bad`, or the value of a mean, is at least without the load generator's "
        "own delay; null where that delay has no part in it",
    )
    undecided: bool = Field(
        default=False,
        description="Not passed, but it may be without the load generator's own delay",
    )
    sentence: str = Field(description="For a person: `p95 is 1.4 s; the limit is 1 s`")


class GeneratorResult(Record):
    """What the load generator itself did, and whether it was the limit."""

    workers: int
    cpu_cores: float = Field(description=("CPU of all worker threads, in cores"))
    busiest_worker_share: float = Field(description="CPU of the busiest worker, share of a core")
    timer_lateness_p50_ms: float | None
    timer_lateness_p99_ms: float | None
    timer_lateness_max_ms: float | None
    limited: bool = Field(
        description="Whether it may have caused the failures, not counting refusals and "
        "broken connections"
    )
    reasons: list[str]


class CounterSummary(Record):
    """One counter over the steady part of a level."""

    mean: float
    max: float
    p95: float
    samples: int


class Steadiness(Record):
    """Whether the measured part was in steady state."""

    steady: bool
    settled_after_s: float = Field(description="Cut by MSER-5 from the start of the level's hold")
    reasons: list[str]


class StallResult(Record):
    """A time in which the server answered next to nothing although users waited."""

    after_s: float = Field(description="From the start of the measured part")
    seconds: float


class LevelResult(Record):
    """One load: a fixed number of users, with what it came to."""

    index: int = Field(description="Number of the level in the run, from 1")
    purpose: Literal[
        "only",
        "ladder",
        "climb",
        "probe",
        "bracket",
        "straddle",
        "official",
        "recovery",
        "curve",
        "soak",
    ]
    users: int
    outcome: Literal["passed", "failed", "invalid"]
    reasons: list[str] = Field(description="Why it failed or is invalid, in sentences")
    agents_lost: bool = Field(
        default=False,
        description="Whether it was broken off because agents were lost; it is played again",
    )
    started_at: str = Field(description="UTC, ISO 8601")
    prepare_s: float = Field(
        default=0.0, description="Time taken to make this level's data before its users came"
    )
    ramp_s: float
    log_on_s: float | None = Field(
        default=None,
        description="Mean time that users who came took to open their sessions; null where none "
        "came, or sessions open with the first scenario",
    )
    settle_s: float = Field(description="Settling time; no figure includes it")
    steady_s: float = Field(description="Length of the measured part")
    stretch_s: float = Field(
        default=1.0,
        description="Length of the stretches whose differences give intervals, batches and "
        "steadiness: one second, or 1/120 of a level that is measured for more than 10 minutes",
    )
    offered_per_s: float = Field(description="Scenarios that fell due per second")
    achieved_per_s: float = Field(description="Scenarios completed per second")
    users_reported: int | None = Field(
        default=None, description="Users that completed at least one scenario in the measured part"
    )
    users_unserved: int | None = Field(
        default=None,
        description="Users that completed none in it, although one failed or exceeded its limit",
    )
    think_mean_s: float | None
    little_error: float | None = Field(
        description="Relative difference between the users and throughput x (response + think)"
    )
    steadiness: Steadiness
    stalls: list[StallResult] = Field(
        default=[], description="When it answered next to nothing; empty in older bundles"
    )
    total: ScenarioResult
    scenarios: list[ScenarioResult]
    groups: list[ScenarioResult] = Field(
        default=[], description="The workload's groups: scenarios reported together"
    )
    steps: list[StepResult]
    tasks: list[TaskResult] = Field(
        default=[], description="Tasks that the protocol times inside steps, if they happened"
    )
    lines: list[LineResult] = Field(
        default=[], description="By the users' lines, where the plan has some"
    )
    score: LevelScore | None = Field(default=None, description="Of workloads with a `task_score`")
    marks: LevelMarks | None = Field(default=None, description="Of workloads with `marks`")
    faults: list[FaultResult]
    criteria: list[CriterionResult]
    generator: GeneratorResult
    requests: dict[str, int] = Field(
        default={}, description="Protocol requests sent in the measured window, by command"
    )
    counters: dict[str, dict[str, CounterSummary]] = Field(
        description="By side: `sut`, `generator`, and `server` for the server's own counters"
    )


def counted(levels: Iterable[LevelResult]) -> list[LevelResult]:
    """The levels that were not broken off: one that was is played again, and does not count."""
    return [level for level in levels if not level.agents_lost]


class Levels(Record):
    """The file `levels.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    levels: list[LevelResult]
