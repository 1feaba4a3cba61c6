"""A run's answer and levels as one JSON document, with a published schema."""

import json
from typing import Literal

from pydantic import Field

from headcount.bundle.failover import Failover
from headcount.bundle.level import SCHEMA_VERSION, LevelResult, Record
from headcount.bundle.reader import Bundle
from headcount.bundle.tuning import Tuning
from headcount.bundle.verdict import Verdict


class Exported(Record):
    """What `headcount export` writes as JSON."""

    schema_version: Literal[1] = SCHEMA_VERSION
    bundle: str = Field(description="Name of the run's folder")
    workload: str
    title: str
    target: str
    criteria: list[str]
    started_at: str | None = Field(description="UTC, ISO 8601; null if not known")
    verdict: Verdict | None = Field(description="Null if the run ended before it had one")
    levels: list[LevelResult]
    tuning: Tuning | None = Field(
        description="What a tuning found, whose turns the levels are; null of any other run"
    )
    failover: Failover | None = Field(
        description="What users felt of faults, one a level; null of any other run"
    )


def export_document(bundle: Bundle) -> Exported:
    """The document of a bundle."""
    return Exported(
        bundle=bundle.folder.resolve().name,
        workload=bundle.plan.workload.name,
        title=bundle.plan.workload.title,
        target=bundle.plan.target,
        criteria=list(bundle.plan.workload.criteria),
        started_at=bundle.environment.started_at if bundle.environment else None,
        verdict=bundle.verdict,
        levels=bundle.levels,
        tuning=bundle.tuning,
        failover=bundle.failover,
    )


def text(bundle: Bundle) -> str:
    """The document as text."""
    return (
        json.dumps(export_document(bundle).model_dump(mode="json"), indent=1, ensure_ascii=False)
        + "\n"
    )
