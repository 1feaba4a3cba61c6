"""`python -m bench.diagnosis`: inject, run, diagnose, and print the confusion matrix."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench.diagnosis.injections import CLASSES
from bench.diagnosis.judge import Judged, judge, line, shown
from bench.diagnosis.stages import STAGES
from bench.diagnosis.trial import Runner, TrialError, drawn, truths

SERVERS = tuple(dict.fromkeys(stage.server for stage in STAGES.values()))


def main(arguments: list[str]) -> int:
    """Run the harness; returns the exit code."""
    options = _options(arguments)
    with ExitStack() as stack:
        if options.judge is not None:
            judged = [judge(options.judge, truth) for truth in truths(options.judge)]
        else:
            keep = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            judged = list(_played(options, keep))
        for one in judged if options.judge is not None else []:
            print(line(one))
        print(shown(judged))
        if options.json is not None:
            records = [one.record() for one in judged]
            options.json.write_text(json.dumps(records, indent=1) + "\n", "utf-8")
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.diagnosis", description=__doc__)
    parser.add_argument("--trials", type=int, default=len(CLASSES), help="how many")
    parser.add_argument("--seed", type=int, default=1, help="everything drawn derives from it")
    parser.add_argument("--first", type=int, default=0, help="number of the first trial")
    parser.add_argument("--part", choices=("develop", "held-out"), default="develop")
    parser.add_argument("--classes", nargs="+", choices=tuple(CLASSES), default=tuple(CLASSES))
    parser.add_argument("--servers", nargs="+", choices=SERVERS, default=SERVERS)
    parser.add_argument("--keep", type=Path, help="folder for the bundles and truth.ndjson")
    parser.add_argument("--short", action="store_true", help="ladders of seven seconds")
    parser.add_argument("--judge", type=Path, help="judge the bundles of a folder, run nothing")
    parser.add_argument("--json", type=Path, help="file for what was injected and said")
    return parser.parse_args(arguments)


def _played(options: argparse.Namespace, keep: Path) -> Iterator[Judged]:
    """Run the trials; prints those that could not run, and leaves them out."""
    runner = Runner(keep, short=options.short)
    for number in range(options.first, options.first + options.trials):
        trial = drawn(number, options.seed, options.part, options.classes, options.servers)
        if trial is None:
            sys.exit("no class of limits makes sense on these servers in this part")
        try:
            truth = runner.run(trial)
        except (TrialError, subprocess.SubprocessError) as error:
            print(f"void   {trial.key}  {trial.name} on {trial.stage}: {error}", flush=True)
            continue
        one = judge(keep, truth)
        print(line(one), flush=True)
        yield one


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
