"""A trial: a server, a load, a limit that was injected, and the bundle of the run."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.diagnosis.draw import Draw, Part
from bench.diagnosis.injections import CLASSES, Case, Demand, Injection
from bench.diagnosis.stages import (
    LEVEL_S,
    LEVELS,
    SHORT_LEVEL_S,
    SHORT_LEVELS,
    STAGES,
    Stage,
    plan,
)
from bench.diagnosis.surroundings import cold, folder, hogs
from bench.diagnosis.undisturbed import TRIES, undisturbed
from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from headcount.fields.units import seconds
from headcount.lab.squeeze.limits import USUAL_WEIGHT
from headcount.plan.plan import Plan

HELD_OUT = frozenset({"mail", "postgresql"})
"""Servers that rules are not refined on."""
LONGEST_S = 120.0
"""Longest time for a run to start and end, in addition to its levels."""
SLACK = 1.5
"""Factor on the time of levels, for what is between them."""
CALIBRATION_USERS = 16
RUN_UNDER = [sys.executable, "-m", "headcount"]


class TrialError(Exception):
    """A run that left nothing to diagnose."""


@dataclass(frozen=True)
class Trial:
    """What was drawn."""

    number: int
    seed: int
    part: Part
    name: str
    stage: str

    @property
    def key(self) -> str:
        """The name of its bundle, which does not reveal what was injected."""
        return f"trial-{self.seed}-{self.number:03}"

    def draw(self) -> Draw:
        """The choices of its strength."""
        return Draw(f"{self.seed}/{self.number}/{self.name}/{self.stage}", self.part)


def drawn(
    number: int, seed: int, part: Part, classes: Sequence[str], servers: Sequence[str]
) -> Trial | None:
    """The trial of this number: classes take turns, stages are drawn; None if there is none."""
    draw = Draw(f"{seed}/{number}", part)
    possible = [name for name in classes if _stages(name, part, servers)]
    if not possible:
        return None
    name = possible[number % len(possible)]
    return Trial(number, seed, part, name, draw.one(_stages(name, part, servers)))


def _stages(name: str, part: Part, servers: Sequence[str]) -> list[str]:
    """The stages of a class that belong to a part; of `held-out`, new servers come first."""
    of_class = [one for one in CLASSES[name].stages if STAGES[one].server in servers]
    if part == "develop":
        return [one for one in of_class if STAGES[one].server not in HELD_OUT or name == "lock"]
    new = [one for one in of_class if STAGES[one].server in HELD_OUT]
    return [*of_class, *new]  # twice as often


class Runner:
    """Runs trials and keeps their bundles."""

    def __init__(self, keep: Path, *, short: bool = False) -> None:
        """Keep bundles, and what stages do unlimited, in this folder.

        `short`: three levels of 2 s instead of four of 4 s, whatever the machine does meanwhile.
        """
        self._levels = SHORT_LEVELS if short else LEVELS
        self._level_s = SHORT_LEVEL_S if short else LEVEL_S
        self._patient = not short
        self.keep = keep
        keep.mkdir(parents=True, exist_ok=True)
        self._demands: dict[str, Demand] = {}

    def run(self, trial: Trial) -> dict[str, Any]:
        """Run a trial; returns what was injected, as `truth.ndjson` has it."""
        stage = STAGES[trial.stage]
        injection = CLASSES[trial.name].make(Case(stage, self.demand(stage), trial.draw()))
        made = plan(
            stage,
            seed=trial.seed * 1000 + trial.number,
            levels=injection.levels or self._levels,
            level_s=self._level_s,
            think_s=injection.think_s,
            settings=injection.settings,
            limits=injection.limits,
            steps=injection.steps,
        )
        stolen = self.play(made, injection, self.keep / trial.key)
        truth = {
            "bundle": trial.key,
            "part": trial.part,
            "class": trial.name,
            "server": stage.server,
            "stage": trial.stage,
            "seed": trial.seed,
            "limit": injection.limit,
            "detail": injection.detail,
            "accepted": [injection.limit, *injection.accepted],
            "strength": injection.strength,
            "stolen": stolen,
        }
        with (self.keep / "truth.ndjson").open("a", encoding="utf-8") as file:
            file.write(json.dumps(truth) + "\n")
        return truth

    def demand(self, stage: Stage) -> Demand:
        """What a stage does unlimited, measured once."""
        if stage.name not in self._demands:
            # Unlimited, it takes all it can get; a short trial leaves other programs their share.
            limits = {} if self._patient else {"cpu-weight": str(USUAL_WEIGHT)}
            calm = plan(
                stage, seed=1, levels=[CALIBRATION_USERS], level_s=self._level_s, limits=limits
            )
            place = self.keep / f"calibration-{stage.name}"
            if not place.exists():
                self.play(calm, Injection("none", "", ""), place)
            self._demands[stage.name] = _demand(reader.load(place).levels[-1])
        return self._demands[stage.name]

    def play(self, what: Plan, injection: Injection, to: Path) -> float | None:
        """Play while the machine is undisturbed; returns the share of its CPU time that was stolen.

        Short plays are for experiments: they accept the machine as it is.
        """
        if not self._patient:
            self._play(what, injection, to)
            return None
        stolen = undisturbed(lambda: self._play(what, injection, to))
        if stolen is None:
            raise TrialError(f"its hypervisor took the machine's CPUs, {TRIES} times")
        return stolen

    def _play(self, what: Plan, injection: Injection, to: Path) -> None:
        """Run a plan as a program of its own, in surroundings of its own."""
        with contextlib.ExitStack() as around:
            cache = around.enter_context(folder(loop=injection.loop))
            if injection.cold:
                around.enter_context(cold(cache))
            work = Path(around.enter_context(tempfile.TemporaryDirectory(prefix="hcb-run-")))
            (work / "plan.toml").write_text(what.to_toml(), "utf-8")
            around.enter_context(hogs(injection.hogs))
            environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
            command = [*RUN_UNDER, "run", str(work / "plan.toml"), "--json", "--runs", str(work)]
            ran = subprocess.run(
                command,
                env=environment,
                capture_output=True,
                text=True,
                timeout=LONGEST_S + SLACK * len(what.levels) * _level_s(what),
                check=False,
            )
            bundles = sorted(work.glob("*/levels.json"))
            if not bundles:
                raise TrialError(f"the run made no levels: {ran.stderr.strip()[-2000:]}")
            shutil.rmtree(to, ignore_errors=True)
            shutil.copytree(bundles[0].parent, to)


def _level_s(what: Plan) -> float:
    """Seconds of a level, with its ramp and what it settles in."""
    run = what.workload.run
    return sum(seconds(each) for each in (run.duration, run.ramp, run.settle) if each is not None)


def _demand(level: LevelResult) -> Demand:
    """What a level took of each resource."""

    def mean(side: str, name: str) -> float:
        counted = level.counters.get(side, {}).get(name)
        return counted.mean if counted is not None else 0.0

    # Of the machine, since the kernel overstates processes: with large folios a write of 16
    # KiB counts as all of the folio that it makes dirty (task_io_account_write).
    written = mean("sut", "system.disk.io{disk.io.direction=write}")
    return Demand(
        per_s=max(level.total.rate_per_s, 1e-9),
        server_cores=mean("sut", "process.cpu.utilization"),
        generator_cores=mean("generator", "process.cpu.utilization"),
        moved_bytes_s=level.total.read_bytes_per_s + level.total.written_bytes_per_s,
        written_bytes_s=written,
    )


def truths(keep: Path) -> list[Mapping[str, Any]]:
    """What was injected into the bundles of a folder."""
    lines = (keep / "truth.ndjson").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line]
