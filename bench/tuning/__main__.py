"""`python -m bench.tuning`: plant faults, tune, and judge what the tuner and its rivals gain."""

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bench.tuning import others
from bench.tuning.case import Case, cases, servers
from bench.tuning.faults import play
from bench.tuning.judge import bars, judged, latest
from bench.tuning.log import Log, Record, records, tried
from bench.tuning.rivals import RIVALS
from bench.tuning.table import bar_lines, stock_table, table
from bench.tuning.tuner import Asked

PARTS = ("faults", "equal", "redeploy", "stock", "judge")
EQUAL = 60
INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Play what is asked for and judge it; returns 1 where a bar is missed, 130 if stopped."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers end with their blocks
    log = Log(options.out)
    if options.part == "faults" and not log.is_empty and not options.continue_:
        print(f"{options.out} has a proof: give --continue, or another folder")
        return 2
    own = {"seed": options.seed, "turn": options.turn, "budget": options.budget}
    if options.part != "judge" and not log.same_run(own):
        print(f"{options.out} has a proof with another seed, turn or budget: give another folder")
        return 2
    asked = Asked(options.seed, options.turn, options.budget, options.rivals)
    try:
        failed = _played(options, asked, log)
    except KeyboardInterrupt:
        print("stopped: --continue goes on from the last finished step")
        return INTERRUPTED
    proofs = [list(_steps(one, options)) for one in [*options.earlier, options.out]]
    faults = latest(judged(_wanted(options), steps) for steps in proofs)
    steps = [one for steps in proofs for one in steps]
    found = bars(faults, steps)
    print(table(faults), stock_table(steps), bar_lines(found), sep="\n")
    return 1 if failed or not all(one.is_met for one in found) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.tuning", description=__doc__)
    parser.add_argument("part", choices=PARTS, help="what to play; judge plays nothing")
    parser.add_argument("--out", type=Path, required=True, help="folder for steps and bundles")
    parser.add_argument(
        "--earlier",
        type=Path,
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="judge what was played before, too; of a fault, the last one counts",
    )
    parser.add_argument("--cases", nargs="+", metavar="WORD", help="those with a word in the name")
    parser.add_argument("--held-out", action="store_true", help="only faults that are held out")
    parser.add_argument("--develop", action="store_true", help="only those that are not")
    parser.add_argument("--seed", type=int, default=1, help="draws the strength of faults")
    parser.add_argument("--turn", default="5s", metavar="TIME", help="measured part of a turn")
    parser.add_argument("--budget", default="15m", metavar="TIME", help="of each tuning")
    parser.add_argument(
        "--rivals",
        nargs="*",
        choices=RIVALS,
        default=RIVALS,
        help="what else answers each fault; random and optuna take as long as the tuner",
    )
    parser.add_argument("--number", type=int, default=EQUAL, help="tunings where nothing is wrong")
    parser.add_argument(
        "--continue", dest="continue_", action="store_true", help="go on with what is in the folder"
    )
    return parser


def _wanted(options: argparse.Namespace) -> list[Case]:
    return [
        one
        for one in cases()
        if _named(one.name, options)
        and not (options.held_out and not one.held_out)
        and not (options.develop and one.held_out)
    ]


def _named(name: str, options: argparse.Namespace) -> bool:
    return not options.cases or any(word in name for word in options.cases)


def _steps(folder: Path, options: argparse.Namespace) -> Iterator[Record]:
    """The steps of a proof that belong to the cases asked for."""
    return (one for one in records(folder) if _named(one["name"], options))


def _played(options: argparse.Namespace, asked: Asked, log: Log) -> int:
    """The number of parts without an answer."""
    if options.part in ("faults", "redeploy"):
        playing = play if options.part == "faults" else others.redeploy
        found = _wanted(options)
        done = [tried(one.name, partial(playing, one, asked, log)) for one in found]
        return done.count(False)
    if options.part == "equal":
        rows = [one for one in servers("equal") if _named(one.name, options)]
        numbers = range(options.number if rows else 0)
        turns = [(rows[number % len(rows)], number) for number in numbers]
        done = [tried(row.name, partial(others.equal, row, at, asked, log)) for row, at in turns]
        return done.count(False)
    if options.part == "stock":
        rows = [one for one in servers("stock") if _named(one.name, options)]
        return [tried(row.name, partial(others.stock, row, asked, log)) for row in rows].count(
            False
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
