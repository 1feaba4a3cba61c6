"""A comparison of failovers, for programs: what users felt of a fault in two or more set-ups.

Every difference is from the first of two set-ups to the second: `shift` is second - first. All
times are in seconds after the fault began; less is better in every figure.
"""

from typing import Literal

from pydantic import Field

from headcount.analyse.compare.comparison import Finding, Unlike
from headcount.bundle.level import SCHEMA_VERSION, Record


class Centre(Record):
    """A figure of one set-up over all its repetitions that count."""

    number: int = Field(description="Repetitions that have it")
    missing: int = Field(
        description="Of those, how many it did not come in while users were watched"
    )
    median: float | None = Field(description="null: it did not come in half of them or more")


class Shift(Record):
    """One figure of two set-ups: how far it moved, and whether that is shown."""

    figure: str = Field(description="As in `spreads` of `failover.json`: `served_s`, `lost`, ...")
    first: str = Field(description="Name of the set-up that the other is compared with")
    second: str
    a: Centre = Field(description="Of the first")
    b: Centre = Field(description="Of the second")
    shift: float | None = Field(
        description="Hodges-Lehmann estimate: the median of the differences of all pairs, one of "
        "each set-up; null where too much did not come"
    )
    low: float | None = Field(
        description="Lower end of its 95% interval; null: not bounded, or too few repetitions"
    )
    high: float | None = Field(description="Upper end, in the same way")
    p: float = Field(
        description="Two-sided p-value of the rank sum test: exact, with ties too, up to 100 "
        "repetitions"
    )
    finding: Finding


class SetUp(Record):
    """One of those compared."""

    name: str = Field(description="Short, for tables: `A`, or what the user called it")
    title: str = Field(description="What it is: `web-static on lab:ha-web`")
    program: str | None = Field(description="Server program and version, where it is known")
    bundles: list[str] = Field(description="Their folders, in the order they were measured")
    fault: str = Field(description="What was done to the server, in the first of them")
    users: int
    repetitions: int = Field(description="Those that were made")
    counted: int = Field(description="Of those, how many count")


class FailoverComparison(Record):
    """What comparing failovers came to."""

    schema_version: Literal[1] = SCHEMA_VERSION
    sentence: str = Field(description="The verdict in a sentence")
    finding: Literal["better", "worse", "no difference shown", "mixed", "not comparable"] = Field(
        description="The second compared with the first, by `decides`; `mixed` if more than two "
        "set-ups differ in direction"
    )
    decides: str = Field(default="served_s", description="The figure that decides, alone")
    confidence: float = Field(default=0.95, description="Of every interval")
    subjects: list[SetUp]
    shifts: list[Shift] = Field(description="Each set-up against the first, figure by figure")
    unlike: list[Unlike] = Field(description="Other differences between the set-ups")
    doubts: list[str] = Field(description="What qualifies the verdict, in sentences")
