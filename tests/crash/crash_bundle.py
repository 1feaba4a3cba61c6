"""A bundle written by a script: the calls of a run and of its resumption, without its time."""

import math
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from crash_histogram import histogram
from crash_history import SERIAL, History, Watched, watched
from crash_promises import broken_promises, broken_recovery, load_plan, number_of_lines
from crash_table import stand_ins

from headcount import workloads
from headcount._engine import Histogram
from headcount.bundle import files, manifest, reader, writer
from headcount.bundle.environment import EnvironmentFile, Side
from headcount.bundle.level import LevelResult
from headcount.bundle.stacks import LevelStacks
from headcount.bundle.verdict import Cost, Verdict, VerdictOutcome
from headcount.errors import HeadcountError
from headcount.output import folder as folders
from headcount.plan import plan as plans
from headcount.plan.resolve import Overrides, resolve
from versus_levels import level as level_of

SCENARIO, STEP = "work", "step"
REPORT_BYTES = 20_000
"""Of a report, written in more than one call."""


QUICK = ((plans, "load", load_plan), (files, "redacted_json", str))
"""What takes time and writes nothing: the same plan is read once, and there is no secret."""


class ScriptedBundle:
    """A few levels of a few seconds; see `Subject`."""

    modules: tuple[ModuleType, ...] = (folders, files, writer, reader)
    is_eventful = None

    def __init__(self, runs: Path, random: Random) -> None:
        self.history = History()
        self.broken: list[str] = []
        self.patches: list[tuple[Any, str, Any]] = [*QUICK, *stand_ins(random)]
        self._runs = runs
        self._folder: Path | None = None
        self._levels = random.choice((1, 1, 2, 3))
        self._seconds = random.choice((1, 1, 2, 3))
        self._has_stacks = random.random() < 0.2
        self._has_rest = random.random() < 0.5
        self._has_report = random.random() < 0.2
        self.shape = (self._levels, self._seconds, *(self._has_stacks, self._has_rest))

    def play(self) -> None:
        """Begin or go on, to the end."""
        if self._folder is not None and not self.missing():
            if self._has_report:
                self._report(self._folder)
            return
        bundle, levels, t_s = self._opened()
        ending: VerdictOutcome = "unfinished"
        try:
            t_s = self._play_levels(bundle, levels, t_s)
            bundle.event("behind", t_s)
            ending = "passed"
        except HeadcountError as error:
            bundle.event("error", t_s, message=str(error))
            raise
        finally:  # as `Run.play` does it
            self._finish(bundle, levels, ending)
        if self._has_report:
            self._report(bundle.folder)

    def lose_power(self) -> None:
        """What was not on the disk may be lost."""
        self.history.is_lossy = self.history.has_lost = True
        if self._folder is not None and not self._folder.exists() and not self.history.has_plan:
            self._folder = None

    def broken_promises(self, *, is_audited: bool = True) -> list[str]:
        """What is wrong with what is on the disk now."""
        broken, self.broken = self.broken, []
        if self._folder is not None:
            broken += broken_promises(self._folder, self.history, is_audited=is_audited)
        return broken

    def missing(self) -> list[str]:
        """What a run that nothing disturbed should have left."""
        if self.history.is_closed and self._folder is not None:
            found = reader.load(self._folder)
            if len(found.levels) == self._levels and reader.is_finished(found):
                return []
        return ["the run did not come to its end"]

    def _opened(self) -> tuple[Watched, list[LevelResult], float]:
        """The writer, the levels that are finished, and the second of the run."""
        if self._folder is None or not (self._folder / "plan.toml").exists():
            self.history = History()
            self._folder = writer.new_folder(self._runs, "crash", "lab:app")
            bundle = watched(self.history, self._folder)
            bundle.plan(plan().to_toml())
            bundle.environment(environment())
            return bundle, [], 0.0
        old = reader.load(self._folder)
        whole = number_of_lines(self._folder)
        bundle = watched(self.history, self._folder, len(old.levels))
        self.broken += broken_recovery(self._folder, self.history, whole)
        self.history.adopt_levels(old.levels)
        spent_s = max((second["t_s"] for second in old.seconds), default=0.0)
        if old.environment is None:
            bundle.environment(environment())
        bundle.event("resumed", spent_s, levels=len(old.levels))
        bundle.sync()
        return bundle, list(old.levels), float(math.ceil(spent_s))

    def _play_levels(self, bundle: Watched, levels: list[LevelResult], t_s: float) -> float:
        while len(levels) < self._levels:
            index = len(levels) + 1
            bundle.event("level-start", t_s, level=index)
            phases = ["ramp", *["steady"] * self._seconds]
            for phase in phases:
                t_s = self._second(bundle, t_s, index, phase)
            if self._has_stacks:
                bundle.stacks(LevelStacks(index, "on", "proc", {("app", "work"): index}))
            bundle.event("level-end", t_s, level=index)
            changed = {"index": index, "steady_s": self._seconds * 1.003}
            levels.append(level_of(index, index * 10).model_copy(update=changed))
            bundle.levels(levels)
            if self._has_rest:
                t_s = self._second(bundle, t_s, index, "wait")
        return self._second(bundle, t_s, self._levels, "drain")

    def _second(self, bundle: Watched, t_s: float, level: int, phase: str) -> float:
        number = self.history.number()
        t_s = round(t_s + 1.003, 6)
        bundle.second(figures(number, t_s, level, phase), histograms(number % 7))
        return t_s

    @staticmethod
    def _finish(bundle: Watched, levels: list[LevelResult], ending: VerdictOutcome) -> None:
        try:
            if levels:
                bundle.levels(levels)
            bundle.verdict(verdict(len(levels), ending))
        finally:
            bundle.close()

    @staticmethod
    def _report(folder: Path) -> None:
        """As `headcount report` does it."""
        manifest.forget(folder, "report.html")
        files.replace(folder / "report.html", "<html>" + "x" * REPORT_BYTES)
        manifest.note(folder, "report.html")


