"""The plan that agents of the benchmark play."""

from typing import Any

from headcount.plan.plan import Plan, validate

SCENARIOS, THINK_S, USERS = 14, 4.3, 1000
"""Of each agent: as many scenarios as the largest built-in workload has."""


def null_plan(agents: int, scenarios: int = SCENARIOS) -> Plan:
    """Users of a server that takes no time; the engine plays it by the protocol `null`."""
    step: dict[str, Any] = {"op": "serve", "service": {"draw": "exponential", "mean_s": 0.004}}
    played = [
        {
            "name": f"scenario-{number}",
            "weight": 1,
            "limit": "1s",
            "steps": [{"name": f"step-{number}-{at}", **step} for at in range(2)],
        }
        for number in range(scenarios)
    ]
    workload = {
        "name": "fleet",
        "title": "A fleet of agents",
        "protocol": "app",
        "recreates": "nothing",
        "description": "A server that takes no time.",
        "sources": [],
        "deviations": [],
        "criteria": ["p95<=1s"],
        "pace": {"kind": "closed", "time": {"draw": "exponential", "mean": f"{THINK_S}s"}},
        "run": {"duration": "1s"},
        "scenarios": played,
    }
    values = {"target": "app://127.0.0.1:9", "mode": "level", "levels": [USERS], "seed": 7}
    fleet = {"agents": {"number": agents}, "workers": 1, "workload": workload}
    return validate(Plan, {**values, **fleet}, "the plan")
