"""The verbs, and the module of each: a table of contents that loads none of the modules.

The imports of a verb take up to a second of CPU, and a command line has only one verb.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module

import typer

from headcount.cli.command import Command, Group


@dataclass(frozen=True, slots=True)
class Verb:
    """Where a verb is: a function in a module of `headcount.cli`, or an app with its own verbs."""

    room: str
    function: str
    panel: str
    summary: str
    """The first sentence of its help, which the list of verbs shows."""
    alone: bool = False
    """It means something without arguments; the others show their help."""


GROUP = "app"
"""The name in a module of an app with its own verbs."""

MEASURE, EXPLAIN, KEEP, PARTS = "Measure", "Explain and compare", "Runs", "Parts of a server"
"""Panels of the list of verbs."""

VERBS: Mapping[str, Verb] = {
    "run": Verb("run", "run", MEASURE, "Play users against a server and find how many it holds."),
    "try": Verb(
        "try_out",
        "try_out",
        MEASURE,
        "Play a workload once with one user, and show what is sent, received and captured.",
    ),
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
        "Measure how memory and a second disk speed up a sort.",
    ),
    "shares": Verb(
        "shares",
        "shares",
        PARTS,
        "Measure a file server's memory per share, connection and open file.",
    ),
    "diagnose": Verb(
        "diagnose",
        "diagnose",
        EXPLAIN,
        "Show what stops a server, with evidence and confidence.",
    ),
    "tune": Verb(
        "tune",
        "tune",
        EXPLAIN,
        "Try a server's settings under load, and show which changes help, with proof.",
    ),
    "failover": Verb(
        "failover",
        "failover",
        MEASURE,
        "Break a server under constant load, and measure what its users feel.",
    ),
    "pilot": Verb(
        "pilot",
        "pilot",
        EXPLAIN,
        "Adjust how Linux schedules a running server, and keep what makes its work faster.",
        alone=True,
    ),
    "knobs": Verb(
        "knobs",
        "knobs",
        EXPLAIN,
        "List and explain the settings that headcount tune can change.",
        alone=True,
    ),
    "compare": Verb("compare", "compare", EXPLAIN, "Show whether runs differ, and by how much."),
    "gate": Verb(
        "gate",
        "gate",
        EXPLAIN,
        "Fail if a run is measurably worse than its baseline.",
    ),
    "history": Verb(
        "history",
        "history",
        EXPLAIN,
        "Show runs over time, and where and why their figures changed.",
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
        "Watch counters live: chart, alerts, log and report.",
        alone=True,
    ),
    "audit": Verb(
        "audit",
        "audit",
        KEEP,
        "Check that a run is valid and its bundle consistent and unchanged.",
    ),
    "published": Verb(
        "published",
        "published",
        EXPLAIN,
        "List, choose and export published results of other servers.",
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
        "Calculate the price per user, and find the cheapest configuration.",
    ),
    "resume": Verb(
        "bundles",
        "resume",
        KEEP,
        "Continue a run that was interrupted or killed; finished levels are kept.",
    ),
    "cluster": Verb(
        "cluster", GROUP, MEASURE, "Make several machines one load generator, over SSH."
    ),
    "serve": Verb("serve", GROUP, MEASURE, "Run a server to measure, on its own machine."),
    "import": Verb(
        "import_verb",
        GROUP,
        MEASURE,
        "Make a workload file from a recording, cURL commands or other tools' files.",
    ),
    "record": Verb(
        "record",
        "record",
        MEASURE,
        "Record a visit through a proxy and make a workload file from it, as import har does.",
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
        "Calculate what disks, buses, RAID arrays and sorts can do, from data sheets.",
    ),
}
"""In the order of the help. The examples of a verb are in its module's `EPILOG`."""


def open_rooms(app: typer.Typer, names: Iterable[str] = VERBS) -> typer.Typer:
    """Load these verbs and add them to an app."""
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
    """Add the names and summaries of all verbs to an app: enough to list them."""
    for name, verb in VERBS.items():
        command = app.command(name, help=verb.summary, rich_help_panel=verb.panel)
        command(_nothing)
    return app


def _nothing() -> None:
    """Stand in for a verb that is only listed."""
