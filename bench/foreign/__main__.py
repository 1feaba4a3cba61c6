"""`python -m bench.foreign`: play the cases, judge Headcount's answers, and print how it did."""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn, get_args

from bench.foreign.case import Case, Part, cases
from bench.foreign.figures import figures
from bench.foreign.judge import Judged, judge
from bench.foreign.play import LEVELS, Played, PlayError, kept, play
from bench.foreign.summary import about, faults, line, shown
from bench.foreign.tools import CACHE, Tools, install


def main(arguments: Sequence[str]) -> int:
    """Play or judge; returns 0, or 1 where a case left nothing to judge."""
    options = _options(arguments)
    signal.signal(signal.SIGTERM, _ended)
    wanted = [
        case
        for case in cases()
        if options.part in (None, case.part)
        and (not options.only or any(word in f"{case.kind}: {case.name}" for word in options.only))
    ]
    if options.list:
        for case in wanted:
            print(f"{case.part:8}  {case.kind}: {case.name}")
        return 0
    found: list[Judged] = []
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hcf-keep-", dir="/var/tmp") as name:
        for played in _played(options, wanted, Path(name)):
            if played is None:
                failed += 1
            elif options.figures:
                print("\n".join((about(played), *figures(played))), flush=True)
            else:
                found.append(judge(played))
                print("\n".join((line(found[-1]), *faults(found[-1]))), flush=True)
    if found:
        print(shown(found))
    if failed:
        print(f"{failed} left nothing to judge")
    if options.json is not None:
        records = [one.record() for one in found]
        options.json.write_text(json.dumps(records, indent=1) + "\n", "utf-8")
    return 1 if failed else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.foreign", description=__doc__)
    parser.add_argument("--part", choices=get_args(Part), help="only these")
    parser.add_argument("--only", nargs="+", metavar="WORD", help="cases with a word in the name")
    parser.add_argument("--list", action="store_true", help="name the cases, and play none")
    parser.add_argument("--keep", type=Path, help="folder for the bundles")
    parser.add_argument("--judge", type=Path, metavar="DIR", help="judge kept bundles again")
    parser.add_argument("--figures", action="store_true", help="what servers did, no judgement")
    parser.add_argument("--levels", type=_levels, default=LEVELS, help="numbers of users")
    parser.add_argument("--duration", type=float, metavar="S", help="seconds of each level")
    parser.add_argument("--seed", type=int, default=1, help="of the strengths")
    parser.add_argument("--repeat", type=int, default=1, help="how often, with the next seeds")
    parser.add_argument("--neighbours", action="store_true", help="other programs use some CPU")
    parser.add_argument(
        "--over-ssh",
        action="store_true",
        help="all servers of a case are in a network namespace at the far end of a cable, as on "
        "another machine, and Headcount reads their counters over SSH (needs root)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="all answers, for programs")
    parser.add_argument("--tools", type=Path, default=CACHE, help="folder for what is built")
    return parser.parse_args(arguments)


def _played(
    options: argparse.Namespace, wanted: Sequence[Case], spare: Path
) -> Iterator[Played | None]:
    """Each case as played; None if it left nothing to judge, which is printed."""
    if options.judge is not None:
        yield from kept(options.judge, {case.name: case for case in wanted})
        return
    install()
    keep, tools = options.keep or spare, Tools(options.tools)
    for seed in range(options.seed, options.seed + options.repeat):
        for case in wanted:
            try:
                played = play(
                    case,
                    seed,
                    keep,
                    tools,
                    options.neighbours,
                    options.duration,
                    options.levels,
                    options.over_ssh,
                )
            except (PlayError, RuntimeError, OSError) as error:
                print(f"no answer    {case.kind}: {case.name}: {error}", flush=True)
                yield None
            else:
                yield played


def _levels(text: str) -> tuple[int, ...]:
    """Numbers of users, with commas between them."""
    return tuple(int(users) for users in text.split(","))


def _ended(*_: object) -> NoReturn:
    """End as with Ctrl-C, so that nothing is left running."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
