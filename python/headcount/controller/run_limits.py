"""From a plan's limits to the groups and the network of its run."""

from collections.abc import Mapping

from headcount.lab.squeeze import Limits, Line, UsersLine, Wanted
from headcount.plan.limits import parse_limits
from headcount.plan.lines import Lines, line_text, user_lines

SERVER = {
    "cpu": "cpu_cores",
    "cpus": "cpus",
    "cpu-weight": "weight",
    "memory": "memory_bytes",
    "disk-read": "disk_read_bytes",
    "disk-write": "disk_write_bytes",
    "disk-read-ops": "disk_read_ops",
    "disk-write-ops": "disk_write_ops",
}
"""Limits of the server's processes, by their name in plans."""
LINE = {"latency": "latency_s", "jitter": "jitter_s", "loss": "loss", "reorder": "reorder"}
"""Limits of the path between users and server, by their name in plans."""
COLD = frozenset({"memory", "disk-read", "disk-read-ops"})
"""Limits that mean nothing while the data set is still in memory after its creation."""


def run_limits(limits: Mapping[str, str], lines: Lines | None = None) -> Wanted:
    """The resources that a run gets; raises InputError for limits that cannot be read."""
    parsed = parse_limits(limits)
    server = {field: parsed[name] for name, field in SERVER.items() if name in parsed}
    generator = parsed.get("generator-cpu")
    return Wanted(
        server=Limits(**server),  # type: ignore[arg-type]  # each of its reader's type
        generator=Limits(cpu_cores=None if generator is None else float(generator)),
        network_bits_s=_bits_s(parsed),
        line=_line(parsed),
        lines=tuple(
            UsersLine(name, _line(its.limits), _bits_s(its.limits))
            for name, its in user_lines(lines or {}).items()
        ),
    )


def _line(parsed: Mapping[str, float | int | str]) -> Line | None:
    line = {field: float(parsed[name]) for name, field in LINE.items() if name in parsed}
    return Line(**line) if line else None


def _bits_s(parsed: Mapping[str, float | int | str]) -> int | None:
    return int(parsed["network"]) if "network" in parsed else None


def limit_settings(limits: Mapping[str, str], lines: Lines | None = None) -> dict[str, str]:
    """The limits and lines among the settings of the server, for the disclosure."""
    found = {f"limit of {name}": text for name, text in limits.items()}
    return found | {f"line {name}": line_text(keys) for name, keys in (lines or {}).items()}
