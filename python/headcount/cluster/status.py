"""Which machines of a cluster are alive."""

from dataclasses import dataclass

from headcount.cluster import ray_node
from headcount.cluster.down import host_of, name_of
from headcount.cluster.login import Login
from headcount.cluster.machines import Machines
from headcount.cluster.state import ClusterState, NodeState
from headcount.errors import HeadcountError

LIST_S = 60.0


@dataclass(frozen=True)
class NodeStatus:
    """A machine of a cluster.

    Attributes:
        machine: For people.
        ip: The address at which the others reach it.
        is_head: Whether the others join it.
        cpus: How many it gives to agents.
        is_alive: Whether its node runs, and the head knows it.
        why: Why not; empty if it is.

    """

    machine: str
    ip: str
    is_head: bool
    cpus: int
    is_alive: bool
    why: str


def statuses(cluster: ClusterState) -> list[NodeStatus]:
    """All machines of a cluster, asked in parallel."""
    nodes = cluster.nodes
    head = next((number for number, one in enumerate(nodes) if one.is_head), None)
    with Machines([host_of(one) for one in nodes]) as machines:
        runs = machines.each(lambda number, login: _runs(nodes[number], login))
        known: set[tuple[str, int]] | None = None
        if head is not None and runs[head] is True:
            listed = machines.each(
                lambda _, login: _known(cluster.head, nodes[head], login), [head]
            )[head]
            known = None if isinstance(listed, HeadcountError) else listed
    found = []
    for number, node in enumerate(nodes):
        why = _why(node, runs[number], known)
        found.append(
            NodeStatus(name_of(node), node.ip, node.is_head, node.cpus, is_alive=not why, why=why)
        )
    return found


def _why(node: NodeState, runs: bool | HeadcountError, known: set[tuple[str, int]] | None) -> str:
    if isinstance(runs, HeadcountError):
        return str(runs)
    if not runs:
        return "Ray has ended there"
    if known is None:
        return "" if node.is_head else "the head does not answer"
    first = int(node.ports.partition("-")[0])
    return "" if (node.ip, first) in known else "the head does not see it"


def _runs(node: NodeState, login: Login) -> bool:
    return bool(login.ask("alive", run=node.run))


def _known(head: str, node: NodeState, login: Login) -> set[tuple[str, int]]:
    """Addresses and ports of the nodes that the head sees."""
    line = [node.program, "-P", "-c", ray_node.LIST, head]
    ran = login.ask(
        "run", LIST_S + 10, line=line, environment=ray_node.access(node), longest_s=LIST_S
    )
    return {(ip, port) for ip, port, is_alive, _ in ray_node.nodes_in(ran["out"]) if is_alive}
