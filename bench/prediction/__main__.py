"""`python -m bench.prediction`: measure, predict, change, measure again, and print the errors."""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.diagnosis.trial import TrialError
from bench.prediction.cases import CASES
from bench.prediction.trial import LEVEL_S, Outcome, judged, run
from headcount.errors import HeadcountError

NAMES = tuple(dict.fromkeys(name for name, _ in CASES))
HEAD = (
    f"{'trial':16}{'changed':9}{'load':13}{'by':>5}{'before':>8}{'predicted':>10}{'interval':>14}"
    f"{'measured':>9}{'error':>8}  remarks"
)


def main(arguments: list[str]) -> int:
    """Run the harness; returns the exit code."""
    options = _options(arguments)
    with ExitStack() as stack:
        keep = (
            options.judge
            or options.keep
            or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        )
        keep.mkdir(parents=True, exist_ok=True)
        print(HEAD, flush=True)
        outcomes = []
        for one in _judged(keep) if options.judge else _played(options, keep):
            print(row(one), flush=True)
            outcomes.append(one)
    print("\n" + summary(outcomes))
    if options.json is not None:
        records = [one.record() for one in outcomes]
        options.json.write_text(json.dumps(records, indent=1) + "\n", "utf-8")
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.prediction", description=__doc__)
    parser.add_argument("--trials", type=int, default=len(CASES), help="how many")
    parser.add_argument("--seed", type=int, default=1, help="everything drawn derives from it")
    parser.add_argument("--first", type=int, default=0, help="number of the first trial")
    parser.add_argument("--kinds", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--keep", type=Path, help="folder for the bundles")
    parser.add_argument("--level", type=int, default=LEVEL_S, help="length of levels in seconds")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no trial after so long")
    parser.add_argument("--judge", type=Path, help="predict from the bundles of a folder again")
    parser.add_argument("--json", type=Path, help="file for what was predicted and measured")
    return parser.parse_args(arguments)


def _played(options: argparse.Namespace, keep: Path) -> Iterator[Outcome]:
    until = time.monotonic() + options.minutes * 60
    for number in range(options.first, options.first + options.trials):
        if time.monotonic() >= until:
            return
        try:
            yield run(number, options.seed, keep, options.kinds, options.level)
        except (TrialError, HeadcountError, subprocess.SubprocessError) as error:
            print(f"trial-{options.seed}-{number:03}  void: {error}", flush=True)


def _judged(keep: Path) -> Iterator[Outcome]:
    for laid in sorted(keep.glob("trial-*.json")):
        try:
            yield judged(keep, laid.stem)
        except (TrialError, HeadcountError) as error:
            print(f"{laid.stem}  void: {error}", flush=True)


def row(one: Outcome) -> str:
    """One line of the table."""
    interval = f"[{one.low:.0f}, {one.high:.0f}]" if one.low and one.high else "-"
    remarks = f"{one.model}, {one.binds}"
    if not one.predictive:
        remarks += f"; refused: {', '.join(one.reasons)}"
    elif one.covered is False:
        remarks += "; outside the interval"
    return (
        f"{one.key:16}{one.name:9}{one.stage:13}{one.factor:>4.1f}x{_count(one.before):>8}"
        f"{_count(one.predicted):>10}{interval:>14}{one.measured:>9.0f}"
        f"{f'{100 * one.error:+.1f}%' if one.error is not None else '-':>8}  {remarks}"
    )


def summary(outcomes: Sequence[Outcome]) -> str:
    """Median errors and coverage, of what was predicted and of what was refused."""
    lines = []
    for word, chosen in (
        ("predicted", [one for one in outcomes if one.predictive]),
        ("refused", [one for one in outcomes if not one.predictive]),
    ):
        errors = [abs(one.error) for one in chosen if one.error is not None]
        if not errors:
            lines.append(f"{word}: {len(chosen)}")
            continue
        held = [one.covered for one in chosen if one.covered is not None]
        lines.append(
            f"{word}: {len(chosen)}; median |error| {100 * statistics.median(errors):.1f}%, "
            f"largest {100 * max(errors):.1f}%; the interval held {sum(held)} of {len(held)}"
        )
    return "\n".join(lines)


def _count(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
