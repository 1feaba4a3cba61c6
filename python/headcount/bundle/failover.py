"""What users felt of faults: the file `failover.json` in the bundle of their levels.

Times are in seconds after the fault began. Each repetition is a level of the bundle, and has a file
of its own with what happened when (`headcount.bundle.moments`).
"""

from pathlib import Path
from typing import Literal

from pydantic import Field

from headcount.bundle.files import replace
from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.bundle.stored import stored_record

FILE = "failover.json"


class NodeState(Record):
    """What a node was from a moment on, by the cluster's own account."""

    at_s: float = Field(description="0 for what it was when the fault began")
    node: str
    state: str = Field(description="Such as `primary`, `standby`, `no answer`")


class Writes(Record):
    """What became of numbered rows that were written during a repetition, read back after it."""

    acknowledged: int = Field(description="Rows that the server acknowledged")
    unanswered: int = Field(description="Rows that it never acknowledged")
    unanswered_kept: int = Field(description="Of those, how many are there all the same")
    gone: int = Field(description="Acknowledged rows that are not there any more")
    gone_from_s: float | None = Field(description="When the first of them was acknowledged")
    gone_to_s: float | None = Field(description="When the last of them was")
    stale: int = Field(
        description="Reads without a row that had been acknowledged before, and is there in the end"
    )
    stale_to_s: float | None = Field(description="When the last of them was answered")


class Outage(Record):
    """One repetition: a fault under load, and what users felt of it."""

    level: int = Field(description="Index of its level")
    injected_s: float = Field(description="When the fault began; seconds of the run's clock")
    watched_s: float = Field(description="How long users were watched after it")
    fault_took_s: float = Field(description="How long the fault itself took to make")
    noticed_s: float | None = Field(
        default=None, description="When it was noticed; null where that is not known"
    )
    taken_over_s: float | None = Field(
        default=None, description="When another node had taken over; null where that is not known"
    )
    rate_per_s: float = Field(description="Scenarios completed per second before the fault")
    silent_s: float = Field(
        description="The longest time without any success; 0 where answers never stopped"
    )
    silence_began_s: float | None = Field(description="When it began; null without one")
    answered_s: float | None = Field(
        description="When it ended: 0 without one, null where no answer came any more"
    )
    served_s: float | None = Field(
        description="When users were served within their limits again: 0 where they always were, "
        "null where they were not in the time that was watched"
    )
    restored_s: float | None = Field(
        description="When the rate was back at 95% of what it was; null where it was not"
    )
    lost: int = Field(description="Scenarios that failed, beyond what failed before the fault")
    late: int = Field(description="Scenarios that were slow or late, in the same way")
    log_ons: int = Field(description="Sessions that were opened again")
    users_lost: int = Field(description="Users who completed nothing more by the end")
    writes: Writes | None = Field(
        default=None, description="Of numbered rows; null where nobody wrote any"
    )
    states: list[NodeState] = Field(
        default=[], description="What each node was, in order of time; empty where nobody looked"
    )
    outcome: Literal["measured", "invalid"]
    reasons: list[str] = Field(default=[], description="Why it does not count; empty if it does")
    doubts: list[str] = Field(default=[], description="What to beware of in its figures")


class Spread(Record):
    """One figure over all repetitions that count.

    A figure that did not come in the time that was watched counts as longer than all others, and
    is null where it is the answer.
    """

    figure: str
    number: int = Field(description="Repetitions")
    missing: int = Field(description="Of those, how many it did not come in")
    median: float | None
    median_low: float | None = Field(description="95% confidence interval; null: not bounded")
    median_high: float | None
    p95: float | None
    p95_low: float | None
    p95_high: float | None
    worst: float | None


class Failover(Record):
    """The file `failover.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    at: str = Field(description="When it ended; UTC, ISO 8601")
    target: str
    workload: str
    users: int
    fault: str = Field(description="What was done to the server")
    recover: str | None = Field(description="What undid it; null: nothing")
    options: list[str] = Field(description="The options of the command line that say so")
    planned: bool = Field(description="Whether it is a planned move")
    wanted: int = Field(description="Repetitions that were asked for")
    allowed: float = Field(description="Share of scenarios that may be slow, late or failed")
    slot_s: float = Field(description="How finely it was watched")
    outages: list[Outage]
    spreads: list[Spread]
    ending: Literal["finished", "interrupted", "failed"]
    sentence: str


def write(failover: Failover, folder: Path) -> None:
    """Write it into a bundle."""
    replace(folder / FILE, failover.model_dump_json(indent=1))


def read(folder: Path) -> Failover | None:
    """The faults of a bundle; None if it has none. Raises InputError if the file is damaged."""
    return stored_record(folder / FILE, Failover)
