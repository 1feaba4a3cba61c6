"""`python -m bench gate`: measure, compare, print, and write the file of a version."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from bench.example import ROOT
from bench.gate import results as files
from bench.gate.comparison import Compared, compare
from bench.gate.items import ITEMS
from bench.gate.measure import measure
from bench.gate.page import write_page
from bench.gate.results import BadResultsError, Measured, Results
from bench.gate.tables import conclusion, head, show_item
from bench.machine import described
from headcount import __version__

ROUNDS = 5
PATIENCE_S = 60.0
"""Time in which the load average falls to 0.37 of what the previous item left."""
PART = ROOT / "target" / "gate.json"
"""Where a run of some items, or one that was interrupted, is written."""
WIDTH = 130
"""Columns of the tables if the output is not a terminal."""
WORSE, USAGE, INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str]) -> int:
    """Do what is asked for; returns the exit code."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    parser = _parser()
    options = parser.parse_args(arguments)
    known = {item.name: item for item in ITEMS}
    if unknown := set(options.items) - set(known):
        parser.error(f'there is no item "{min(unknown)}"; there are: {", ".join(known)}')
    if options.rounds < 1:
        parser.error("--rounds must be 1 or more")
    try:
        if options.page is not None:
            write_page(options.page, files.read(options.show or _newest()))
            return 0
        if options.show is not None:
            shown = files.read(options.show)
            return _show(shown, _other(options.against, shown.version), console, options.bars)
        return _measure(options, _other(options.against, __version__), console)
    except (BadResultsError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench gate",
        description=(
            "What one operation costs as shipped, beside peers, and whether that changed since "
            "another version. Exit code 1 if something is worse beyond its noise."
        ),
    )
    names = ", ".join(item.name for item in ITEMS)
    parser.add_argument("items", nargs="*", metavar="ITEM", help=f"all by default: {names}")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="5 by default")
    patience = f"wait up to {PATIENCE_S:g} s for a quiet machine before each item"
    parser.add_argument("--patience", type=float, default=PATIENCE_S, metavar="S", help=patience)
    parser.add_argument("--against", type=Path, metavar="FILE", help="results to compare with")
    parser.add_argument("--bars", action="store_true", help="exit code 1 for a missed bar, too")
    parser.add_argument("--show", type=Path, metavar="FILE", help="print results again")
    parser.add_argument("--page", type=Path, metavar="PAGE", help="write results into a page")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write the results")
    return parser


def _newest() -> Path:
    found = files.newest(files.FOLDER)
    if found is None:
        raise BadResultsError(f"there are no results in {files.FOLDER}; measure some")
    return found


def _other(named: Path | None, version: str) -> Results | None:
    """The results to compare with: those named, or the newest of another version."""
    path = named or files.newest(files.FOLDER, version)
    return None if path is None else files.read(path)


def _measure(options: argparse.Namespace, other: Results | None, console: Console) -> int:
    items = [item for item in ITEMS if not options.items or item.name in options.items]
    measured: list[Measured] = []
    commit, is_interrupted = _commit(), False

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    for item in items:
        one, is_interrupted = measure(item, options.rounds, options.patience, say)
        if not is_interrupted and _is_worse(one, other, commit):
            say(f"{item.name}: worse than {other.version if other else ''}: measured again")
            again, is_interrupted = measure(item, options.rounds, options.patience, say)
            one = one.model_copy(update={"repeated": again.rounds})
        measured.append(one)
        if is_interrupted:
            say("interrupted: what was measured is kept")
            break
    is_complete = not options.items and not is_interrupted
    results = _results(measured, commit, is_complete=is_complete)
    path = options.output or (files.FOLDER / f"{__version__}.json" if is_complete else PART)
    code = _show(results, other, console, options.bars)
    results.write(path)
    console.print(f"\nWritten to {path}.", markup=False)
    return INTERRUPTED if is_interrupted else code


def _results(measured: list[Measured], commit: str, *, is_complete: bool) -> Results:
    return Results(
        version=__version__,
        commit=commit,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=described(),
        is_complete=is_complete,
        items=measured,
    )


def _is_worse(item: Measured, other: Results | None, commit: str) -> bool:
    """Whether a ratio of an item just measured is worse than another version's."""
    if other is None:
        return False
    alone = _results([item], commit, is_complete=False)
    return any(one.is_worse for one in compare(alone, other))


def _commit() -> str:
    """The commit that is checked out, and whether files differ from it."""

    def git(*words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=ROOT, check=False, capture_output=True, text=True)
        return ran.stdout.strip()

    commit = git("rev-parse", "--short=12", "HEAD")
    is_changed = bool(git("status", "--porcelain", "--untracked-files=no"))
    return f"{commit or 'unknown commit'}{', changed' if is_changed else ''}"


def _show(results: Results, other: Results | None, console: Console, bars: bool) -> int:
    """Print results beside others; returns the exit code."""
    head(results, other, console)
    compared: list[Compared] = list(compare(results, other))
    for item in results.items:
        show_item(item, [one for one in compared if one.ratio.item == item.name], console)
    failed = [item.name for item in results.items if item.failure is not None]
    conclusion(compared, failed, console)
    is_worse = any(one.is_worse for one in compared) or bool(failed)
    is_missed = bars and any(one.misses_bar for one in compared)
    return WORSE if is_worse or is_missed else 0
