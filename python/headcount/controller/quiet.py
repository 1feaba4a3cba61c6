"""Waiting for a quiet machine, after a level that other programs invalidated."""

from collections.abc import Callable
from pathlib import Path

from headcount.analyse.neighbours import foreign_cores, stolen_share
from headcount.bundle.level import LevelResult
from headcount.counters.proc import cpu
from headcount.fields.units import seconds
from headcount.plan.plan import Plan

STAT = Path("/proc/stat")
IDLE_LEAST = 0.5
"""CPUs that must be idle while nobody loads the machine."""
SECONDS = 3
"""Consecutive quiet seconds after which the machine counts as quiet."""
WAIT_S = 60.0
"""The longest total time that a run waits."""
WAIT_SHARE = 0.1
"""The same as a share of a search's budget, if it has one."""
QUICK_WAIT_S = 20.0
"""The same for a first look, which takes three minutes."""
OTHERS_MOST = 0.25
"""CPUs that other programs may use before they explain late timers."""
STOLEN_MOST = 0.02
"""Share of the machine that the hypervisor may give to others."""


class Quiet:
    """Whether the machine is quiet, asked about once a second."""

    def __init__(self, read: Callable[[], str] = STAT.read_text) -> None:
        """Take the first reading."""
        self._read = read
        self._last = cpu.parse(read())
        self._seconds = 0

    def __call__(self) -> bool:
        """Whether the machine has been quiet for the last seconds."""
        now, before = cpu.parse(self._read()), self._last
        self._last = now
        shares = cpu.delta(before, now, 1.0)
        idle = 1.0 - shares.get(cpu.UTILIZATION, 0.0)
        processors = len(now.each_cpu or ()) or 1
        self._seconds = self._seconds + 1 if idle * processors >= IDLE_LEAST else 0
        return self._seconds >= SECONDS


def was_disturbed(result: LevelResult) -> bool:
    """Whether a level is invalid due to late timers, and others may have made them late."""
    late = any("timers" in reason for reason in result.generator.reasons)
    if result.outcome != "invalid" or not late:
        return False
    others = foreign_cores(result)
    return others is None or others > OTHERS_MOST or stolen_share(result) > STOLEN_MOST


class Patience:
    """The remaining time that a run may wait."""

    def __init__(self, plan: Plan) -> None:
        """Start with the full time; only a search waits."""
        budget = plan.search.budget
        self.left_s = 0.0
        if plan.mode == "search":
            self.left_s = WAIT_S if budget is None else min(WAIT_S, WAIT_SHARE * seconds(budget))
        if plan.search.quick:
            self.left_s = min(self.left_s, QUICK_WAIT_S)
