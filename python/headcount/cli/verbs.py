"""The verbs, and the room of each: a table of contents that is read without opening the rooms.

What a verb imports takes up to a second of a CPU, and a command line has only one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module

import typer

from headcount.cli.command import Command, Group


@dataclass(frozen=True, slots=True)
class Verb:
    """Where a verb is: a function of a file of `headcount.cli`, or an app of verbs of its own."""

    room: str
    function: str
    panel: str
    summary: str
    """The first sentence of its help, which the list of verbs shows."""
    alone: bool = False
    """It means something without arguments; the others show their help."""


GROUP = "app"
"""The name of an app of verbs of its own."""

MEASURE, EXPLAIN, KEEP, PARTS = "Measure", "Explain and compare", "Runs", "Parts of a server"
"""Panels of the list of verbs."""

VERBS: Mapping[str, Verb] = {
    "run": Verb("run", "run", MEASURE, "Play users against a server and find how many it holds."),
    "prepare": Verb("data", "prepare", MEASURE, "Make a workload's data set, for many runs."),
    "cleanup": Verb(
        "data",
        "cleanup",
        MEASURE,
        "Delete the data set that Headcount made on a target or in a --folder, and nothing else.",
    ),
    "doctor": Verb(
        "doctor",
        "doctor",
        MEASURE,
        "Show what this machine lacks for load tests, and how to fix it.",
        alone=True,
    ),
    "disk": Verb(
        "disk",
        "disk",
        PARTS,
        "Measure a disk: throughput, I/Os per second, latency, and the CPU they cost.",
    ),
    "sort": Verb(
        "sort",
        "sort",
        PARTS,
        "Sort data with little memory, and see what memory and another disk save.",
    ),
    "shares": Verb(
        "shares",
        "shares",
        PARTS,
        "Measure what shares, connections and open files cost a file server in memory.",
    ),
    "diagnose": Verb(
        "diagnose",
        "diagnose",
        EXPLAIN,
        "Say what stops a server, how sure that is, and what the evidence is.",
    ),
    "compare": Verb(
        "compare", "compare", EXPLAIN, "Say whether runs differ, by how much, and how sure that is."
    ),
    "gate": Verb(
        "gate",
        "gate",
        EXPLAIN,
        "Fail when a run is shown to be worse than its baseline by more than a margin.",
    ),
    "history": Verb(
        "history",
        "history",
        EXPLAIN,
        "Show runs over time: their figures, where those changed, and what differs there.",
        alone=True,
    ),
    "predict": Verb(
        "predict",
        "predict",
        EXPLAIN,
        "Predict the capacity of a measured server with other hardware, or for other users.",
    ),
    "watch": Verb(
        "watch",
        "watch",
        PARTS,
        "Watch counters as they come: chart, alerts, log and report, with their meanings.",
        alone=True,
    ),
    "audit": Verb(
        "audit",
        "audit",
        KEEP,
        "Say whether a run is valid, and its bundle consistent and unchanged.",
    ),
    "published": Verb(
        "published",
        "published",
        EXPLAIN,
        "List published results of other servers, with their source; choose and export them.",
        alone=True,
    ),
    "runs": Verb("bundles", "runs", KEEP, "List the runs in a folder, oldest first.", alone=True),
    "show": Verb("bundles", "show", KEEP, "Show a run's answer, chart and levels."),
    "report": Verb("bundles", "report", KEEP, "Write a run's HTML report again, or a PDF report."),
    "export": Verb("export", "export", KEEP, "Write a run's figures for other programs."),
    "price": Verb(
        "price",
        "price",
        EXPLAIN,
        "Say what users cost, and which configuration holds them for least.",
    ),
    "resume": Verb(
        "bundles",
        "resume",
        KEEP,
        "Continue a run that was interrupted or killed; finished levels are kept.",
    ),
    "serve": Verb(
        "serve", GROUP, MEASURE, "Run a server to be measured, on the machine to be measured."
    ),
    "workloads": Verb(
        "workloads",
        GROUP,
        MEASURE,
        "List the workloads (headcount workloads show NAME explains one).",
    ),
    "storage": Verb(
        "storage",
        GROUP,
        PARTS,
        "Calculate what disks, buses, RAID arrays and sorts can do, from their data sheets.",
    ),
}
"""In the order of the help, where a verb's own examples stand in its room's `EPILOG`."""


def open_rooms(app: typer.Typer, names: Iterable[str] = VERBS) -> typer.Typer:
    """Give an app these verbs."""
    for name in names:
        verb = VERBS[name]
        room = import_module(f"headcount.cli.{verb.room}")
        if verb.function == GROUP:
            app.add_typer(room.app, name=name, cls=Group, rich_help_panel=verb.panel)
            for each in room.app.registered_commands:
                each.cls = Command
        else:
            command = app.command(
                name,
                cls=Command,
                no_args_is_help=not verb.alone,
                epilog=getattr(room, "EPILOG", None),
                rich_help_panel=verb.panel,
            )
            command(getattr(room, verb.function))
    return app


def list_verbs(app: typer.Typer) -> typer.Typer:
    """Give an app the names of all verbs with their summaries: enough to list them."""
    for name, verb in VERBS.items():
        command = app.command(name, help=verb.summary, rich_help_panel=verb.panel)
        command(_nothing)
    return app


def _nothing() -> None:
    """What a verb that is only listed does."""
