"""Which points are held, and in which order."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headcount.analyse.costs import Holding
from headcount.plan.workload import Workload


@dataclass(frozen=True)
class Experiment:
    """What the user asks for.

    Attributes:
        workload: Its data set's folder and users are the ones held.
        target: As on the command line.
        shares: Numbers of shares; a server outside the lab has only one.
        connections: How many are held.
        net_uses: Connections to shares per connection; 1 is always among them.
        open_files: Open files per connection; 0 is always among them.
        repeats: How often each is done.
        pid: The server's process, if it runs on this machine and is not the lab's.

    """

    workload: Workload
    target: str
    shares: Sequence[int]
    connections: Sequence[int]
    net_uses: Sequence[int]
    open_files: Sequence[int]
    repeats: int
    seed: int
    runs: Path
    pid: int | None = None
    server: dict[str, str] = field(default_factory=dict)
    client: dict[str, str] = field(default_factory=dict)
    authorised_by: str | None = None


def chains(experiment: Experiment) -> list[list[Holding]]:
    """The points of each start of the server, in the order of the starts.

    Processes keep memory that they have freed, so holding less after more still costs more. Within
    a start everything therefore only grows: nothing, the connections, then either their open files
    or their net uses. The order of the starts is drawn, so that drift of the machine is not taken
    for a cost.
    """
    found = []
    for shares in experiment.shares:
        for connections in experiment.connections:
            bare = Holding(shares, connections, 1, 0)
            files = [Holding(shares, connections, 1, n) for n in _above(experiment.open_files, 0)]
            uses = [Holding(shares, connections, n, 0) for n in _above(experiment.net_uses, 1)]
            begin = [Holding(shares, 0, 1, 0), bare]
            growing = [grown for grown in (files, uses) if grown] or [[]]
            found += [[*begin, *grown] for grown in growing] * experiment.repeats
    random.Random(experiment.seed).shuffle(found)
    return found


def _above(numbers: Sequence[int], least: int) -> list[int]:
    return sorted({number for number in numbers if number > least})
