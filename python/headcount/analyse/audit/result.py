"""The result of an audit."""

from collections.abc import Iterable
from typing import Final, Literal

from pydantic import Field

from headcount.bundle.level import Record

SCHEMA_VERSION: Final = 1

Outcome = Literal["passed", "failed", "unknown"]
"""`unknown`: the bundle lacks what the check needs."""
MOST_PLACES = 20
"""Most places that a check names; their number is reported in full."""


class Place(Record):
    """Where something is wrong."""

    file: str | None = Field(default=None, description="The bundle's file")
    level: int | None = Field(default=None, description="The level's number")
    at: str = Field(description="The line, the field, the second, or the bytes")
    text: str = Field(description="What is wrong there")


class Result(Record):
    """One check."""

    check: str = Field(description="Its name")
    title: str = Field(description="What it asks")
    outcome: Outcome
    sentence: str = Field(description="The finding, as text")
    figures: dict[str, float | int | None] = Field(
        default={}, description="What it found, by name; null where it could not be measured"
    )
    places: list[Place] = Field(
        default=[], description=f"Where something is wrong; at most the first {MOST_PLACES}"
    )


class Audit(Record):
    """A bundle, audited."""

    schema_version: Literal[1] = SCHEMA_VERSION
    headcount: str = Field(description="Version of Headcount that audited it")
    bundle: str = Field(description="The bundle's folder")
    written_by: str | None = Field(description="Version of Headcount that wrote the bundle")
    outcome: Outcome = Field(description="Failed if any check failed, otherwise passed")
    sentence: str
    results: list[Result]


def result(
    check: str,
    title: str,
    places: Iterable[Place],
    good: str,
    figures: dict[str, float | int | None] | None = None,
    bad: str | None = None,
) -> Result:
    """A check that fails if there are places; without any, its text is `good`.

    `bad` describes all of the places; without it the first place is shown.
    """
    found = list(places)
    first = "" if not found else place_text(found[0])
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return Result(
        check=check,
        title=title,
        outcome="failed" if found else "passed",
        sentence=(bad or f"{first}{more}") if found else good,
        figures=figures or {},
        places=found[:MOST_PLACES],
    )


def unknown(check: str, title: str, why: str) -> Result:
    """A check that cannot be performed."""
    return Result(check=check, title=title, outcome="unknown", sentence=why)


def place_text(place: Place) -> str:
    """A place in a line: `levels.json, level 3, total.completed: 12 instead of 13`."""
    level = f"level {place.level}" if place.level is not None else None
    where = ", ".join(part for part in (place.file, level, place.at) if part)
    return f"{where}: {place.text}"
