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
    steps: list[Entry] = Field(
        min_length=1, description="Operations, and if, repeat, choose, pause, set and page"
    )

    @model_validator(mode="after")
    def _playable(self) -> "Scenario":
        with as_mistake():
            check_entries(self.steps, "steps")
        if not self.operations:
            raise ValueError("steps: a scenario needs at least one operation")
        return self

    @property
    def operations(self) -> list[Step]:
        """All steps, in the order in which they stand."""
        return list(operations(self.steps))

    @property
    def limit_text(self) -> str:
        """What it may take, for people."""
        more = f", or {self.limit_per_mib} for each MiB if that is more"
        return self.limit + (more if self.limit_per_mib else "")
