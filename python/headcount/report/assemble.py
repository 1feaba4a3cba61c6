"""Assembles the content of a report from a bundle."""

import shlex
from dataclasses import replace as replaced
from pathlib import Path

from headcount.analyse.answers import seconds
from headcount.analyse.heat import heat as mapped
from headcount.analyse.prediction.doubled import doubled_predictions
from headcount.analyse.published.series import series
from headcount.analyse.scaling import scaling_doubt
from headcount.bundle import manifest, stacks
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.files import replace
from headcount.bundle.reader import Bundle
from headcount.bundle.verdict import Verdict
from headcount.errors import InputError
from headcount.output.file import write_output
from headcount.report import failover
from headcount.report.agents import fleets_of
from headcount.report.content import ReportContent
from headcount.report.disclosure import recorded_facts
from headcount.report.document import tuned
from headcount.report.figures import flames, heat, outage, spectrum
from headcount.report.figures.timeline import Point
from headcount.report.html import render
from headcount.report.selection import timeline_level
from headcount.text import shell_path

LEAVING = ("ramp-down", "drain")
"""Phases in which the users of the last level leave; they are not part of it."""


def assemble(bundle: Bundle, *, published: bool = False) -> ReportContent:
    """Everything the report shows; raises InputError if the run has no level yet.

    `published`: whether results that others published of the same benchmark stand beside it.
    """
    if bundle.environment is None and bundle.levels:
        raise InputError(
            f"{bundle.folder} has no environment.json, without which there is no report; copy the "
            "whole folder of the run"
        )
    if bundle.environment is None or bundle.verdict is None:
        raise InputError(
            f"{bundle.folder} has no verdict yet: the run was killed before its first level ended "
            f"(headcount resume {shell_path(bundle.folder)} continues it)"
        )
    made = _stated(bundle, bundle.environment, bundle.verdict)
    if bundle.tuning is not None:
        again = tuned.command(bundle.tuning, bundle.plan)
        return replaced(made, tuning=bundle.tuning, repeat_command=again)
    if bundle.failover is not None:
        return replaced(
            made,
            failover=bundle.failover,
            outage_rows=outage.typical_rows(bundle.folder, bundle.failover),
            repeat_command=failover.command(bundle.failover, bundle.plan),
        )
    level = timeline_level(bundle.levels)
    answered = seconds(bundle)
    return replaced(
        made,
        timeline=_timeline(bundle, level.index) if level else (),
        timeline_level=level.index if level else None,
        spectra=spectrum.of_run(bundle, answered),
        heat=mapped(answered, heat.COLUMNS),
        narrow_heat=mapped(answered, heat.NARROW_COLUMNS),
        predictions=doubled_predictions(bundle),
        confirmation=bundle.confirmation,
        flames=flames.flames(stacks.read(bundle.folder), bundle.verdict),
        agents=fleets_of(bundle),
        published=series(workload=bundle.plan.workload.name) if published else (),
    )


def _stated(bundle: Bundle, environment: EnvironmentFile, verdict: Verdict) -> ReportContent:
    """The content that every report has: what was played, where, and the results."""
    plan = bundle.plan
    return ReportContent(
        title=plan.workload.title,
        workload=plan.workload.name,
        recreates=plan.workload.original,
        description=plan.workload.description.strip(),
        sources=plan.workload.sources,
        deviations=plan.workload.deviations,
        target=plan.target,
        started_at=environment.started_at,
        verdict=verdict,
        levels=bundle.levels,
        environment=environment,
        plan_toml=plan.to_toml(),
        repeat_command=shlex.join(["headcount", "run", str(bundle.folder / "plan.toml")]),
        criteria=plan.workload.criteria,
        shrunk=scaling_doubt(plan),
        disclosure=plan.disclosure.model_dump() if plan.disclosure else {},
        recorded=recorded_facts(bundle),
        program=plan.workload.program.text if plan.workload.program else None,
    )


def _timeline(bundle: Bundle, level: int) -> list[Point]:
    points = []
    began_s: float | None = None
    for second in bundle.stretches:
        if second["level"] != level or second["phase"] in LEAVING:
            continue
        if began_s is None:
            began_s = second["t_s"] - second["seconds"]
        scenarios = second["scenarios"].values()
        counters = second["counters"].get("sut", {})
        completed = sum(figures["completed"] for figures in scenarios)
        points.append(
            Point(
                t_s=second["t_s"] - began_s,
                users=second["users"],
                achieved_per_s=completed / max(second["seconds"], 1e-9),
                p95_ms=second["p95_ms"],
                cpu_share=counters.get("system.cpu.utilization"),
            )
        )
    return points


def write(bundle: Bundle, path: Path | None = None, *, published: bool = False) -> Path:
    """Write the HTML report, into the bundle by default; returns its path."""
    if path is not None:
        write_output(path, render(assemble(bundle, published=published)), "--output")
        return path
    manifest.ensure_open(bundle.folder)
    path = bundle.folder / "report.html"
    page = render(assemble(bundle, published=published))
    manifest.forget(bundle.folder, path.name)
    replace(path, page)
    manifest.note(bundle.folder, path.name)
    return path
