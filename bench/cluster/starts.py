"""How closely agents keep together: when ramps begin, and what is known of their clocks."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from headcount import workloads
from headcount.generator.fleet import Fleet, Wanted
from headcount.generator.process_line import ProcessLine
from headcount.plan.resolve import Overrides, resolve

TARGET = '{"address": "127.0.0.1:9", "file_bytes": 4096, "range_bytes": 4096, "seed": 1}'
"""The target is never contacted: there are no users."""
ORDERS = 20
"""Of each fleet."""


@dataclass(frozen=True)
class Starts:
    """What orders to fleets came to.

    Attributes:
        agents: Of each fleet.
        spreads_ms: Between the first and the last agent that obeyed an order, of each order, with
            what the clocks may be wrong.
        errors_ms: Bounds of the clocks' differences, of each agent of each fleet.

    """

    agents: int
    spreads_ms: Sequence[float]
    errors_ms: Sequence[float]


def started(agents: int, fleets: int) -> Starts:
    """Start fleets of agents that are processes of this machine, and give them orders."""
    spreads, errors = [], []
    asked = Overrides(users=1, agents=agents, seed=1)
    plan = resolve(workloads.load("app-server"), "app://127.0.0.1:9", asked)
    for _ in range(fleets):
        lines = [ProcessLine("here") for _ in range(agents)]
        with closing(Fleet(plan, TARGET, Wanted(lines, [1] * agents))) as fleet:
            own = [float(one["clock_error_ms"]) for one in fleet.facts()["agents"]]
            spreads += [1000 * fleet.spread_s() + max(own) for _ in range(ORDERS)]
        errors += own
    return Starts(agents, spreads, errors)
