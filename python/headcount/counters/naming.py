"""Names of counters: OpenTelemetry's metric names with the attributes in braces.

A *family* is one entry of the catalogue, such as ``system.disk.io{disk.io.direction=read}``. A
family may be given for each disk, network interface or peer as well; the instance is then the last
attribute: ``system.disk.io{disk.io.direction=read,system.device=vda}``.
"""

import re

DEVICE = "system.device"
INTERFACE = "network.interface.name"
PEER = "network.peer.address"

# The instance is always last and its value runs to the closing brace, so a device name may have
# any character that the kernel allows.
_INSTANCE = re.compile(rf"(?P<family>.*?)[{{,](?:{DEVICE}|{INTERFACE}|{PEER})=(?P<value>.*)\}}")


_AGENT = "agent-"
_AGENT_SIDE = re.compile(rf"{_AGENT}([1-9][0-9]{{0,6}})")


def agent_side(number: int) -> str:
    """The side of an agent's counters, in a run by several agents.

    >>> agent_side(3)
    'agent-3'
    """
    return f"{_AGENT}{number}"


def agent_number(side: str) -> int | None:
    """The number of the agent of a side; None if the side is not an agent's.

    >>> agent_number("agent-3"), agent_number("agent-03"), agent_number("generator")
    (3, None, None)
    """
    found = _AGENT_SIDE.fullmatch(side)
    return int(found[1]) if found is not None else None


def is_agent(side: str) -> bool:
    """Whether counters of this side are an agent's.

    >>> is_agent("agent-3"), is_agent("generator")
    (True, False)
    """
    return agent_number(side) is not None


def instance_name(family: str, attribute: str, value: str) -> str:
    """Name the counter of one device, interface or peer.

    >>> instance_name("system.disk.io{disk.io.direction=read}", DEVICE, "vda")
    'system.disk.io{disk.io.direction=read,system.device=vda}'
    >>> instance_name("system.disk.utilization", DEVICE, "vda")
    'system.disk.utilization{system.device=vda}'
    """
    if family.endswith("}"):
        return f"{family[:-1]},{attribute}={value}}}"
    return f"{family}{{{attribute}={value}}}"


def split_instance(name: str) -> tuple[str, str | None]:
    """Split a counter's name into its family and its device, interface or peer, if it has one.

    >>> split_instance("system.disk.io{disk.io.direction=read,system.device=vda}")
    ('system.disk.io{disk.io.direction=read}', 'vda')
    >>> split_instance("system.cpu.utilization{cpu.mode=user}")
    ('system.cpu.utilization{cpu.mode=user}', None)
    """
    found = _INSTANCE.fullmatch(name)
    if found is None:
        return name, None
    family = found["family"]
    return (family + "}" if "{" in family else family), found["value"]
