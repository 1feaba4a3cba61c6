"""Scenarios: what users do, step by step."""

from typing import Annotated

from pydantic import Field, model_validator

from headcount.fields.mistakes import as_mistake
from headcount.fields.model import Duration, Name, Strict, within
from headcount.plan.flow import Entry, check_entries, operations
from headcount.plan.pace import Think
from headcount.plan.step import Step


class Scenario(Strict):
    """One thing a user does."""

    name: Name = Field(description="Its name in results: letters, digits, _, . and -")
    title: str = Field(default="", description="What the user does, for people")
    weight: float = Field(
        ge=1e-9,
        le=1e9,
        description="How often it is drawn, relative to the others; absent with a script",
    )
    limit: Annotated[Duration, within("1us", "1h")] = Field(
        description="A slower scenario counts as overload"
    )
    limit_per_mib: Annotated[Duration, within("1us", "1h")] | None = Field(
        default=None, description="The limit is at least this for each MiB moved"
    )
    late: Annotated[Duration, within("1us", "1h")] | None = Field(
        default=None, description="A scenario that starts later than this counts as overload"
    )
    pause: Think | None = Field(
        default=None, description="Think time after it, instead of the pace's (closed pace)"
    )
    origin: str = Field(default="", description="Where its figures come from")
    setup: list[Entry] | None = Field(
        default=None, description="What comes before it each time, and does not count in it"
    )
    steps: list[Entry] = Field(
        min_length=1, description="Operations, and if, repeat, choose, pause, set and page"
    )
    teardown: list[Entry] | None = Field(
        default=None,
        description="What comes after it each time, also if it failed, and does not count in it",
    )

    @model_validator(mode="after")
    def _playable(self) -> "Scenario":
        with as_mistake():
            for name, entries in self.sections:
                check_entries(entries, name)
        if not any(operations(self.steps)):
            raise ValueError("steps: a scenario needs at least one operation")
        return self

    @property
    def sections(self) -> list[tuple[str, list[Entry]]]:
        """Its lists of entries with their names, in the order in which they are played."""
        around = {"setup": self.setup or [], "steps": self.steps, "teardown": self.teardown or []}
        return list(around.items())

    @property
    def operations(self) -> list[Step]:
        """All steps, in the order in which they are played."""
        return [step for _, entries in self.sections for step in operations(entries)]

    @property
    def limit_text(self) -> str:
        """How long it may take, for people."""
        more = f", or {self.limit_per_mib} for each MiB if that is more"
        return self.limit + (more if self.limit_per_mib else "")
