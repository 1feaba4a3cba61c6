"""What `headcount diagnose LOG` takes for a long log, by its format (`python -m bench.logs`)."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from bench.figure import Figure, show
from bench.log_files import FORMATS

ROWS = 400_000
"""Four and a half days of one sample a second."""
MOST_S, MOST_BYTES = 10.0, 300e6
"""What a person waits without wondering, and what a small server has to spare."""


def logs(formats: tuple[str, ...] = tuple(FORMATS), rows: int = ROWS) -> list[Figure]:
    """CPU time, time and memory of diagnosing a log of each format."""
    return [figure for name in formats for figure in _diagnosed(name, rows)]


def _diagnosed(name: str, rows: int) -> list[Figure]:
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "made.log"
        FORMATS[name](path, rows)
        began_s = time.monotonic()
        command = [sys.executable, "-m", "headcount", "diagnose", str(path), "--json"]
        with Path(os.devnull).open("wb") as null:
            action = (os.POSIX_SPAWN_DUP2, null.fileno(), 1)
            pid = os.posix_spawn(sys.executable, command, os.environ, file_actions=[action])
            _, status, used = os.wait4(pid, 0)
        took_s = time.monotonic() - began_s
    finally:
        shutil.rmtree(folder)
    if code := os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{name}: headcount diagnose ended with {code}")
    cpu_s = used.ru_utime + used.ru_stime
    return [
        Figure("logs", f"{name}, {rows:,} rows", cpu_s, "s CPU", MOST_S),
        Figure("logs", f"{name}, {rows:,} rows", took_s, "s", MOST_S),
        Figure(
            "logs", f"{name}, {rows:,} rows", used.ru_maxrss * 1024 / 1e6, "MB", MOST_BYTES / 1e6
        ),
    ]


def main() -> None:
    """Measures the formats asked for, all by default."""
    parser = argparse.ArgumentParser(prog="python -m bench.logs", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=", ".join(FORMATS))
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N")
    options = parser.parse_args()
    if unknown := set(options.formats) - set(FORMATS):
        parser.error(f"no format is called {min(unknown)}; there are: {', '.join(FORMATS)}")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    for name in options.formats or FORMATS:
        show(name, logs((name,), options.rows), console)


if __name__ == "__main__":
    main()
