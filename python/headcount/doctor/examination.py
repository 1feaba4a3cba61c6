"""What an examination of a machine says, for people and for programs."""

from typing import Final, Literal

from pydantic import Field

from headcount.bundle.level import Record

SCHEMA_VERSION: Final = 1

Verdict = Literal["ok", "limited", "missing"]


class CheckResult(Record):
    """What one check read, and what that means."""

    name: str
    verdict: Verdict = Field(
        description="ok: nothing to do; limited: runs work, with less; missing: it is not there"
    )
    read: str = Field(description="What was read on this machine")
    meaning: str = Field(description="What that means for a run")
    fixes: tuple[str, ...] = Field(description="What to do, commands where there are some")
    stops_runs: bool = Field(description="Whether a plain run cannot work because of it")


class Examination(Record):
    """All checks of a machine, in the order in which they ran."""

    schema_version: Literal[1] = SCHEMA_VERSION
    headcount_version: str
    plain_run_works: bool = Field(
        description="Whether headcount run app-server --target lab:app can work here"
    )
    seconds: float = Field(description="How long the examination took")
    checks: tuple[CheckResult, ...]

    @property
    def problems(self) -> tuple[CheckResult, ...]:
        """The checks that are not ok: those that stop runs first, then what is missing."""
        order = {"missing": 0, "limited": 1}
        found = [check for check in self.checks if check.verdict != "ok"]
        return tuple(sorted(found, key=lambda one: (not one.stops_runs, order[one.verdict])))
