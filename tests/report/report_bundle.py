"""Bundles on disk with the answers of the cases of reports."""

from pathlib import Path

from headcount.bundle.level import Levels
from headcount.plan.resolve import Overrides, resolve
from headcount.report.content import ReportContent
from headcount.workloads import load


def bundle_of(content: ReportContent, folder: Path) -> Path:
    """A bundle on disk with a content's answer, without series, histograms and events."""
    folder.mkdir()
    plan = resolve(load("app-server"), "lab:app", Overrides(users=4, seed=1))
    (folder / "plan.toml").write_text(plan.to_toml(), "utf-8")
    levels = Levels(levels=list(content.levels))
    (folder / "levels.json").write_text(levels.model_dump_json(), "utf-8")
    (folder / "environment.json").write_text(content.environment.model_dump_json(), "utf-8")
    (folder / "verdict.json").write_text(content.verdict.model_dump_json(), "utf-8")
    return folder
