"""CPU time of the programs beside a server: how much in all, and which used most of it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headcount.counters.proc import tree
from headcount.counters.proc.files import read_text
from headcount.counters.proc.process import TICKS_PER_S, Process, parse_stat
from headcount.counters.proc.tree import Tree


@dataclass(frozen=True, slots=True)
class Others:
    """One reading of all processes except some.

    Attributes:
        tree: Their CPU times; nothing else of them is read.
        names: By process id, the name of the program.

    """

    tree: Tree
    names: Mapping[int, str]


def read(without: Iterable[int], proc: str = "/proc") -> Others:
    """All present processes except those with these ids."""
    left_out = set(without)
    uptime_ticks = tree.parse_uptime(read_text(f"{proc}/uptime") or "")
    found: dict[int, Process] = {}
    names = {}
    for name in os.listdir(proc):  # noqa: PTH208 - hot path
        if not name.isdecimal() or int(name) in left_out:
            continue
        text = read_text(f"{proc}/{name}/stat") or ""
        one = parse_stat(text)
        if one is not None:
            found[one.pid] = one
            names[one.pid] = text[text.index("(") + 1 : text.rindex(")")]
    return Others(Tree(uptime_ticks, found), names)


def used_s(before: Others, after: Others) -> float:
    """CPU time that they used between two readings, in seconds.

    It includes processes that came and went if their parents waited for them.
    """
    return tree.used(before.tree, after.tree, lambda totals: totals.cpu_ticks) / TICKS_PER_S


def by_name_s(before: Others, after: Others) -> dict[str, float]:
    """The same by program, the largest first, for processes that still run."""
    ticks: dict[str, int] = {}
    for pid, now in after.tree.processes.items():
        was = before.tree.processes.get(pid)
        is_known = was is not None and was.started_ticks == now.started_ticks
        if is_known or now.started_ticks >= before.tree.uptime_ticks:
            begun = was.totals.cpu_ticks[0] if was is not None and is_known else 0
            name = after.names[pid]
            ticks[name] = ticks.get(name, 0) + max(now.totals.cpu_ticks[0] - begun, 0)
    largest = sorted((one for one in ticks if ticks[one]), key=lambda one: -ticks[one])
    return {name: ticks[name] / TICKS_PER_S for name in largest}
