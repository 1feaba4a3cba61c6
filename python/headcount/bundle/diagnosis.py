"""What stopped the server: the diagnosis of a run, as in `verdict.json`.

Scores and shares are from 0 to 1. A figure without a source is null or absent, never zero; a limit
that could not be observed is in `not_observed`. Names of fields in older bundles are still read.
"""

from typing import Literal

from pydantic import AliasChoices, Field

from headcount.bundle.level import Record

Limit = Literal[
    "generator",
    "cpu",
    "thread",
    "memory",
    "disk",
    "network",
    "pool",
    "lock",
    "upstream",
    "limiter",
    "delay",
    "pause",
    "refusal",
    "errors",
    "none",
    "unknown",
]
"""What limits: `errors` if failures that are not for lack of a place or of time stop the run; its
detail is their cause. `upstream` is another server that it waits for, its address the detail.
`limiter` is a rate. `delay` and `pause` make scenarios slow for any number of users. `none` if the
server was not saturated, `unknown` if no figure shows whether or by what it was."""

Side = Literal["sut", "generator", "server", "load"]
"""The source of a figure: counters of a side, or the users (`load`)."""

Confidence = Literal["high", "fair", "low"]


class Figure(Record):
    """A figure that decided, or that rules something out."""

    counter: str = Field(description="A counter's name, or the name of a figure of the users")
    side: Side
    value: float
    unit: str = Field(description="UCUM code, as in the catalogue of counters; `1` is a share")
    threshold: float | None = Field(description="What it was compared with; null if nothing")
    users: int | None = Field(description="Users of its level; null for several levels")
    sentence: str


class Candidate(Record):
    """A possible limit, and the evidence for it."""

    limit: Limit
    detail: str | None = Field(description="For example `quota`, `all cores`, `read`; null if none")
    score: float | None = Field(description="Evidence from 0 to 1; null if not observed")
    figures: list[Figure]
    sentence: str


class RuledOut(Record):
    """Something that was observed and was not the limit."""

    limit: Limit
    figure: Figure | None
    sentence: str


class LevelScores(Record):
    """The evidence at a level, for the chart."""

    index: int
    users: int
    valid: bool = Field(
        description="Whether the level counts; at others the generator was the limit"
    )
    saturated: bool = Field(description="Whether the diagnosis uses the level")
    scores: dict[Limit, float] = Field(
        description="By possible limit; those not observed are absent"
    )


class Next(Record):
    """The resource that would be full next, by the utilisation law: extrapolated."""

    limit: Limit
    counter: str
    side: Side
    users: float = Field(description="Users at which the resource would be full")
    low: float = Field(description="Lower bound of the 95% confidence interval of `users`")
    high: float | None = Field(description="Upper bound; null if there is none")
    per_s: float = Field(description="Scenarios per second at which it would be full")
    demand: float = Field(description="Its use by one scenario: the slope of use over throughput")
    background: float = Field(description="Its use without load: the intercept")
    capacity: float = Field(description="What counts as full")
    unit: str = Field(description="Of `capacity` and `background`")
    sentence: str


class LogLine(Record):
    """A line of the server's log that names a limit."""

    t_s: float | None = Field(description="Second of the run; null if not known")
    log: str | None = Field(description="Which log")
    text: str
    limit: Limit = Field(description="The limit it is a sign of")


class NotObserved(Record):
    """A limit that could not be observed, and the counters that would have shown it."""

    limit: Limit
    counters: list[str] = Field(description="Any of these would have shown it")
    sentence: str


class Wait(Record):
    """Something that threads wait for."""

    kind: str = Field(
        description="`lock`, `connect`, `receive`, `send`, `sleep`, `sync`, `file`, `fault` or "
        "`other`"
    )
    object: str | None = Field(
        description="`peer:ADDRESS`, `unix:PATH`, `file:PATH`, `folder:PATH` of several files, "
        "`pipe:DESCRIPTOR`; null if unknown"
    )
    threads: float = Field(description="Mean number of threads")
    sentence: str = Field(description="What they wait for")


class Waits(Record):
    """What the server's threads do at a level at the limit. Numbers are means over snapshots."""

    level: int = Field(description="Index of the level")
    users: int = Field(description="Its users")
    few_level: int | None = Field(description="Index of the level of `few_users`")
    few_users: int | None = Field(
        description="Users of the level that tells who is idle; null without one"
    )
    snapshots: int
    threads: float = Field(description="All threads")
    running: float = Field(description="On a CPU, or ready for one")
    idle: float = Field(
        description="Without work: they wait for connections or requests, or for the same as with "
        "few users"
    )
    in_loop: float = Field(
        description="Waiting for events on many connections at once: idle, or until a user or "
        "another server sends something"
    )
    parked: float = Field(
        description="Waiting to be woken by another thread of the program: idle, or for a lock or "
        "a place that the program itself manages"
    )
    waits: list[Wait] = Field(description="What others wait for, the most threads first")
    program: str | None = Field(
        description="Where in the program most wait, as a tool saw it; null without one"
    )
    sentence: str


class Advice(Record):
    """What to change."""

    id: str
    sentence: str


class Diagnosis(Record):
    """What stopped the server, the confidence, and the evidence."""

    limit: Limit
    detail: str | None = Field(description="For example `quota`, `all cores`, `stolen`, `read`")
    size: float | None = Field(
        description="Places of a pool, ms a lock is held, scenarios/s of a rate limit, users "
        "accepted before refusals, CPUs of a quota; null if none"
    )
    size_unit: str | None
    confidence: float = Field(
        description="From 0 to 1: strength of the evidence times the share of resamplings that "
        "agree, less for what was not observed"
    )
    confidence_word: Confidence = Field(
        validation_alias=AliasChoices("confidence_word", "sureness"),
        description="The confidence in a word",
    )
    sentence: str = Field(description="The diagnosis in a sentence")
    saturation: float | None = Field(
        description="Elasticity of throughput over users at the top: 1 is proportional, 0 is flat"
    )
    figures: list[Figure] = Field(description="The deciding figures")
    runner_up: Candidate | None
    joint: list[Candidate] = Field(description="What limits together with it, if anything")
    candidates: list[Candidate] = Field(description="All, the strongest first")
    ruled_out: list[RuledOut] = Field(
        validation_alias=AliasChoices("ruled_out", "exonerated"),
        description="Observed, and not the limit",
    )
    next: Next | None
    log_lines: list[LogLine]
    advice: list[Advice]
    not_observed: list[NotObserved] = Field(
        validation_alias=AliasChoices("not_observed", "blind"),
        description="Neither found nor ruled out: no counter showed it",
    )
    doubts: list[str] = Field(description="What makes the diagnosis less sure, in sentences")
    waits: Waits | None = Field(
        default=None, description="What its threads wait for; null without stacks"
    )
    levels: list[LevelScores] = Field(description="The evidence over the levels, by users")
