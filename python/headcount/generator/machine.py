"""The machines that agents are on."""

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headcount.generator.member import Member


@dataclass(frozen=True, slots=True)
class AgentMachine:
    """A machine with agents on it.

    Attributes:
        agents: Their numbers, ascending.
        boot: Identifies the machine until its next boot.
        host: What the first of them reported about it; None if nothing.

    """

    agents: Sequence[int]
    boot: str
    host: Mapping[str, Any] | None


def machines_of(members: Iterable[Member]) -> list[AgentMachine]:
    """The machines of agents, each once, in the order of their agents."""
    found: dict[str, list[Member]] = {}
    for one in members:
        found.setdefault(str(one.about.get("boot")), []).append(one)
    return [
        AgentMachine(
            [one.number for one in its],
            boot,
            next(
                (host for one in its if isinstance(host := one.about.get("about"), Mapping)), None
            ),
        )
        for boot, its in found.items()
    ]


def boot_id() -> str:
    """Identifies this machine until its next boot."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return platform.node()
