"""A bundle of two levels, played by the engine against a server of known behaviour."""

from pathlib import Path

from null_run import Run, plan_of, record, serve, workload

from headcount.analyse.level import Measured, summarise
from headcount.analyse.verdict import of_levels
from headcount.bundle.environment import EnvironmentFile, Side
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import load
from headcount.bundle.writer import BundleWriter, now
from headcount.controller import second as seconds
from headcount.controller.diagnosis import with_diagnosis
from headcount.controller.level_seconds import LevelSeconds
from headcount.controller.session import Moment
from headcount.counters.source import Sample
from headcount.plan.plan import Plan
from headcount.report import assemble

USERS = (4, 9)
STEADY_S = 2.5
SETTLE_S = 0.4
REPORT_S = 0.13
"""No part of half a second, at which sections of a level are cut: times in a bundle are rounded."""
STRETCH_S = 1.0
SCENARIOS = ("work-0", "work-1")


def make(folder: Path) -> Path:
    """Write the whole bundle, report and all."""
    folder.mkdir(parents=True)
    # Limits so long that a machine which is busy with other tests invalidates no level.
    load_ = workload(
        "closed",
        "50ms",
        serve(0.004),
        serve(0.015),
        criteria=["p95<=20s", "errors<50%"],
        limit="9s",
    )
    plan = plan_of(load_, USERS)
    bundle = BundleWriter(folder)
    bundle.plan(plan.to_toml())
    bundle.environment(environment())
    levels: list[LevelResult] = []
    offset_s = 0.0
    for index, users in enumerate(USERS, start=1):
        run = record(load_, users, SETTLE_S + STEADY_S + 0.05, REPORT_S)
        levels.append(level(bundle, plan, run, index, offset_s))
        offset_s += run.intervals[-1].to_s
    bundle.levels(levels)
    verdict = of_levels(plan, levels, offset_s + 0.5, "finished")
    bundle.verdict(verdict)
    bundle.verdict(with_diagnosis(verdict, levels, folder))
    bundle.close()
    assemble.write(load(folder))
    return folder


def environment() -> EnvironmentFile:
    side = Side(role="both", host={"cores": 2}, programs={"server": "1"}, settings={})
    return EnvironmentFile(
        headcount="0.1.0",
        build="release",
        started_at="2026-01-01T00:00:00.000+00:00",
        target="app://127.0.0.1:9",
        sides=[side],
    )


def level(bundle: BundleWriter, plan: Plan, run: Run, index: int, offset_s: float) -> LevelResult:
    bundle.event("level-start", offset_s, level=index, purpose="ladder", users=run.users)
    moments = []
    first = sum(interval.to_s <= SETTLE_S for interval in run.intervals)
    for place, interval in enumerate(run.intervals):
        busy = {"system.cpu.utilization": 0.2 + 0.01 * (place % 7), "system.cpu.runnable": 1.0}
        samples = {
            "sut": Sample(interval.to_s, busy),
            "generator": Sample(interval.to_s, {"process.threads": 3.0 + place % 2}),
        }
        moments.append(Moment(interval, samples))
        figures = seconds.figures(
            interval,
            SCENARIOS,
            run.step_names,
            {name: sample.values for name, sample in samples.items()},
            t_s=offset_s + interval.to_s,
            level=index,
            phase="steady" if place >= first else "settle",
        )
        bundle.second(figures, seconds.histograms(interval, SCENARIOS, run.step_names))
    kept = LevelSeconds(plan, (), moments[first - 1].interval, STRETCH_S)
    for moment in moments[first:]:
        kept.add(moment)
    result = summarise(
        plan,
        Measured(
            index=index,
            purpose="ladder",
            users=run.users,
            started_at=now(),
            ramp_s=0.0,
            settle_s=moments[first - 1].interval.to_s,
            window=kept.seconds.window(),
            stretch_s=STRETCH_S,
            step_names=run.step_names,
            request_names=[],
            counters=kept.counters(),
        ),
    )
    bundle.event("level-end", offset_s, level=index, outcome=result.outcome, reasons=result.reasons)
    return result
