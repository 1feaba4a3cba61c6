"""`python -m bench.diagnosis`: inject, run, diagnose, and print the confusion matrix."""

import argparse
import subprocess
import sys
from pathlib import Path

from bench.diagnosis.injections import CLASSES
from bench.diagnosis.stages import STAGES
from bench.diagnosis.trial import Failed, Runner, drawn

SERVERS = tuple(dict.fromkeys(stage.server for stage in STAGES.values()))


def main(arguments: list[str]) -> int:
    """Run the harness; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.diagnosis", description=__doc__)
    parser.add_argument("--trials", type=int, default=len(CLASSES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first trial")
    parser.add_argument("--part", choices=("develop", "held-out"), default="develop")
    parser.add_argument("--classes", nargs="+", choices=tuple(CLASSES), default=tuple(CLASSES))
    parser.add_argument("--servers", nargs="+", choices=SERVERS, default=SERVERS)
    parser.add_argument("--keep", type=Path, required=True, help="folder for the bundles")
    options = parser.parse_args(arguments)
    runner = Runner(options.keep)
    for number in range(options.first, options.first + options.trials):
        trial = drawn(number, options.seed, options.part, options.classes, options.servers)
        if trial is None:
            print("no class of limits makes sense on these servers")
            return 2
        try:
            truth = runner.run(trial)
        except (Failed, subprocess.SubprocessError) as error:
            print(f"{trial.key} {trial.name} {trial.stage}: {error}", flush=True)
            continue
        print(f"{trial.key} {trial.name:13} {trial.stage:12} {truth['strength']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
