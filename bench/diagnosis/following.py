"""`python -m bench.diagnosis.following`: is the limit that is said to be next the next one?

A server gets a slow network and a quota of CPU, of which the network leaves less: the diagnosis
names it, and says from how the use of the CPU grew when that would be full. Then the network is
made wide, the server is loaded until the CPU is full, and what was said is compared with what came.
"""

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.diagnosis.draw import Draw
from bench.diagnosis.injections import Demand, Injection
from bench.diagnosis.stages import LEVEL_S, STAGES, Stage, plan
from bench.diagnosis.trial import Runner
from headcount.analyse.diagnosis.diagnose import diagnose
from headcount.bundle import reader

STAGE_NAMES = ("nginx-zip", "apache-small", "samba-small", "sql-wide", "app-reply", "nginx-small")
KNEE_USERS = 16
LEVELS = (2, 4, 8, 16, 32)
FULL_LEVELS = (32, 64, 128)
WIDE = {"network": "20Gbit"}
"""Wider than anything here: the limit is gone, and the path, which costs CPU itself, stays."""


@dataclass(frozen=True)
class Checked:
    """One projection and its outcome; None if nothing was projected."""

    stage: str
    limit: str
    named: str | None
    per_s: float | None
    interval: tuple[float, float | None]
    came: float

    def line(self) -> str:
        """In a line."""
        head = f"{self.stage:14} first {self.limit:10} next {self.named or '-':8}"
        if self.per_s is None:
            return f"{head} nothing projected; the CPU was full at {self.came:,.0f}/s"
        low, high = self.interval
        upper = f" to {high:,.0f}" if high is not None else " or more"
        error = self.per_s / self.came - 1
        return (
            f"{head} projected {self.per_s:9,.0f}/s ({low:,.0f}{upper}), came {self.came:9,.0f}"
            f"/s: {error:+.1%}"
        )


def check(runner: Runner, stage: Stage, draw: Draw, number: int) -> Checked:
    """Run a stage with both limits, diagnose, and run it with the second alone."""
    demand = runner.demand(stage)
    limits, share = _first(demand, draw)
    cores = demand.server_cores * min(share * draw.between(1.5, 3.0), 0.8)
    cpu = {"cpu": f"{cores:.3f}"}
    think_s = KNEE_USERS / (share * demand.per_s)
    both = _run(runner, stage, (number, LEVELS), {**limits, **cpu}, think_s, f"{number}-both")
    alone = _run(runner, stage, (number, FULL_LEVELS), WIDE | cpu, think_s / 4, f"{number}-alone")
    found = diagnose(reader.load(both))
    came = max(level.total.rate_per_s for level in reader.load(alone).levels)
    follows = found.next if found is not None else None
    rate = follows.per_s / follows.users if follows is not None else 0.0
    return Checked(
        stage=stage.name,
        limit=found.limit if found else "-",
        named=follows.limit if follows else None,
        per_s=follows.per_s if follows else None,
        interval=(
            follows.low * rate if follows else 0.0,
            follows.high * rate if follows and follows.high is not None else None,
        ),
        came=came,
    )


def _first(demand: Demand, draw: Draw) -> tuple[Mapping[str, str], float]:
    """A network limit that binds first, and the share of throughput that it leaves.

    Not the generator: levels in which it was the limit are invalid, and nothing is projected.
    """
    share = draw.between(0.08, 0.25)
    bits = min(demand.moved_bytes_s * 8 * share, 400e6)
    return {"network": f"{bits:.0f}bit"}, bits / (demand.moved_bytes_s * 8)


def _run(
    runner: Runner,
    stage: Stage,
    what: tuple[int, Sequence[int]],
    limits: Mapping[str, str],
    think_s: float,
    name: str,
) -> Path:
    seed, levels = what
    made = plan(stage, seed=seed, levels=levels, level_s=LEVEL_S, think_s=think_s, limits=limits)
    to = runner.keep / name
    runner.play(made, Injection("none", "", ""), to)
    return to


def main() -> None:
    """Check several, and print the errors."""
    parser = argparse.ArgumentParser(prog="python -m bench.diagnosis.following")
    parser.add_argument("--trials", type=int, default=6, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="everything drawn derives from it")
    parser.add_argument("--keep", type=Path, help="folder for the bundles")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.keep or Path(folder))
        projected = []
        for number in range(options.trials):
            draw = Draw(f"{options.seed}/{number}", "held-out")
            stage = STAGES[STAGE_NAMES[number % len(STAGE_NAMES)]]
            one = check(runner, stage, draw, options.seed * 1000 + number)
            print(one.line(), flush=True)
            if one.per_s is not None:
                projected.append((abs(one.per_s / one.came - 1), one.came >= one.interval[0]))
    if projected:
        errors, held = zip(*projected, strict=True)
        print(
            f"{len(errors)} projections: median error {median(errors):.1%}, "
            f"lower bound held {sum(held)} times"
        )


if __name__ == "__main__":
    main()
