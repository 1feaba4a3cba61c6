"""What disturbs a server on its own machine: a backup, and an indexer of its pages."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from headcount.errors import SystemLimitError

BACKUP = 'while :; do tar -c -C "$0" . | gzip > /dev/null; done'
INDEXER = """
import os, re, sys
word = re.compile(rb"[0-9a-z]+")
while True:
    index = {}
    for folder, _, names in os.walk(sys.argv[1]):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                for found in set(word.findall(file.read())):
                    index.setdefault(found, []).append(path)
"""
"""Which words are in which files, again and again."""
KILL_AFTER = "5"


def commands(folder: Path) -> Sequence[Sequence[str]]:
    """The command of each, which goes on until it is ended."""
    return (
        ("sh", "-c", BACKUP, str(folder)),
        (sys.executable, "-S", "-c", INDEXER, str(folder)),
    )


@contextmanager
def disturbers(folder: Path, longest_s: float) -> Iterator[None]:
    """Both, each in a session of its own, as cron starts them; raises where one has ended early.

    `timeout` passes its end on to all that it has started, and ends by itself.
    """
    bounded = ["timeout", f"--kill-after={KILL_AFTER}", f"{longest_s:g}"]
    running: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands(folder):
            one = subprocess.Popen([*bounded, *command], start_new_session=True)
            running.append(one)
        yield
        if any(one.poll() is not None for one in running):
            raise SystemLimitError("a disturber ended before the turn did: the turn does not count")
    finally:
        for one in running:
            one.terminate()
        for one in running:
            one.wait()
