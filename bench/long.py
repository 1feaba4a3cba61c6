"""A run that lasts: memory, the size of its bundle, and what closing it takes.

`python -m bench.long HOURS` plays 23,000 users of 14 scenarios against a server that takes no time,
in real time. With `--replayed`, a minute of such a run is given to the controller again and again,
as fast as it takes it: a day takes minutes. With `--keep FOLDER`, the bundle stays there, with its
answer and its report, so that what reads it can be timed.
"""

import argparse
import random
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any
from unittest.mock import patch

from headcount._engine import Engine, Interval
from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from headcount.bundle.writer import BundleWriter
from headcount.controller.access.access import NOTHING
from headcount.controller.diagnosis import with_diagnosis
from headcount.controller.disclosure import disclose
from headcount.controller.level import LevelRunner
from headcount.controller.level_order import LevelOrder
from headcount.controller.listener import Silent
from headcount.controller.orders import orders_of
from headcount.controller.session import Session
from headcount.counters.source import Sample
from headcount.generator import players
from headcount.plan.plan import Plan, validate
from headcount.report import assemble

USERS, SCENARIOS, THINK_S = 23_000, 14, 4.3
COUNTERS = 250
RECORDED_S = 60
REPORT_S = 3600.0


def _plan() -> Plan:
    scenarios = [
        {
            "name": f"scenario-{number}",
            "weight": 1,
            "limit": "1s",
            "steps": [
                {"name": f"step-{number}-{at}", "op": "serve", "service": {"draw": "fixed", "s": s}}
                for at, s in enumerate((0.001, 0.004))
            ],
        }
        for number in range(SCENARIOS)
    ]
    workload = {
        "name": "long",
        "title": "A long run",
        "protocol": "app",
        "recreates": "nothing",
        "description": "A server that takes no time.",
        "sources": [],
        "deviations": [],
        "criteria": ["p95<=1s"],
        "pace": {"kind": "closed", "time": {"draw": "exponential", "mean": f"{THINK_S}s"}},
        "run": {"duration": "1s"},
        "scenarios": scenarios,
    }
    values = {"target": "app://127.0.0.1:9", "mode": "level", "levels": [USERS], "seed": 7}
    return validate(Plan, {**values, "workers": 1, "workload": workload}, "the plan")


class Moved:
    """A second of a run, moved to a later time."""

    def __init__(self, interval: Interval, by_s: float) -> None:
        """Move it by so many seconds."""
        self._interval = interval
        self.from_s, self.to_s = interval.from_s + by_s, interval.to_s + by_s
        self.completed = [(from_s + by_s, users) for from_s, users in interval.completed]
        self.unserved = [(since_s + by_s, users) for since_s, users in interval.unserved]

    def __getattr__(self, name: str) -> Any:
        """What does not depend on the time."""
        return getattr(self._interval, name)


class Replayed:
    """An engine that repeats a minute of a real one."""

    def __init__(self, *asked: str) -> None:
        """Play the minute."""
        engine = null_engine(*asked)
        self.step_names, self.request_names = engine.step_names, engine.request_names
        self.task_names = engine.task_names
        engine.set_users(USERS, 5.0)
        intervals = [engine.next(10.0) for _ in range(10 + RECORDED_S)][10:]
        engine.close()
        self._minute = [interval for interval in intervals if interval is not None]
        self._later = self._seconds()
        self._now_s = 0.0
        self.ended = False

    def _seconds(self) -> Iterator[Moved]:
        by_s = -self._minute[0].from_s
        for interval in cycle(self._minute):
            yield Moved(interval, by_s)
            if interval is self._minute[-1]:
                by_s += interval.to_s - self._minute[0].from_s

    def next(self, patience_s: float) -> Moved:
        """The next second, at once."""
        del patience_s
        moved = next(self._later)
        self._now_s = moved.to_s
        return moved

    def now_s(self) -> float:
        """When the last one ended."""
        return self._now_s

    def set_users(self, users: int, ramp_s: float) -> None:
        """They are those of the minute."""

    def close(self) -> None:
        """Nothing is open."""


