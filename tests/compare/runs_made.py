"""Bundles of servers of known speed, written as a run writes them, second by second."""

import base64
import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from headcount._engine import Histogram
from headcount.analyse.times import rate_interval, times_of
from headcount.bundle.environment import EnvironmentFile, Side
from headcount.bundle.hlog import HistogramLog
from headcount.bundle.level import (
    CounterSummary,
    CriterionResult,
    GeneratorResult,
    LevelResult,
    Levels,
    ScenarioResult,
    Steadiness,
)
from headcount.bundle.verdict import Capacity, Cost, Verdict
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load

THINK_S = 1.0
BEGUN = datetime.fromisoformat("2026-11-20T10:00:00+00:00")
SCENARIO = "ask"


@dataclass(frozen=True)
class Server:
    """A server: how fast it is, and how much a second of it differs from the next.

    `alike` is the correlation of neighbouring seconds.
    """

    speed: float = 1.0
    noise: float = 0.05
    alike: float = 0.5
    cpu_s: float = 0.004
    """CPU that a scenario takes."""

    def response_ms(self, users: int) -> float:
        """Median response time: grows with the load as a queue does, up to 100 users."""
        return 20.0 / self.speed / (1 - min(users / 100, 0.95))


@dataclass
class Made:
    """What a level came to, and its seconds."""

    level: LevelResult
    seconds: list[dict[str, Any]] = field(default_factory=list)
    histograms: list[tuple[float, Histogram]] = field(default_factory=list)


def histogram(values_us: Sequence[int]) -> Histogram:
    dense = HdrHistogram(1, 3_600_000_000, 3)
    for value in values_us:
        dense.record_value(value)
    return Histogram.decode(base64.b64decode(dense.encode()))


def make(
    folder: Path,
    users: Sequence[int] = (10, 20),
    server: Server = Server(),
    seed: int = 1,
    *,
    seconds: int = 30,
    begun_s: float = 0.0,
    capacity: tuple[float, float, float] | None = None,
    outcome: str = "passed",
    overrides: Overrides | None = None,
    program: str = "1.0",
    workload: str = "app-server",
) -> Path:
    """Write a bundle. `begun_s`: how long after BEGUN its first level began."""
    folder.mkdir(parents=True)
    asked = overrides or Overrides(seed=7)
    asked = replace(asked, levels=",".join(map(str, users)))
    plan = resolve(load(workload), "lab:app", asked)
    (folder / "plan.toml").write_text(plan.to_toml(), "utf-8")
    stream, start_s, made = random.Random(seed), 0.0, []
    for index, number in enumerate(users, start=1):
        one = _level(server, number, index, seconds, start_s, begun_s, stream, outcome)
        start_s += seconds
        made.append(one)
    _write(folder, made)
    held = None
    if capacity is not None:
        estimate, low, high = capacity
        held = Capacity(
            users=int(low), estimate=estimate, low=low, high=high, at_least=False,
            official_passed=True, binding="p95<=500ms",
        )  # fmt: skip
    verdict = Verdict(
        kind="capacity" if held else "ladder", outcome="passed", sentence="It holds.",
        broke_first=None, capacity=held, score=None, flags=[],
        cost=Cost(levels=len(made), seconds=start_s, operations=1),
    )  # fmt: skip
    (folder / "verdict.json").write_text(verdict.model_dump_json(), "utf-8")
    environment = EnvironmentFile(
        headcount="0.1.0", build="release", started_at=made[0].level.started_at,
        target="lab:app",
        sides=[
            Side(role="both", host={"hostname": "vm"}, programs={"server": program}, settings={})
        ],
    )  # fmt: skip
    (folder / "environment.json").write_text(environment.model_dump_json(), "utf-8")
    return folder


