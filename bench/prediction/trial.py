"""A trial: a ladder, a prediction from it, and a ladder after the change."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.diagnosis.injections import Injection
from bench.diagnosis.stages import Stage, plan
from bench.diagnosis.trial import Runner, TrialError
from bench.prediction.cases import CASES, LOADS, Setting, setting
from headcount.analyse.prediction import Asked, Prediction, predict
from headcount.analyse.prediction.change import parse
from headcount.analyse.prediction.study import study
from headcount.bundle import reader

BEFORE = (0.4, 0.6, 0.8, 0.95, 1.1, 1.3, 1.6)
AFTER = (0.7, 0.85, 1.0, 1.15, 1.3)
FURTHER = {"low": (0.3, 0.45, 0.6), "high": (1.5, 1.8, 2.2)}
LEVEL_S = 20
"""Levels of 5 s err by several percent themselves: seven of eleven predictions were refused."""
SETTLE_S = 1.0


@dataclass(frozen=True)
class Outcome:
    """What a trial came to."""

    key: str
    name: str
    stage: str
    factor: float
    criterion: str
    before: float | None
    predicted: float | None
    low: float | None
    high: float | None
    predictive: bool
    reasons: Sequence[str]
    model: str | None
    binds: str | None
    measured: float

    @property
    def error(self) -> float | None:
        """Of the prediction, relative to what was measured."""
        return None if self.predicted is None else self.predicted / self.measured - 1

    @property
    def covered(self) -> bool | None:
        """Whether the interval held what was measured."""
        if self.low is None or self.high is None:
            return None
        return self.low <= self.measured <= self.high

    def record(self) -> dict[str, Any]:
        """For a file."""
        return asdict(self)


@dataclass(frozen=True)
class Ladders:
    """How the ladders of a trial are run, and where their bundles are kept."""

    runner: Runner
    stage: Stage
    laid: Setting
    level_s: int

    def play(self, limits: Mapping[str, str], users: Sequence[float], to: Path) -> None:
        """Run levels of so many users with these limits, unless that was done before."""
        if to.exists():
            return
        made = plan(
            self.stage,
            seed=1,
            levels=sorted({max(round(each), 1) for each in users}),
            level_s=self.level_s,
            think_s=self.laid.think_s,
            settle_s=max(SETTLE_S, self.laid.think_s),
            limits=limits,
        )
        self.runner.play(made, Injection("none", "", "", cold=self.laid.cold), to)


def run(
    number: int, seed: int, keep: Path, names: Sequence[str], level_s: int = LEVEL_S
) -> Outcome:
    """Run a trial and keep its bundles; raises TrialError where it shows nothing."""
    cases = [case for case in CASES if case[0] in names]
    name, stage_name = cases[number % len(cases)]
    stage = LOADS[stage_name]
    runner = Runner(keep)
    laid = setting(name, stage, runner.demand(stage), random.Random(f"{seed}/{number}"))
    key = f"trial-{seed}-{number:03}"
    (keep / f"{key}.json").write_text(
        json.dumps({"name": name, "stage": stage_name, **asdict(laid)}) + "\n", "utf-8"
    )
    ladders = Ladders(runner, stage, laid, level_s)
    ladders.play(laid.before, [laid.knee * f for f in BEFORE], keep / f"{key}-before")
    if _ladder_after(ladders, keep / key) is None:
        raise TrialError("the capacity after the change was not bracketed")
    return judged(keep, key)


def judged(keep: Path, key: str) -> Outcome:
    """Predict from the kept bundle of a trial, and compare; raises TrialError."""
    laid = json.loads((keep / f"{key}.json").read_text("utf-8"))
    criterion = f"p95<={laid['limit_ms']:.0f}ms"
    made = predict(
        reader.load(keep / f"{key}-before"),
        Asked([parse(laid["kind"], f"{laid['factor']}x")], criterion=criterion),
    )
    truths = [m for end in ("", "-more") if (m := _measured(keep / f"{key}-after{end}", criterion))]
    if not truths:
        raise TrialError("the capacity after the change was not bracketed")
    return _outcome(key, laid, criterion, made, truths[-1])


def _outcome(
    key: str, laid: Mapping[str, Any], criterion: str, made: Prediction, measured: float
) -> Outcome:
    capacity = made.capacity
    return Outcome(
        key=key,
        name=laid["name"],
        stage=laid["stage"],
        factor=laid["factor"],
        criterion=criterion,
        before=made.measured,
        predicted=capacity.users if capacity is not None else None,
        low=capacity.low if capacity is not None else None,
        high=capacity.high if capacity is not None else None,
        predictive=made.outcome == "predicted",
        reasons=[check.name for check in made.checks if check.passed is False],
        model=made.model,
        binds=made.binds,
        measured=measured,
    )


def _ladder_after(ladders: Ladders, place: Path) -> float | None:
    """Measure the capacity after the change; further out, once, where it was not bracketed."""
    first, laid = Path(f"{place}-after"), ladders.laid
    users = [laid.expected * f for f in AFTER]
    ladders.play(laid.after, users, first)
    found = _measured(first, laid.criterion)
    if found is not None:
        return found
    passed = study(reader.load(first), laid.criterion, None).points[-1].value <= 1
    users += [laid.expected * f for f in FURTHER["high" if passed else "low"]]
    more = Path(f"{place}-after-more")
    ladders.play(laid.after, sorted(users)[3:] if passed else sorted(users)[:5], more)
    return _measured(more, laid.criterion)


def _measured(bundle: Path, criterion: str) -> float | None:
    if not bundle.exists():
        return None
    return study(reader.load(bundle), criterion, None).measured
