"""Starts the engine or the agents that play a plan's users."""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module

from headcount.errors import InputError
from headcount.generator.fleet import Fleet, Wanted
from headcount.generator.line import Line
from headcount.generator.players import Here, Players
from headcount.generator.process_line import ProcessLine
from headcount.plan.agents import Agents
from headcount.plan.plan import Plan

CLUSTERS: Mapping[str, str] = {"ray": "headcount.cluster.opening"}
"""Kinds of clusters by the scheme of their address: a module with `open_lines(address, number)`,
which is imported only if it is asked for."""


def open_players(
    plan: Plan, target: str, places: Sequence[str], on_lines: Sequence[str] = ()
) -> Players:
    """Start the engine here, or the plan's agents; no users yet.

    `target` is as the engine reads it, and `places` are where it listens, as `ip:port`; `on_lines`
    are addresses of users: those on none of the plan's lines, then those on each.
    """
    if plan.agents is None:
        return Here(plan, target, places, on_lines)
    lines, cpus = lines_to(plan.agents)
    are_apart = plan.agents.cluster is not None
    are_measured = are_apart and not plan.agents.equal_users
    of_one = min(cpus) if are_apart else plan.workers
    workers = cpus if are_measured else [of_one] * len(lines)
    wanted = Wanted(lines, workers, plan.agents.most_users, places, are_measured, on_lines)
    return Fleet(plan, target, wanted)


def lines_to(agents: Agents) -> tuple[Sequence[Line], Sequence[int]]:
    """The way to each agent, and how many CPUs it has. Raises HeadcountError."""
    if agents.cluster is None:
        return [ProcessLine("this machine") for _ in range(agents.number)], [1] * agents.number
    kind, _, address = agents.cluster.partition("://")
    if kind not in CLUSTERS or not re.fullmatch(r".+:\d{1,5}", address):
        raise InputError(f'--cluster is "{agents.cluster}"; give ray://HEAD:PORT')
    try:
        lines, cpus = import_module(CLUSTERS[kind]).open_lines(address, agents.number)
    except ModuleNotFoundError as error:
        raise InputError(
            f"a cluster needs {error.name}, which is not installed: pip install "
            "'headcount[cluster]'"
        ) from error
    return lines, cpus
