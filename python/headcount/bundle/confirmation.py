"""What experiments on the server came to, after a run: the file `confirmation.json`.

Rates are scenarios/s, shares from 0 to 1. The diagnosis itself is not changed: this file stands
beside it, and says which of its candidates the experiments support and rule out.
"""

from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from headcount.bundle import manifest
from headcount.bundle.diagnosis import Limit
from headcount.bundle.files import replace
from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.bundle.stored import stored_record
from headcount.output.folder import Folder

FILE: Final = "confirmation.json"

Answer = Literal["confirmed", "refuted", "undecided"]


class Turn(Record):
    """One short load under one set of conditions."""

    round: int = Field(description="From 1: turns of one round are compared with each other")
    arm: str = Field(description="Under which conditions, such as `one user`")
    users: int
    seconds: float = Field(description="Length of the measured part")
    completed: int
    failed: int
    rate_per_s: float = Field(description="Scenarios completed per second")
    service_ms: float | None = Field(description="Mean time of a scenario; null if none ended")


class Estimate(Record):
    """A figure of an experiment over all rounds, with its 95% interval by Student's t."""

    name: str
    value: float
    low: float
    high: float
    unit: str = Field(description="UCUM code, as in the catalogue of counters; `1` is a share")
    sentence: str


class Finding(Record):
    """What one experiment came to."""

    experiment: str
    supports: list[Limit] = Field(description="Limits that would have had this result")
    contradicts: list[Limit] = Field(description="Limits that would have had another result")
    direct: list[Limit] = Field(
        description="Limits that this alone shows, because the experiment changed that resource"
    )
    size: float | None = Field(description="Of the limit, if the experiment measured it")
    size_unit: str | None
    estimates: list[Estimate]
    sentence: str
    turns: list[Turn] = Field(description="In the order of time")


class LeftOut(Record):
    """An experiment that could not be made, or not evaluated."""

    experiment: str
    reason: str


class Confirmation(Record):
    """The file `confirmation.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    at: str = Field(description="When it ended; UTC, ISO 8601")
    target: str
    limit: Limit = Field(description="The limit that was tested: the diagnosis's first")
    detail: str | None
    answer: Answer
    experiments: list[str] = Field(description="Those that decided; empty if none did")
    supported: Limit | None = Field(
        description="The one limit that the experiments support; null if several or none"
    )
    seconds: float
    ending: Literal["finished", "interrupted"]
    sentence: str
    next_step: str | None = Field(description="What would decide, or what to do")
    findings: list[Finding]
    left_out: list[LeftOut]


def ensure_writable(folder: Path) -> None:
    """Raise InputError if a link or a pipe has a name that `write` writes."""
    with Folder(folder) as opened:
        opened.ensure_free(FILE, manifest.NAME, manifest.SIGNATURE)


def write(confirmation: Confirmation, folder: Path) -> None:
    """Write it into a bundle and its manifest; raises InputError if the bundle is signed."""
    manifest.forget(folder, FILE)
    replace(folder / FILE, confirmation.model_dump_json(indent=1))
    manifest.note(folder, FILE)


def read(folder: Path) -> Confirmation | None:
    """The results of experiments after this run; None without any.

    Raises InputError if the file is damaged.
    """
    return stored_record(folder / FILE, Confirmation)
