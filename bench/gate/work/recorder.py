"""How long recording 400 scenarios by 8 workers holds users up, and the memory it takes."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bench.gate.item import OURS, Item, Metric, Sides
from bench.gate.process import use
from bench.machine import urgent
from bench.recorder import PAUSE_MS, RSS_MIB

SCENARIOS, WORKERS = 400, 8


@contextmanager
def _recorder() -> Iterator[Sides]:
    yield Sides({OURS: _take})


def _take() -> Mapping[str, float]:
    command = [sys.executable, "-m", "bench.recorder", str(SCENARIOS), str(WORKERS)]
    found = json.loads(use([*urgent(), *command]).output)
    return {"p99": found["p99"], "max": found["max"], "memory": found["rss"]}


ITEMS = (
    Item(
        "recorder",
        f"{SCENARIOS} scenarios, {WORKERS} workers, no server time",
        (
            Metric(name="p99", unit="ms", bar=PAUSE_MS),
            Metric(name="max", unit="ms", bar=PAUSE_MS),
            Metric(name="memory", unit="MiB", bar=RSS_MIB),
        ),
        _recorder,
        most_rounds=4,
    ),
)
