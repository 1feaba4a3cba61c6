"""What stopped the server: the diagnosis of a run, as `verdict.json` holds it.

Scores and shares are from 0 to 1. A figure that no source gave is null or absent, never zero; what
could not be seen for want of it is in `blind`.
"""

from typing import Literal

from pydantic import Field

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
    "refusal",
    "none",
    "unknown",
]
"""What limits: `none` is a server that was not saturated, `unknown` one of which that is not known,
or that is saturated by something that no figure tells."""

Side = Literal["sut", "generator", "server", "load"]
"""Where a figure comes from: a side's counters, or what the users saw (`load`)."""

Sureness = Literal["high", "fair", "low"]


class Figure(Record):
    """A figure that decided, or spoke against something."""

    counter: str = Field(description="A counter's name, or a name of what the users saw")
    side: Side
    value: float
    unit: str = Field(description="UCUM code, as in the catalogue of counters; `1` is a share")
    threshold: float | None = Field(description="What it was held against; null if nothing")
    users: int | None = Field(description="Users of the level it is of; null: of several")
    sentence: str


class Candidate(Record):
    """One thing that may limit, and what speaks for it."""

    limit: Limit
    detail: str | None = Field(description="Such as `quota`, `all cores`, `read`; null if none")
    score: float | None = Field(description="Evidence from 0 to 1; null where nothing was to see")
    figures: list[Figure]
    sentence: str


class Exonerated(Record):
    """Something that surely did not limit."""

    limit: Limit
    figure: Figure | None
    sentence: str


class LevelScores(Record):
    """The evidence at one level, for the chart."""

    index: int
    users: int
    valid: bool = Field(description="Whether the level counts; the others tell of the generator")
    saturated: bool = Field(description="Whether it is one of those that the diagnosis is of")
    scores: dict[Limit, float] = Field(description="By what may limit; unseen ones are absent")


class Next(Record):
    """Which resource would bind next, by the utilisation law. An extrapolation, not a finding."""

    limit: Limit
    counter: str
    side: Side
    users: float = Field(description="Users at which the resource would be full")
    low: float = Field(description="Lower bound of the 95 % interval of `users`")
    high: float | None = Field(description="Upper bound; null when it is not bounded")
    per_s: float = Field(description="Scenarios per second at which it would be full")
    demand: float = Field(description="What a scenario asks of it: the slope of use on throughput")
    background: float = Field(description="Its use without any load: the intercept")
    capacity: float = Field(description="What counts as full")
    unit: str = Field(description="Of `capacity` and `background`")
    sentence: str


class LogLine(Record):
    """A line of the server's own log that says the same."""

    t_s: float | None = Field(description="Second of the run; null if not known")
    log: str | None = Field(description="Which log")
    text: str
    limit: Limit = Field(description="What it is a sign of")


class Blind(Record):
    """Something that could not be seen, and what would have shown it."""

    limit: Limit
    counters: list[str] = Field(description="Any of these would have shown it")
    sentence: str


class Advice(Record):
    """What to do about it."""

    id: str
    sentence: str


class Diagnosis(Record):
    """What stopped the server, how sure that is, and what it rests on."""

    limit: Limit
    detail: str | None = Field(description="Such as `quota`, `all cores`, `stolen`, `read`")
    size: float | None = Field(
        description="Of a pool its places, of a lock the ms it is held, of refusals the users "
        "accepted, of a quota its CPUs; null if none"
    )
    size_unit: str | None
    confidence: float = Field(
        description="From 0 to 1; the share of resamplings that agree, less what could not be seen"
    )
    sureness: Sureness = Field(description="The confidence in a word")
    sentence: str = Field(description="The diagnosis in a sentence")
    saturation: float | None = Field(
        description="Elasticity of throughput over users at the top: 1 grows along, 0 is flat"
    )
    figures: list[Figure] = Field(description="Those that decided")
    runner_up: Candidate | None
    joint: list[Candidate] = Field(description="What limits together with it, if anything does")
    candidates: list[Candidate] = Field(description="All, the strongest first")
    exonerated: list[Exonerated]
    next: Next | None
    log_lines: list[LogLine]
    advice: list[Advice]
    blind: list[Blind]
    doubts: list[str] = Field(description="What else a reader must know, in sentences")
    levels: list[LevelScores] = Field(description="The evidence over the levels, by users")
