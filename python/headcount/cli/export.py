"""`headcount export`: a run's figures for other programs."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.console import err
from headcount.cli.outputs import WRITERS, bundle_folder, check_file, writer
from headcount.errors import InputError
from headcount.output.file import write_output

if TYPE_CHECKING:
    from headcount.bundle.reader import Bundle

Folder = Annotated[
    Path, typer.Argument(metavar="BUNDLE", help="A run's folder.", callback=bundle_folder)
]
Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help="The file to write; its ending sets the format."),
]

ENDINGS = {
    ".xlsx": "spreadsheet with native charts and all tables",
    ".csv": "a table: levels.csv, scenarios.csv, counters.csv, seconds.csv or agents.csv; of a "
    "tuning changes.csv, ladder.csv, races.csv or knobs.csv, too, of a failover outages.csv",
    ".md": "Markdown for a pull request",
    ".json": "answer and levels, with a schema",
    ".prom": "OpenMetrics: every second, for promtool and Grafana",
    ".otlp": "OTLP as lines of JSON: every second, for OpenTelemetry's collector",
}


def export(bundle: Folder, files: Files) -> None:
    """Write a run's figures for other programs.

    The ending says what: .xlsx a spreadsheet with native charts and all tables; .md Markdown for a
    pull request; .json answer and levels; .prom OpenMetrics and .otlp OTLP (JSON), with every
    second; .csv a table by its name: levels.csv, scenarios.csv, counters.csv, seconds.csv or
    agents.csv. A tuning has changes.csv, ladder.csv, races.csv and knobs.csv, too, a failover
    outages.csv.

    Start with: headcount export runs/RUN run.xlsx levels.csv
    """
    from headcount.bundle import reader
    from headcount.controller import run as controller

    makers = [(path, _maker(path)) for path in files]
    for path in files:
        check_file(path, "", path.suffix.lower())
    found = controller.with_verdict(reader.load(bundle))
    made = [(path, make(found)) for path, make in makers]
    for path, contents in made:
        write_output(path, contents)
        err.print(f"wrote {path}", markup=False, highlight=False)


def _maker(path: Path) -> "Callable[[Bundle], str | bytes]":
    """The function that makes a file's contents; raises InputError for an unknown ending."""
    ending = path.suffix.lower()
    if ending == ".csv":
        return _table(path)
    if ending == ".xlsx":
        from headcount.report.export.xlsx import spreadsheet

        return spreadsheet
    from headcount.installed import added
    from headcount.report.export import answer_json, markdown, openmetrics, otlp

    others = added("exports", "export", Callable)
    known: dict[str, Callable[[Bundle], str | bytes]] = {
        **{f".{name.lower()}": make for name, make in others.items()},
        ".md": markdown.text,
        ".json": answer_json.text,
        ".prom": openmetrics.text,
        ".otlp": otlp.text,
    }
    if ending not in known:
        if ending in WRITERS and path.parent.is_dir():
            raise InputError(f'{path}: "{ending}" is not a format of export; {writer(path)}')
        endings = ENDINGS | dict.fromkeys(known.keys() - ENDINGS.keys(), "of an installed package")
        known_formats = "; ".join(f"{name}: {what}" for name, what in endings.items())
        raise InputError(f'{path}: "{ending}" is not a format; the formats are {known_formats}')
    return known[ending]


def _table(path: Path) -> "Callable[[Bundle], str]":
    from headcount.report.export import agents, csv, failover, levels, seconds, tuning

    tables = {
        "levels": levels.levels,
        "scenarios": levels.scenarios,
        "counters": levels.counters,
        "seconds": seconds.seconds,
        "agents": agents.agents,
        "changes": tuning.changes,
        "ladder": tuning.ladder,
        "races": tuning.races,
        "knobs": tuning.knobs,
        "outages": failover.outages,
    }
    make = tables.get(path.stem.rpartition("-")[2])
    if make is None:
        raise InputError(
            f"{path}: which table? Call it {', '.join(f'{name}.csv' for name in tables)}, or with "
            "a dash before, such as run-levels.csv"
        )
    return lambda bundle: csv.text(make(bundle))
