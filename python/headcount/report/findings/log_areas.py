"""Areas of a diagnosis in words."""

from collections.abc import Sequence

from headcount.analyse.rules.model import Area

AREAS: dict[Area, str] = {
    "memory": "memory",
    "disk": "the disks",
    "network": "the network",
    "cpu": "the CPU",
    "service": "the server program's own limits",
    "workload": "the load",
}


def named(areas: Sequence[Area], last: str = "and") -> str:
    """Areas in a row: `memory, the disks and the CPU`."""
    return enumeration([AREAS[one] for one in areas], last)


def enumeration(names: Sequence[str], last: str = "and") -> str:
    """Names in a row: `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def be(areas: Sequence[Area]) -> str:
    """`is` or `are`, as behind their names."""
    plural = len(areas) > 1 or areas[0] in {"disk", "service"}
    return "are" if plural else "is"
