"""Completions per minute of what a workload counts, such as a mail benchmark's transactions."""

from collections.abc import Sequence

from pydantic import Field

from headcount.fields.mistakes import as_mistake
from headcount.fields.model import Name, Strict
from headcount.plan.tasks import check_named


class Marks(Strict):
    """Completed scenarios or tasks a minute, added up."""

    name: str = "Marks"
    count: list[Name] | None = Field(
        default=None, min_length=1, description="Scenarios or tasks; None: all scenarios"
    )

    def check(self, scenarios: Sequence[str], tasks: Sequence[str] | None) -> None:
        """Raises ValueError for what is neither a scenario nor a task, or is counted twice."""
        counted = self.count or []
        twice = next((name for name in counted if counted.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f'marks.count: "{twice}" would be counted twice; name it once')
        with as_mistake():
            for name in counted:
                check_named(f'marks.count: "{name}"', name, scenarios, tasks)

    @property
    def text(self) -> str:
        """What it is, for people."""
        counted = "all scenarios" if self.count is None else ", ".join(self.count)
        return f"{self.name}: completions per minute of {counted}"
