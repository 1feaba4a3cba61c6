"""What a tuning did and found: the file `tuning.json` in the bundle of its turns.

Ratios are of the figure that decides, above 1 where it became better. Intervals are at the stated
confidence, by Student's t on the logarithms of pairs of turns.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from headcount.bundle.diagnosis import Limit
from headcount.bundle.files import replace
from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.bundle.stored import stored_record

FILE = "tuning.json"

Measure = Literal["rate", "p95", "cpu", "log_on"]
MEASURES: Mapping[Measure, str] = {
    "rate": "scenarios per second",
    "p95": "95th percentile of response times",
    "cpu": "CPU time of the server per scenario",
    "log_on": "mean time to log on",
}
"""The figures that can decide, in words. A p95 is in ms; CPU time per scenario and the time to log
on are in seconds."""

Outcome = Literal["better", "not better", "worse", "no worse", "refused", "unfinished"]
"""For a change that is reverted: `worse` keeps it and `no worse` leaves it out."""

Stayed = Literal[-1, 0, 1]


class KnobState(Record):
    """A knob that has to do with what binds."""

    name: str
    server: str
    value: str | None = Field(description="Its value before; null where that is not known")
    is_set: bool = Field(description="Whether the configuration sets it")
    place: str | None = Field(description="The file that sets it")
    tried: bool
    obstacle: str | None = Field(description="Why it was left alone; null if it was tried")


class Ratio(Record):
    """A ratio of two configurations with its interval."""

    value: float
    low: float
    high: float
    confidence: float
    pairs: int


class Noise(Record):
    """How much equal configurations differ, from pairs of turns without a change."""

    pairs: int
    spread: float = Field(description="Standard deviation of the logarithm of a pair's ratio")
    smallest_gain: float | None = Field(
        description="Smallest ratio that the budget shows four times out of five; null above 3"
    )


class Pair(Record):
    """Two turns, one right after the other: indices of levels."""

    incumbent: int
    challenger: int
    users: int
    stayed: Stayed = Field(
        default=0,
        description="Whose users had stayed since the turn before: 1 the challenger's alone, -1 "
        "the incumbent's alone, 0 neither's or both",
    )
    log_gain: float | None = Field(
        description="Without what users who stayed give a turn; null where a turn does not count"
    )


class Race(Record):
    """A configuration against the best so far."""

    configuration: dict[str, str] = Field(description="Knobs with their values, all others as is")
    origin: str = Field(description="Where it comes from")
    against: dict[str, str] = Field(description="The best so far")
    outcome: Outcome
    why: str | None = Field(description="Why it was refused; null otherwise")
    pairs: list[Pair]


class ChangeKept(Record):
    """A change that is part of the answer."""

    knob: str
    server: str
    before: str | None
    after: str
    ratio: Ratio | None = Field(description="What it gains with the others; null if not measured")


class Cell(Record):
    """One configuration with so many users."""

    turns: list[int] = Field(description="Indices of levels")
    passed: int = Field(description="How many of the turns met the criteria")
    rate_per_s: float | None = Field(description="Scenarios completed per second; the mean")
    p95_ms: float | None = Field(
        description="95th percentile of response times in a turn, of the scenarios that the "
        "workload's p95 criterion names, if it names some; the geometric mean of the turns"
    )
    p95_interval_ms: tuple[float, float] | None = Field(
        description="Its 95% confidence interval from turn to turn; null of a single turn"
    )


class Piloted(Record):
    """The winner with the pilot's modules, at one load."""

    cell: Cell
    time: Ratio | None = Field(
        description="How many times shorter the 95th percentile became than as it was"
    )
    rate: Ratio | None = Field(description="How many times the throughput became")
    time_over_after: Ratio | None = Field(
        description="How many times shorter the 95th percentile became than without the pilot"
    )


class Rung(Record):
    """One load of the comparison of the winner with the server as it was."""

    users: int
    before: Cell
    after: Cell
    time: Ratio | None = Field(description="How many times shorter the 95th percentile became")
    rate: Ratio | None = Field(description="How many times the throughput became")
    pilot: Piloted | None = Field(
        default=None, description="With the pilot, too; null where it was not asked for"
    )


class Tuning(Record):
    """The file `tuning.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    at: str = Field(description="When it ended; UTC, ISO 8601")
    target: str
    server: str = Field(description="Which server's configuration was changed")
    goal: str
    measure: str = Field(description="The figure that decides")
    users: int = Field(description="Users of the turns at the end")
    limit: Limit = Field(description="What bound the server before")
    diagnosis: str
    baseline: str | None = Field(description="Folder of the run with that diagnosis")
    noise: Noise | None
    knobs: list[KnobState]
    races: list[Race]
    changes: list[ChangeKept] = Field(description="The smallest set of changes with the gain")
    ratio: Ratio | None = Field(
        description="The winner over the server as it was, on turns of their own; null without one"
    )
    proof: list[Pair] = Field(default=[], description="The pairs of that ratio")
    restarts: int = Field(
        default=0,
        description="How often the winner was restarted for that; 0 where only reloads were",
    )
    ladder: list[Rung] = Field(
        default=[], description="Both at loads from light to that of the trials, the lightest first"
    )
    pilot: list[str] | None = Field(
        default=None,
        description="Modules of the pilot that helped; null where it was not asked for",
    )
    limit_after: Limit | None = Field(
        default=None, description="What binds the server with the changes; null without a claim"
    )
    diagnosis_after: str | None = None
    before: float | None = Field(
        description="The figure of the server as it was, the geometric mean of the same turns"
    )
    after: float | None = Field(description="That of the winner; null without one")
    files: dict[str, str] = Field(description="What to install to keep the changes, by name")
    ending: Literal["finished", "interrupted", "failed"]
    restored: bool = Field(description="Whether everything was put back")
    kept: bool = Field(description="Whether the changes stay in force, as was asked for")
    sentence: str


def write(tuning: Tuning, folder: Path) -> None:
    """Write it into a bundle, with the files that install its changes."""
    replace(folder / FILE, tuning.model_dump_json(indent=1))
    for name, text in tuning.files.items():
        replace(folder / name, text)


def read(folder: Path) -> Tuning | None:
    """The result of a tuning; None in another bundle. Raises InputError if it is damaged."""
    return stored_record(folder / FILE, Tuning)
