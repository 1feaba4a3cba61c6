"""The machines of agents in the disclosure: whose is the generator's, and whose only controls."""

from typing import Any

from headcount.bundle.environment import EnvironmentFile, Side
from headcount.controller.agent_sides import with_agents
from headcount.generator.machine import AgentMachine

OWN = "boot-own"


def side(role: Any, name: str | None = "control", agents: list[int] | None = None) -> Side:
    host = {"hostname": name} if name else None
    return Side(role=role, host=host, programs={}, settings={"a": "1"}, agents=agents or [])


def environment(*sides: Side) -> EnvironmentFile:
    return EnvironmentFile(
        headcount="0.1.0",
        build="release",
        started_at="2026-01-01T00:00:00Z",
        target="http://10.0.0.7",
        sides=list(sides),
    )


def machine(name: str, *agents: int, boot: str | None = None) -> AgentMachine:
    return AgentMachine(agents, boot or f"boot-{name}", {"hostname": name, "memory_bytes": 7})


def roles(found: EnvironmentFile) -> list[tuple[str, str | None, list[int]]]:
    return [
        (one.role, one.host["hostname"] if one.host else None, one.agents) for one in found.sides
    ]


def test_agents_on_the_controllers_machine_share_its_side() -> None:
    here = machine("control", 1, 2, 3, boot=OWN)
    both = with_agents(environment(side("both")), [here], OWN)
    assert roles(both) == [("both", "control", [1, 2, 3])]
    apart = environment(side("sut", None), side("generator"))
    assert roles(with_agents(apart, [here], OWN)) == [
        ("sut", None, []),
        ("generator", "control", [1, 2, 3]),
    ]


def test_a_controller_without_agents_plays_no_users() -> None:
    away = [machine("load1", 1), machine("load2", 2, 3)]
    apart = with_agents(environment(side("sut", None), side("generator")), away, OWN)
    assert roles(apart) == [
        ("sut", None, []),
        ("controller", "control", []),
        ("generator", "load1", [1]),
        ("generator", "load2", [2, 3]),
    ]
    assert apart.sides[3].host == {"hostname": "load2", "memory_bytes": 7}
    assert [*apart.sides[3].programs] == ["headcount"]
    # A server on the controller's machine has it to itself.
    own_server = with_agents(environment(side("both")), away, OWN)
    assert roles(own_server)[0] == ("sut", "control", [])
    assert own_server.sides[0].settings == {"a": "1"}


def test_a_resumed_run_keeps_the_machines_that_played_before() -> None:
    first = with_agents(
        environment(side("sut", None), side("generator")),
        [machine("load1", 1), machine("load2", 2)],
        OWN,
    )
    again = with_agents(first, [machine("load2", 1, boot="later"), machine("load3", 2)], OWN)
    assert roles(again)[2:] == [
        ("generator", "load1", [1]),
        ("generator", "load2", [1, 2]),
        ("generator", "load3", [2]),
    ]
    assert with_agents(again, [machine("load3", 2)], OWN) == again


def test_an_agent_without_details_of_its_machine_still_has_a_side() -> None:
    silent = AgentMachine([4], "boot", None)
    assert roles(with_agents(environment(side("both")), [silent, silent], OWN))[1:] == [
        ("generator", None, [4]),
        ("generator", None, [4]),
    ]


def test_without_agents_nothing_changes() -> None:
    known = environment(side("both"))
    assert with_agents(known, [], OWN) is known
