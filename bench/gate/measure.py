"""Measuring items: rounds in which Headcount and its peers take turns."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bench.gate.item import OURS, Item, Sides
from bench.gate.process import MeasureError
from bench.gate.results import Measured, Round
from bench.machine import QUIET, wait_until_quiet
from bench.machine import load as load_now
from headcount.errors import HeadcountError

Say = Callable[[str], None]
"""Takes a line about how far it is."""

FAILURES = (MeasureError, HeadcountError, OSError, RuntimeError, ValueError, LookupError)
"""What a side may fail with: the machine, the server, or a program that prints something else."""


@dataclass
class _Rounds:
    """What was measured so far."""

    done: list[Round] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    failure: str | None = None
    is_interrupted: bool = False


def measure(item: Item, rounds: int, patience_s: float, say: Say) -> tuple[Measured, bool]:
    """Measure an item; returns what was measured, and whether Ctrl-C ended it.

    Args:
        item: What to measure.
        rounds: How many, unless the item takes long and allows fewer.
        patience_s: How long to wait for a quiet machine before.
        say: Takes how far it is.

    """
    so_far = _Rounds()
    began_s = time.monotonic()
    before = load_now()
    try:
        if patience_s > 0 and before.average > QUIET:
            say(f"{item.name}: waits up to {patience_s:g} s for a quiet machine")
        before = wait_until_quiet(patience_s)
        began_s = time.monotonic()
        with item.open() as sides:
            so_far.missing |= sides.missing
            _take_turns(item, sides, min(rounds, item.most_rounds), so_far, say)
    except KeyboardInterrupt:
        so_far.is_interrupted = True
    except FAILURES as error:
        so_far.failure = _message(error)
    after = load_now()
    measured = Measured(
        name=item.name,
        title=item.title,
        metrics=list(item.metrics),
        rounds=so_far.done,
        missing=so_far.missing,
        failure=so_far.failure,
        load_before=before.average,
        load_after=after.average,
        stolen_s=round(after.stolen_s - before.stolen_s, 2),
        seconds=round(time.monotonic() - began_s, 1),
    )
    return measured, so_far.is_interrupted


def _take_turns(item: Item, sides: Sides, rounds: int, so_far: _Rounds, say: Say) -> None:
    """Measure rounds, forwards and backwards in turn, so that drift affects all sides alike."""
    takes = dict(sides.takes)
    names = [metric.name for metric in item.metrics]
    for number in range(rounds):
        say(f"{item.name}: round {number + 1} of {rounds}")
        measured: Round = {}
        for side in list(takes) if number % 2 == 0 else list(reversed(takes)):
            try:
                measured[side] = _checked(takes[side](), names)
            except FAILURES as error:
                if side == OURS:
                    raise
                so_far.missing[side] = f"{side} failed: {_message(error)}"
                del takes[side]
        so_far.done.append(measured)


def _checked(values: Mapping[str, float], names: list[str]) -> dict[str, float]:
    """The values of the metrics; raises MeasureError for those that cannot be part of a ratio."""
    for name in names:
        value = values.get(name, math.nan)
        if not (math.isfinite(value) and value > 0):
            raise MeasureError(f"{name} was {value:g}")
    return {name: float(values[name]) for name in names}


def _message(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())
