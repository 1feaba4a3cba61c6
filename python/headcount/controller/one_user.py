"""The plan of a single user who plays every scenario in order, hardly pausing."""

import json
from collections.abc import Sequence
from typing import Any

from headcount.plan.plan import Plan, engine_plan

BETWEEN_S = 0.1
"""Pause between scenarios: a site may limit the requests per second from one address."""


def one_user(plan: Plan, scenarios: Sequence[str] | None = None, *, trace: bool = False) -> str:
    """The engine's plan (JSON) of one user.

    `scenarios`: those to play, in order; all by default. `trace`: whether each step is recorded
    with what was sent and received. Of rows that are used once, the user has the last.
    """
    values = json.loads(engine_plan(plan))
    for variable in values.get("variables", ()):
        # The run begins with the first one: rows that can be used once are left for it.
        if variable.get("order") == "once":
            variable["rows"].reverse()
    if scenarios is not None:
        values.pop("script", None)
        values["scenarios"] = [one for one in values["scenarios"] if one["name"] in scenarios]
    names = values.get("script", {}).get("names") or [one["name"] for one in values["scenarios"]]
    for scenario in values["scenarios"]:
        scenario["pause"] = None
        scenario |= {
            name: _without_pauses(scenario[name])
            for name in ("setup", "steps", "teardown")
            if name in scenario
        }
    return json.dumps(
        {
            **values,
            "workers": 1,
            "pace": {"pace": "closed", "think": {"draw": "fixed", "s": BETWEEN_S}},
            "report_every_ms": 100,
            "script": {"names": names, "order": list(range(len(names))), "entries": [0]},
            **({"trace": True} if trace else {}),
        }
    )


def _without_pauses(value: Any) -> Any:
    """The entries of a scenario, at any depth, without its pauses."""
    if isinstance(value, list):
        return [_without_pauses(one) for one in value if not _is_pause(one)]
    if isinstance(value, dict) and "op" not in value:
        return {key: _without_pauses(one) for key, one in value.items()}
    return value


def _is_pause(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"pause"}
