"""Areas of a diagnosis in words."""

from collections.abc import Sequence

from headcount.analyse.rules.model import Area
from headcount.text import listed

AREAS: dict[Area, str] = {
    "memory": "memory",
    "disk": "the disks",
    "network": "the network",
    "cpu": "the CPU",
    "service": "the server program's own limits",
    "workload": "the load",
}


def named(areas: Sequence[Area], last: str = "and") -> str:
    """Areas as a list: `memory, the disks and the CPU`."""
    return listed([AREAS[one] for one in areas], last)


def be(areas: Sequence[Area]) -> str:
    """`is` or `are`, to follow their names."""
    plural = len(areas) > 1 or areas[0] in {"disk", "service"}
    return "are" if plural else "is"
