"""The machines of agents, in the disclosure of a run."""

from collections.abc import Sequence

from headcount import __version__
from headcount.bundle.environment import EnvironmentFile, Side
from headcount.generator.machine import AgentMachine


def with_agents(
    known: EnvironmentFile, machines: Sequence[AgentMachine], own_boot: str
) -> EnvironmentFile:
    """The environment with a side for each machine of the agents.

    The machine of the controller, `own_boot`, has a side already: it is the generator's only if an
    agent is on it. A machine known from before a run was resumed keeps its side as well.
    """
    if not machines:
        return known
    here = next((one for one in machines if one.boot == own_boot), None)
    sides = [_controller_side(side, here) for side in known.sides]
    for one in machines:
        if one is here:
            continue
        place = next((at for at, side in enumerate(sides) if _is_of(side, one)), None)
        if place is None:
            sides.append(_new(one))
        else:
            sides[place] = _joined(sides[place], one)
    return known.model_copy(update={"sides": sides})


def _controller_side(side: Side, here: AgentMachine | None) -> Side:
    """The controller's machine; unchanged if no agent is on it."""
    if side.role in ("generator", "both") and not side.agents:
        if here is not None:
            return _joined(side, here)
        return side.model_copy(update={"role": "sut" if side.role == "both" else "controller"})
    return side


def _is_of(side: Side, one: AgentMachine) -> bool:
    """Whether a side is an agent machine that was recorded before."""
    name = one.host.get("hostname") if one.host is not None else None
    its = side.host.get("hostname") if side.host is not None else None
    return side.role == "generator" and bool(side.agents) and name is not None and name == its


def _joined(side: Side, one: AgentMachine) -> Side:
    return side.model_copy(update={"agents": sorted({*side.agents, *one.agents})})


def _new(one: AgentMachine) -> Side:
    return Side(
        role="generator",
        host=dict(one.host) if one.host is not None else None,
        programs={"headcount": __version__},
        settings={},
        agents=list(one.agents),
    )
