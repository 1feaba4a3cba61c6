"""From a plan to whoever plays its users."""

from collections.abc import Sequence

from headcount.errors import InputError
from headcount.generator.fleet import Fleet, Wanted
from headcount.generator.line import Line
from headcount.generator.players import Here, Players
from headcount.generator.process_line import ProcessLine
from headcount.plan.agents import Agents
from headcount.plan.plan import Plan


def open_players(plan: Plan, target: str, places: Sequence[str]) -> Players:
    """Start the engine here, or the plan's agents; no users yet.

    `target` is as the engine reads it, and `places` are where it listens, as `ip:port`.
    """
    if plan.agents is None:
        return Here(plan, target)
    lines = lines_to(plan.agents)
    workers = [plan.workers] * len(lines)
    return Fleet(plan, target, Wanted(lines, workers, plan.agents.most_users, places))


def lines_to(agents: Agents) -> list[Line]:
    """The way to each agent."""
    if agents.cluster is not None:
        raise InputError(f'there is no cluster "{agents.cluster}"')
    return [ProcessLine("this machine") for _ in range(agents.number)]
