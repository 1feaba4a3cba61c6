"""A score of one level from the times of its tasks, as LoadSim made one."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from headcount.fields.mistakes import as_mistake
from headcount.fields.model import Name, Strict
from headcount.plan.tasks import check_named


class TaskScore(Strict):
    """The weighted mean of a percentile of the tasks' times, in ms.

    Microsoft's LoadSim reported the weighted average of the 95th percentiles of its tasks, with
    more than half of the weight on reading (its program LSLOG; `headcount.analyse.task_score` has
    the formula).
    """

    name: str
    unit: Literal["ms"] = "ms"
    percentile: float = Field(default=95.0, ge=1, lt=100)
    weights: dict[Name, Annotated[float, Field(gt=0, le=1e9)]] = Field(
        min_length=1, description="Weights of the tasks; only tasks that happened count"
    )

    def check(self, tasks: Sequence[str] | None) -> None:
        """Raises ValueError for a weight of what is no task; None: they are not known."""
        with as_mistake():
            for name in self.weights:
                check_named(f'task_score.weights: "{name}"', name, [], tasks)

    @property
    def text(self) -> str:
        """What it is, for people."""
        weights = ", ".join(f"{name} {weight:g}" for name, weight in self.weights.items())
        return f"{self.name} ({self.unit}), p{self.percentile:g} of tasks by weight: {weights}"