def refuse(folder: Path, users: int) -> Path:
    """Make every scenario at this number of users fail within 1 ms."""
    levels = json.loads((folder / "levels.json").read_text("utf-8"))
    refused = [level for level in levels["levels"] if level["users"] == users]
    for level in refused:
        level |= {"achieved_per_s": 0.0, "outcome": "failed"}
        nothing = {"response": None, "service": None, "rate_interval_per_s": None, "rate_per_s": 0}
        failed = {"failed": level["total"]["completed"], "completed": 0, "mean_ms": 1.0}
        level["total"] |= nothing | failed
    (folder / "levels.json").write_text(json.dumps(levels), "utf-8")
    numbers = {level["index"] for level in refused}
    rows = [json.loads(line) for line in (folder / "series.ndjson").read_text("utf-8").splitlines()]
    for tally in (row["scenarios"][SCENARIO] for row in rows if row["level"] in numbers):
        failed = tally["completed"]
        tally |= {"failed": failed, "completed": 0, "response_s": failed / 1000}
    (folder / "series.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return folder


def _write(folder: Path, made: Sequence[Made]) -> None:
    lines = [json.dumps(second) for one in made for second in one.seconds]
    (folder / "series.ndjson").write_text("\n".join(lines) + "\n", "utf-8")
    log = HistogramLog(folder / "histograms.hlog")
    for one in made:
        for start_s, histogram_ in one.histograms:
            log.append(start_s, 1.0, {f"response/{SCENARIO}": histogram_})
    log.close()
    levels = Levels(levels=[one.level for one in made])
    (folder / "levels.json").write_text(levels.model_dump_json(), "utf-8")


def _level(
    server: Server,
    users: int,
    index: int,
    seconds: int,
    start_s: float,
    begun_s: float,
    stream: random.Random,
    outcome: str,
) -> Made:
    drift, rows, kept, everything = 0.0, [], [], []
    for second in range(seconds):
        shock = math.sqrt(1 - server.alike**2) * server.noise
        drift = server.alike * drift + stream.gauss(0, shock)
        median_ms = server.response_ms(users) * math.exp(drift)
        rate = users / (THINK_S + median_ms * 1.1 / 1000)
        count = max(int(rate + stream.random()), 1)
        times = [
            max(int(1000 * median_ms * stream.lognormvariate(0, 0.5)), 1) for _ in range(count)
        ]
        everything += times
        kept.append((start_s + second, histogram(times)))
        rows.append(_second(start_s + second + 1, index, users, times, server))
    whole = Histogram.merge([one for _, one in kept])
    counts = [row["scenarios"][SCENARIO]["completed"] for row in rows]
    cpu = sum(counts) * server.cpu_s / seconds
    level = LevelResult(
        index=index, purpose="ladder", users=users, outcome=outcome,  # type: ignore[arg-type]
        reasons=[], started_at=(BEGUN + timedelta(seconds=begun_s + start_s)).isoformat(),
        ramp_s=1, settle_s=0, steady_s=seconds, offered_per_s=sum(counts) / seconds,
        achieved_per_s=sum(counts) / seconds, think_mean_s=THINK_S, little_error=0.0,
        steadiness=Steadiness(steady=True, settled_after_s=0, reasons=[]),
        total=_total(everything, whole, counts, seconds),
        scenarios=[], steps=[], faults=[],
        criteria=[CriterionResult(
            criterion="p95<=500ms", passed=True, value=1, limit=500, unit="ms", bad=None,
            total=None, allowed_share=None, sentence="It holds.",
        )],
        generator=GeneratorResult(
            workers=1, cpu_cores=0.1, busiest_worker_share=0.1, timer_lateness_p50_ms=None,
            timer_lateness_p99_ms=None, timer_lateness_max_ms=None, limited=False, reasons=[],
        ),
        counters={"sut": {
            "cgroup.cpu.utilization": CounterSummary(mean=cpu, max=cpu, p95=cpu, samples=seconds),
            "system.cpu.utilization": CounterSummary(
                mean=min(cpu, 1), max=1, p95=1, samples=seconds
            ),
        }},
    )  # fmt: skip
    return Made(level, rows, kept)


def _total(
    times_us: Sequence[int], whole: Histogram, counts: Sequence[int], seconds: int
) -> ScenarioResult:
    return ScenarioResult(
        name="all", due=sum(counts), completed=sum(counts), failed=0, slow=0, late=0, overloaded=0,
        overload=0.0, unanswered=0, rate_per_s=sum(counts) / seconds, read_bytes_per_s=1e3,
        written_bytes_per_s=1e3, mean_ms=sum(times_us) / len(times_us) / 1000,
        response=times_of(whole), service=times_of(whole), p95_interval_ms=None,
        rate_interval_per_s=rate_interval([(count, 1.0) for count in counts]),
    )  # fmt: skip


def _second(
    t_s: float, index: int, users: int, times: Sequence[int], server: Server
) -> dict[str, Any]:
    tally = {
        "started": len(times), "completed": len(times), "failed": 0,
        "response_s": sum(times) / 1e6, "service_s": sum(times) / 1e6,
    }  # fmt: skip
    used = len(times) * server.cpu_s
    return {
        "t_s": t_s, "seconds": 1.0, "level": index, "phase": "steady", "users": users,
        "worker_cpu_s": [0.1], "scenarios": {SCENARIO: tally}, "steps": {}, "faults": [],
        "counters": {"sut": {"cgroup.cpu.utilization": used}},
    }  # fmt: skip