@cache
def plan() -> plans.Plan:
    """The plan of all bundles."""
    made = resolve(workloads.load("app-server"), "lab:app", Overrides(levels="10,20,30", seed=1))
    scenario = made.workload.scenarios[0].model_copy(update={"name": SCENARIO})
    workload = made.workload.model_copy(update={"scenarios": [scenario]})
    return made.model_copy(update={"workload": workload})


@cache
def environment() -> EnvironmentFile:
    """Their disclosure."""
    side = Side(role="both", host={"cores": 2}, programs={}, settings={})
    return EnvironmentFile(
        headcount="0.1.0",
        build="release",
        started_at="2026-01-01T00:00:00.000+00:00",
        target="lab:app",
        sides=[side],
    )


def verdict(levels: int, ending: VerdictOutcome) -> Verdict:
    """The answer after these levels."""
    return Verdict(
        kind="ladder",
        outcome=ending,
        sentence="It holds.",
        broke_first=None,
        capacity=None,
        score=None,
        flags=[],
        cost=Cost(levels=levels, seconds=1.0, operations=1),
    )


def figures(number: int, t_s: float, level: int, phase: str) -> dict[str, Any]:
    """A line of the series."""
    completed = number % 7
    scenario = dict.fromkeys(("failed", "slow", "late", "overloaded", "overdue"), 0)
    scenario |= {"started": completed, "completed": completed, "pending": 0}
    scenario |= dict.fromkeys(("pending_s", "response_s", "service_s"), 0.0)
    scenario |= {"read_bytes": 0, "written_bytes": 0, "p50_ms": None, "p95_ms": None}
    step = {"completed": completed, "failed": 0, "service_s": 0.0}
    step |= {"read_bytes": 0, "written_bytes": 0}
    return {
        "t_s": t_s,
        "seconds": 1.003,
        "level": level,
        "phase": phase,
        "users": 10,
        "worker_cpu_s": [0.1],
        "think_s": 0.0,
        SERIAL: number,
        "backlog": 0,
        "backlog_s": 0.0,
        "backlog_overdue": 0,
        "unserved": [],
        "p95_ms": None,
        "scenarios": {SCENARIO: scenario},
        "steps": {STEP: step},
        "tasks": {},
        "faults": [],
        "counters": {"sut": {"system.cpu.utilization": 0.5}},
    }


@cache
def histograms(completed: int) -> dict[str, Histogram]:
    """The histograms of a second in which this many scenarios were completed."""
    one = histogram(completed)
    tags = (f"response/{SCENARIO}", f"service/{SCENARIO}", f"step/{STEP}")
    return {"lateness": histogram(3), "backlog": histogram(0), **dict.fromkeys(tags, one)}
