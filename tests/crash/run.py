"""Crashes what Headcount writes, at any call, and checks what is left.

`make crash CRASHES=100000`. A story is a run that is written, crashed several times, resumed each
time, and finished; its seed repeats it. Each promise that was broken is printed with the command
that replays it, the counts at the end, also after Ctrl-C or SIGTERM.
"""

import argparse
import gc
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from crash_story import Story, room, story
from crash_subjects import SUBJECTS

EVERY_S = 10.0
"""How often the progress is printed."""
MOST_SHOWN = 20
"""Broken promises that are printed whole."""


def stories(first: int, subjects: list[str], runs: Path) -> Iterator[Story]:
    """Story after story, the subjects in turn."""
    seed = first
    while True:
        for name in subjects:
            yield story(seed, name, runs)
        seed += 1


def played(first: int, crashes: int, subjects: list[str]) -> int:
    """Play stories until there were this many crashes; returns how many broke a promise."""
    faults: Counter[str] = Counter()
    of_subject: Counter[str] = Counter()
    broken: list[Story] = []
    began_s = shown_s = time.monotonic()
    gc.freeze()  # what was imported stays, and need not be looked at again and again
    is_over = ending()
    with room() as runs:
        for one in stories(first, subjects, runs):
            faults.update(one.faults)
            of_subject[one.subject] += 1
            if one.broken:
                broken.append(one)
                print_broken(one, len(broken))
            now_s = time.monotonic()
            if is_over.is_set() or faults.total() >= crashes:
                break
            if now_s - shown_s >= EVERY_S:
                shown_s = now_s
                print_progress(faults, of_subject, len(broken), now_s - began_s)
    print_progress(faults, of_subject, len(broken), time.monotonic() - began_s)
    for kind, number in faults.most_common():
        print(f"  {kind:<18} {number:>9,}")
    gc.unfreeze()
    return len(broken)


def ending() -> threading.Event:
    """Set by Ctrl-C and SIGTERM: a controller that is simulated would take them for its own."""
    found = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: found.set())
    return found


def print_progress(
    faults: Counter[str], of_subject: Counter[str], broken: int, took_s: float
) -> None:
    parts = ", ".join(f"{number:,} of {name}" for name, number in of_subject.items())
    print(
        f"{faults.total():,} crashes in {of_subject.total():,} stories ({parts}), "
        f"{took_s:.0f} s: {broken:,} broke a promise",
        flush=True,
    )


def print_broken(one: Story, number: int) -> None:
    if number > MOST_SHOWN:
        return
    print(f"{one.subject}:{one.seed} after {', '.join(one.faults)}:")
    for text in one.broken:
        print(f"  {text}")
    print(f"  replay: python tests/crash/run.py --replay {one.subject}:{one.seed}", flush=True)


def replayed(name: str, seed: int) -> int:
    """Play one story and print it; returns how many promises it broke."""
    with room() as runs:
        one = story(seed, name, runs)
    print(f"{name}:{seed}: {', '.join(one.faults) or 'no fault'}")
    for text in one.broken:
        print(f"  {text}")
    print("all promises hold" if not one.broken else "broken")
    return len(one.broken)


def main() -> int:
    """Play what the command line asks for; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crashes", type=int, default=10_000, help="how many (default: 10000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first story (default: 1)")
    parser.add_argument(
        "--subject",
        choices=sorted(SUBJECTS),
        action="append",
        help="what to crash; may be repeated (default: all)",
    )
    parser.add_argument(
        "--replay", metavar="SUBJECT:SEED", help="play this one story, and print it"
    )
    asked = parser.parse_args()
    if asked.replay:
        name, _, seed = asked.replay.partition(":")
        if name not in SUBJECTS or not seed.isdecimal():
            parser.error(f"--replay takes SUBJECT:SEED, such as {next(iter(SUBJECTS))}:1")
        return int(replayed(name, int(seed)) > 0)
    return int(played(asked.seed, asked.crashes, asked.subject or [*SUBJECTS]) > 0)


if __name__ == "__main__":
    sys.exit(main())
