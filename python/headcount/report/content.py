"""The content of the HTML report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headcount.analyse.heat import Heat
from headcount.analyse.prediction.prediction import Prediction
from headcount.analyse.published.series import Series
from headcount.bundle.agents import Fleet
from headcount.bundle.confirmation import Confirmation
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.failover import Failover
from headcount.bundle.level import LevelResult
from headcount.bundle.moments import Row
from headcount.bundle.tuning import Tuning
from headcount.bundle.verdict import Verdict
from headcount.report.figures.flames import Flame
from headcount.report.figures.spectrum import Drawn
from headcount.report.figures.timeline import Point


@dataclass(frozen=True, slots=True)
class ReportContent:
    """Everything the report shows; nothing else is read.

    Attributes:
        title: The workload's title, such as "Application server (re-creates ServerBench 4.0)".
        workload: Its name, such as "serverbench".
        recreates: The benchmark it re-creates, such as "Ziff-Davis ServerBench 4.0"; None if none.
        description: What it does, in a sentence or a few.
        sources: Where the re-created benchmark is described.
        deviations: In what the re-creation differs from the original.
        target: Address of the system under test, without a secret.
        started_at: UTC, ISO 8601.
        verdict: The answer.
        levels: All levels in the order they were run.
        environment: Both sides' hardware, system and settings.
        plan_toml: The plan as resolved, without a secret.
        repeat_command: The command that runs the same again.
        criteria: As written in the plan, such as ``p95<=1s``.
        shrunk: How far the data set was shrunk, as a doubt says it; None where it was not.
        disclosure: What was stated of the test, by group.
        recorded: How the run was made, as recorded: names and facts.
        program: The program that users played in order; None where they drew what they did.
        timeline: Each second of one level; empty where the series was not kept.
        timeline_level: Index of the level the timeline is of; None for the one that
            :func:`headcount.report.selection.timeline_level` chooses.
        spectra: Distributions of the response times of a few levels; empty where no log was kept.
        heat: Response times over the run; None where no log was kept.
        narrow_heat: The same, coarser, for a narrow screen.
        predictions: What twice of each resource would hold; empty where the run has nothing to
            predict it from.
        confirmation: What experiments said of the diagnosis after the run; None without any.
        published: Published results to draw the run beside; empty unless somebody asked for them.
        flames: Stacks of the server's threads; empty where none were recorded.
        tuning: What a tuning found, whose turns the levels are; None of any other run. Turns are
            not a search: then the report has no capacity, and nothing that follows from one.
        failover: What users felt of faults, one a level; None of any other run.
        outage_rows: What happened when at the repetition in the middle of all.
        agents: Who played the users, from the first agents to those that were left; empty where
            one process did.

    """

    title: str
    workload: str
    recreates: str | None
    description: str
    sources: Sequence[str]
    deviations: Sequence[str]
    target: str
    started_at: str
    verdict: Verdict
    levels: Sequence[LevelResult]
    environment: EnvironmentFile
    plan_toml: str
    repeat_command: str
    criteria: Sequence[str]
    shrunk: str | None = None
    disclosure: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    recorded: Sequence[tuple[str, str]] = ()
    program: str | None = None
    timeline: Sequence[Point] = ()
    timeline_level: int | None = None
    spectra: Sequence[Drawn] = ()
    heat: Heat | None = None
    narrow_heat: Heat | None = None
    predictions: Sequence[Prediction] = ()
    confirmation: Confirmation | None = None
    published: Sequence[Series] = ()
    flames: Sequence[Flame] = ()
    tuning: Tuning | None = None
    agents: Sequence[Fleet] = ()
    failover: Failover | None = None
    outage_rows: Sequence[Row] = ()