class Counters:
    """A source of as many counters as a machine and a server have."""

    name = "sut"

    def __init__(self) -> None:
        """Draw them."""
        self._random = random.Random(1)
        self._at_s = 0.0

    def sample(self) -> Sample:
        """Other values each second."""
        self._at_s += 1.0
        drawn = self._random.random
        return Sample(self._at_s, {f"counter.{n}": round(drawn(), 4) for n in range(COUNTERS)})

    def close(self) -> None:
        """Nothing is open."""


def null_engine(plan: str, protocol: str, target: str) -> Engine:
    """The real engine, with the protocol that plays a server of known behaviour."""
    del protocol, target
    return Engine(plan, "null", "{}")


def memory_mib(which: str) -> float:
    """`VmHWM` or `VmRSS` of this process."""
    text = Path("/proc/self/status").read_text("utf-8")
    found = re.search(rf"^{which}:\s+(\d+) kB", text, re.MULTILINE)
    assert found is not None, "Linux"
    return int(found[1]) / 1024


class Watched(Session):
    """A session that says each hour how much memory there is."""

    reported_s = 0.0

    def _keep(self, moment: Any, phase: str, level: int) -> None:
        super()._keep(moment, phase, level)
        if moment.interval.to_s >= self.reported_s:
            hours = moment.interval.to_s / 3600
            print(f"{hours:5.1f} h: {memory_mib('VmRSS'):.0f} MiB", flush=True)
            self.reported_s += REPORT_S


def _conclude(plan: Plan, result: LevelResult, bundle: BundleWriter) -> None:
    """Write the answer, as a run does before it closes its bundle."""
    orders = orders_of(plan)
    orders.take(result)
    bundle.levels([result])
    verdict = orders.verdict([result], result.steady_s, "finished")
    bundle.verdict(with_diagnosis(verdict, [result], bundle.folder))


def play(hours: float, *, replayed: bool, kept: Path | None) -> None:
    """Play it, and say what it took."""
    plan = _plan()
    folder = Path(tempfile.mkdtemp(prefix="headcount-long-"))
    bundle = BundleWriter(folder)
    bundle.plan(plan.to_toml())
    bundle.environment(disclose(plan.target, local=True, programs={}, settings={}))
    engine = Replayed if replayed else null_engine
    try:
        # Users of the null server have no connections.
        with patch.object(players, "Engine", engine), patch.object(players, "ensure_handles"):
            source = Counters()
            session = Watched(plan, players.Here(plan, "{}"), [source], bundle, Silent(), 0.0)
            runner = LevelRunner(plan, lambda *_: NOTHING, session, bundle, Silent())
            began_s, began_cpu_s = time.monotonic(), time.process_time()
            order = LevelOrder(1, "only", USERS, 5.0, 5.0, hours * 3600)
            result = runner.run(order)
        cpu_s = time.process_time() - began_cpu_s
        print(
            f"level: {result.outcome} {result.reasons}, {result.achieved_per_s:,.0f}/s, "
            f"{1000 * cpu_s / result.steady_s:.1f} ms of CPU a second, "
            f"{time.monotonic() - began_s:.0f} s"
        )
        session.close()
        _conclude(plan, result, bundle)
        texts = sum(path.stat().st_size for path in folder.iterdir())
        began_s, closing_s = time.monotonic(), time.process_time()
        bundle.close()
        closing_s = time.process_time() - closing_s
        waited_s = time.monotonic() - began_s
        sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
        print(f"open {texts / 1e6 / hours:.0f} MB an hour; ", end="")
        print(f"closed {sum(sizes.values()) / 1e6 / hours:.1f}: ", end="")
        print(", ".join(f"{name} {size / 1e6 / hours:.2f}" for name, size in sizes.items()))
        print(f"closing: {closing_s / hours:.2f} s of CPU an hour of run, ", end="")
        print(f"{waited_s / hours:.2f} s of waiting")
        print(f"memory: at most {memory_mib('VmHWM'):.0f} MiB")
        if kept is not None:
            assemble.write(reader.load(folder))
            shutil.move(folder, kept)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.long", description=__doc__)
    parser.add_argument("hours", type=float)
    parser.add_argument("--replayed", action="store_true", help="a minute, again and again")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the bundle there")
    asked = parser.parse_args()
    play(asked.hours, replayed=asked.replayed, kept=asked.keep)


if __name__ == "__main__":
    main()
