"""What it costs to start the command that users type."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.gate.item import OURS, Item, Metric, Sides
from bench.gate.process import use

HEADCOUNT = Path(sys.executable).with_name("headcount")
"""The command as installed beside this interpreter."""


@contextmanager
def _start(option: str) -> Iterator[Sides]:
    commands: Mapping[str, list[str | Path]] = {
        OURS: [HEADCOUNT, option],
        "python -c pass": [sys.executable, "-c", "pass"],
    }
    yield Sides({name: partial(_take, command) for name, command in commands.items()})


def _take(command: list[str | Path]) -> Mapping[str, float]:
    return {"CPU": use(command).cpu_s}


ITEMS = (
    Item(
        "version",
        "headcount --version",
        (Metric(name="CPU", unit="s", bar=0.15),),
        partial(_start, "--version"),
    ),
    Item(
        "help",
        "headcount --help",
        (Metric(name="CPU", unit="s", bar=0.25),),
        partial(_start, "--help"),
    ),
)
