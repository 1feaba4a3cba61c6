"""`headcount published`: results that others have printed, as data."""

import csv as tables
import sys
from dataclasses import asdict, fields
from typing import Annotated, Any

import typer
from rich.table import Table

from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.errors import InputError
from headcount.text import plural

EPILOG = """
Examples:

headcount published  # the systems

headcount published testbed_d  # all published figures of one

headcount published --workload mail-heavy --figure p95_ms --csv
"""


def published(
    what: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A document or a system; see the list.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="DOCUMENT", help="Only results of this document.")
    ] = None,
    workload: Annotated[
        str | None, typer.Option(help="Only results of the benchmark this workload re-creates.")
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(help="Only this figure, by its name here (p95_s) or in Headcount (p95_ms)."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print the results as CSV.")] = False,
    json: options.Json = False,
) -> None:
    """List, choose and export published results of other servers.

    They were measured on other hardware: reference points, not competitors.
    """
    from headcount.analyse.published.rows import rows

    if csv and json:
        raise InputError("choose one of --csv and --json")
    chosen = [
        row
        for row in rows()
        if what in (None, row.source, row.system)
        and source in (None, row.source)
        and figure in (None, row.figure, row.called)
        and (workload is None or workload in row.workloads)
    ]
    if not chosen:
        raise InputError(
            "there is no such published result (headcount published lists them, --csv prints all)"
        )
    if json:
        print_json([_plain(row) for row in chosen])
    elif csv:
        _print_csv(chosen)
    elif what is None and figure is None:
        _print_systems(chosen)
    else:
        _print_rows(chosen)


def _plain(row: Any) -> dict[str, Any]:
    """A row for programs, with the value as a number and as printed."""
    return asdict(row) | {"value": float(row.value), "printed": str(row.value)}


def _print_csv(found: list[Any]) -> None:
    names = [field.name for field in fields(found[0])]
    writer = tables.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for row in found:
        own = {**asdict(row), "workloads": " ".join(row.workloads)}
        writer.writerow(["" if own[name] is None else own[name] for name in names])


def _print_systems(found: list[Any]) -> None:
    documents: dict[tuple[str, str, str], dict[str, list[Any]]] = {}
    for row in found:
        systems = documents.setdefault((row.source, row.publisher, row.when), {})
        systems.setdefault(row.system, []).append(row)
    for (source, publisher, when), systems in documents.items():
        tests = dict.fromkeys(row.test for of in systems.values() for row in of)
        out.print(f"[bold]{source}[/]  {publisher}, {when}: {'; '.join(tests)}")
        table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
        table.add_column(width=15)
        for system, of in systems.items():
            users = max((row.users for row in of if row.users is not None), default=None)
            table.add_row(system, of[0].label, "" if users is None else plural("user", users))
        out.print(table)
    out.print(
        "\nheadcount published NAME shows a document or a system; headcount audit --published "
        "recomputes what they derive.",
        markup=False,
    )


def _print_rows(found: list[Any]) -> None:
    table = Table(box=None, header_style="bold")
    for column in ("system", "test", "users", "figure", "value", "where"):
        table.add_column(column, overflow="fold")
    seen = None
    for row in found:
        users = "" if row.users is None else f"{row.users:,}"
        value = f"{row.value:,} {row.unit}"
        label = "" if row.label == seen else row.label
        seen = row.label
        table.add_row(label, row.test, users, row.meaning, value, row.place)
    out.print(table)
    for label, hardware, publisher, when, remark in dict.fromkeys(
        (row.label, row.hardware, row.publisher, row.when, row.remark) for row in found
    ):
        also = f"; {remark}" if remark else ""
        out.print(f"{label}: {hardware}. {publisher}, {when}{also}", markup=False)
