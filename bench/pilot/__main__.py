"""`python -m bench.pilot`: whether the pilot helps a disturbed server, and claims nothing else."""

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.pilot.judge import bars, calm_text, pair_text
from bench.pilot.log import CALM, OPTIONS, PAIR, append, of_kind, records
from bench.pilot.play import Lengths, calm, pair
from bench.pilot.server import server
from headcount.errors import HeadcountError

DISTURBED, UNDISTURBED, JUDGE = "disturbed", "undisturbed", "judge"
USERS = 400
"""They keep a machine of two CPUs a third busy: enough without a disturber."""
SETTLE_S, MEASURED_S, CALM_S = 45.0, 20.0, 40.0
"""A look and two trials with turns of 1 s, their first ones counted: 41 s."""


def main(arguments: Sequence[str]) -> int:
    """Play what is asked for and judge all that is there; returns 1 where a bar is missed."""
    options = _parser().parse_args(arguments)
    lengths = Lengths(
        options.users,
        options.settle,
        options.measured,
        options.calm,
        options.turn,
        options.patience,
    )
    problem = None if options.part == JUDGE else _obstacle(options, lengths)
    if problem is not None:
        print(problem, file=sys.stderr)
        return 2
    try:
        _play(options, lengths)
    except HeadcountError as error:
        print(f"no answer: {error}", file=sys.stderr)
        return 1
    found = bars(records(options.out))
    for one in found:
        print(f"{'met   ' if one.is_met else 'MISSED'} {one.text}")
    return 0 if all(one.is_met for one in found) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.pilot", description=__doc__)
    parts = (DISTURBED, UNDISTURBED, JUDGE)
    parser.add_argument("part", nargs="?", choices=parts, help="one part only; judge plays nothing")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="lines of JSON")
    parser.add_argument("--pairs", type=int, default=4, help="pairs of turns, with a disturber")
    parser.add_argument("--number", type=int, default=20, help="checks without one")
    parser.add_argument("--turn", default="1s", metavar="TIME", help="of headcount pilot")
    parser.add_argument("--users", type=int, default=USERS)
    parser.add_argument("--settle", type=float, default=SETTLE_S, metavar="S")
    parser.add_argument("--measured", type=float, default=MEASURED_S, metavar="S")
    parser.add_argument("--patience", type=float, default=120.0, metavar="S", help="wait for quiet")
    parser.add_argument("--calm", type=float, default=CALM_S, metavar="S")
    parser.add_argument(
        "--continue", dest="continue_", action="store_true", help="go on with what is in the file"
    )
    return parser


def _obstacle(options: argparse.Namespace, lengths: Lengths) -> str | None:
    """Why nothing can be played into the file; a new file records the options."""
    played = records(options.out)
    if not played:
        append(options.out, {"kind": OPTIONS, **asdict(lengths)})
        return None
    if not options.continue_:
        return f"{options.out} has a proof: give --continue, or another file"
    if played[0] != {"kind": OPTIONS, **asdict(lengths)}:
        return f"{options.out} was played with other options: give those, or another file"
    return None


def _play(options: argparse.Namespace, lengths: Lengths) -> None:
    """Play what is not in the file yet."""
    played = records(options.out)
    pairs = options.pairs if options.part in (None, DISTURBED) else 0
    checks = options.number if options.part in (None, UNDISTURBED) else 0
    todo = range(len(of_kind(played, PAIR)), pairs), range(len(of_kind(played, CALM)), checks)
    if not any(todo):
        return
    runs = options.out.with_suffix(".runs")
    with TemporaryDirectory(prefix="hcb-", dir="/var/tmp") as made, server(Path(made)) as up:
        for number in todo[0]:
            record = pair(number, up, lengths, runs)
            append(options.out, record)
            print(pair_text(record, of_kind(records(options.out), PAIR)), flush=True)
        for number in todo[1]:
            record = calm(number, up, lengths, runs)
            append(options.out, record)
            print(calm_text(record), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # processes end with their blocks
    sys.exit(main(sys.argv[1:]))
