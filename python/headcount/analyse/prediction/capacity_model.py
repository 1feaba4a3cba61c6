"""A chosen model at given capacities: users at the limit, the limiting resource, the curve."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headcount.analyse.models.network import Floats, Solution
from headcount.analyse.prediction import candidates
from headcount.analyse.prediction.demand import Demand
from headcount.analyse.prediction.fit import Capacities, Fitted
from headcount.analyse.prediction.prediction import CurvePoint, Expected, ModelName

CURVE_POINTS = 40
BEYOND = 1.4
"""Users of the curve, relative to those at the limit."""


@dataclass(frozen=True, slots=True)
class CapacityModel:
    """A model solved for one set of capacities."""

    fitted: Fitted
    capacities: Capacities
    solution: Solution
    values: Floats
    users: float | None
    """The users at which the criterion is just met; None if not found."""

    def at(self, users: float) -> tuple[float, float, float]:
        """Throughput, mean response in s, and criterion over limit, at a number of users."""
        solution = self.solution
        return (
            float(np.interp(users, solution.users, solution.per_s)),
            float(np.interp(users, solution.users, solution.response_s)),
            float(np.interp(users, solution.users, self.values)),
        )

    def utilisation(self, users: float) -> dict[str, float]:
        """Utilisation of each resource with a known capacity."""
        per_s = self.at(users)[0]
        texts = {}
        for each in self.fitted.demands:
            used = each.utilisation(per_s, self.capacities.get(each.resource.name))
            if used is not None:
                texts[each.resource.name] = used
        return texts

    @property
    def binds(self) -> Demand | None:
        """The resource that is fullest at the limit."""
        if self.users is None:
            return None
        utilisation = self.utilisation(self.users)
        names = {each.resource.name: each for each in self.fitted.demands}
        return names[max(utilisation, key=lambda name: utilisation[name])] if utilisation else None

    def expected(self, half: float | None = None) -> Expected | None:
        """The users at the limit, with an interval of `half` on either side in ln(users)."""
        if self.users is None:
            return None
        per_s, response_s, value = self.at(self.users)
        bounded = half is not None and math.isfinite(half)
        return Expected(
            users=self.users,
            low=self.users * math.exp(-half) if bounded and half is not None else None,
            high=self.users * math.exp(half) if bounded and half is not None else None,
            per_s=per_s,
            response_ms=response_s * 1000,
            criterion=value,
        )

    def curve(self) -> list[CurvePoint]:
        """The model from one user to beyond the limit, for charts."""
        most = BEYOND * self.users if self.users else float(self.solution.users[-1])
        made = []
        for users in np.linspace(max(most / CURVE_POINTS, 1.0), most, CURVE_POINTS):
            per_s, response_s, value = self.at(float(users))
            made.append(
                CurvePoint(
                    users=float(users),
                    per_s=per_s,
                    response_ms=response_s * 1000,
                    criterion=value,
                    utilisation=self.utilisation(float(users)),
                )
            )
        return made


def capacity_model(
    model: ModelName, fitted: Fitted, capacities: Capacities, at_least: float = 0.0
) -> CapacityModel:
    """Solve a model up to its limit, and up to `at_least` users."""
    most = candidates.room(fitted, capacities, at_least)
    solution, values = candidates.solve(model, fitted, capacities, most)
    return CapacityModel(
        fitted, capacities, solution, values, candidates.crossing(solution.users, values)
    )


def sweep(model: ModelName, fits: Sequence[Fitted], capacities: Capacities) -> list[CapacityModel]:
    """The model solved for each fit of resampled levels."""
    return [capacity_model(model, each, capacities) for each in fits]
