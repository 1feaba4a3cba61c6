"""A run of the real controller in virtual time, on a disk that is crashed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

from crash_bundle import QUICK, environment
from crash_history import History, Watched, watched
from crash_promises import broken_promises, broken_recovery, number_of_lines
from crash_table import stand_ins
from crash_world import Agent, SteppedLatest, VirtualEngine, World, no_thread

from headcount import workloads
from headcount.analyse.audit import figures
from headcount.bundle import files, hlog, reader, writer
from headcount.bundle.environment import EnvironmentFile
from headcount.controller import level, run
from headcount.controller.access import Secrets
from headcount.controller.access.access import NOTHING, Prepared
from headcount.controller.listener import Silent
from headcount.controller.sut import Sut
from headcount.counters import latest
from headcount.counters.source import Source
from headcount.errors import TargetError
from headcount.generator import players
from headcount.output import folder as folders
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve


class SimulatedRun:
    """A ladder of two levels; see `Subject`."""

    modules: tuple[ModuleType, ...] = (folders, files, writer, reader)
    shape = "run"

    def __init__(self, runs: Path, random: Random) -> None:
        self.history = History()
        self.broken: list[str] = []
        self.is_eventful = False
        self._runs, self._random = runs, random
        self._folder: Path | None = None
        self._world = World(random)
        self.patches: list[tuple[Any, str, Any]] = [
            *QUICK,
            *stand_ins(random),
            (run, "BundleWriter", self._opened),
            (run, "connect", self._connected),
            (run, "check_answer", self._check_answer),
            (run, "time", self._world.patched_time()),
            (level, "time", self._world.patched_time()),
            (hlog, "time", self._world.patched_time()),
            (writer, "datetime", self._world.patched_datetime()),
            (run, "ensure_handles", lambda *_: None),
            (players, "ensure_handles", lambda *_: None),
            (players, "real_time", nullcontext),
            (players, "Engine", self._engine),
            (latest, "threading", SimpleNamespace(**vars(threading) | {"Thread": no_thread})),
        ]

    def play(self) -> None:
        """Begin or go on, to the end."""
        self._world.schedule(self._random.choice((0, 1, 2)) if self.is_eventful else 0)
        if self._folder is None or not (self._folder / "plan.toml").exists():
            self.history = History()
            run.start(plan(), self._runs, Secrets(), Silent())
            return
        old = reader.load(self._folder)
        if not reader.is_finished(old):
            run.resume(old, Secrets(), Silent())

    def lose_power(self) -> None:
        """What was not on the disk may be lost."""
        self.history.is_lossy = self.history.has_lost = True
        if self._folder is not None and not self._folder.exists() and not self.history.has_plan:
            self._folder = None

    def broken_promises(self, *, is_audited: bool = True) -> list[str]:
        """What is wrong with what is on the disk now."""
        broken, self.broken = self.broken, []
        if self._folder is not None:
            more = (figures.check,)  # a second lost or doubled would change a level's
            broken += broken_promises(self._folder, self.history, is_audited=is_audited, more=more)
        return broken

    def missing(self) -> list[str]:
        """What a run that nothing disturbed should have left."""
        found = None if self._folder is None else reader.load(self._folder)
        if (
            found is None
            or len(found.levels) != len(plan().levels)
            or not reader.is_finished(found)
        ):
            return ["the run did not come to its end"]
        return []

    def _opened(self, folder: Path, finished: int = 0) -> Watched:
        whole = number_of_lines(folder)
        bundle = watched(self.history, folder, finished)
        if self._folder == folder:
            self.broken += broken_recovery(folder, self.history, whole)
            self.history.adopt_levels(reader.load(folder).levels)
        self._folder = folder
        return bundle

    def _engine(self, *_: object, **__: object) -> VirtualEngine:
        return VirtualEngine(self._world, steps(), self.history.number)

    def _check_answer(self, *_: object) -> None:
        if self._world.has("gone"):
            raise TargetError("no answer within 5 s")

    @contextmanager
    def _connected(self, *_: object, **__: object) -> Iterator[Sut]:
        if self._world.has("gone"):
            raise TargetError("no connection")
        source = SteppedLatest(Agent(self._world), self._world.monotonic)
        yield VirtualSut(
            "lab:app",
            local=False,
            pids=None,
            access=VirtualAccess(),
            lab_settings={},
            lab_programs={},
            elsewhere=[source],
        )


class VirtualAccess:
    """A target that needs no data; see `Access`."""

    pid = None
    programs: dict[str, str] = {}  # noqa: RUF012 - as of all accesses
    settings: dict[str, str] = {}  # noqa: RUF012

    def prepare(self, *_: object, **__: object) -> Prepared:
        """All was there already."""
        return NOTHING

    def check(self) -> None:
        """It is asked elsewhere."""

    def cleanup(self, _: object) -> str:
        """Nothing is there."""
        return ""

    def engine_target(self) -> str:
        """The engine is a virtual one."""
        return "{}"

    def source(self) -> None:
        """It says nothing of itself."""


class VirtualSut(Sut):
    """A system under test that is not there."""

    def sources(self) -> list[Source]:
        """The agent alone."""
        return list(self.elsewhere)

    def environment(self, _: str) -> EnvironmentFile:
        """Always the same."""
        return environment()


@cache
def plan() -> Plan:
    """The plan of all runs: one scenario, which the engine of the world plays."""
    asked = Overrides(levels="2,4", duration="3s", settle="1s", ramp="1s", seed=1)
    made = resolve(workloads.load("app-server"), "lab:app", asked)
    scenarios = made.workload.scenarios[:1]
    workload = made.workload.model_copy(update={"scenarios": scenarios})
    return made.model_copy(update={"workload": workload})


@cache
def steps() -> list[str]:
    """The names of its steps."""
    return [
        step.name or str(place) for place, step in enumerate(plan().workload.scenarios[0].steps)
    ]
