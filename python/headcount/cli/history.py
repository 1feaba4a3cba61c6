"""`headcount history`: runs of the same thing over time, and where they changed."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import options
from headcount.cli.compare import Html
from headcount.cli.console import err, out, print_json
from headcount.cli.outputs import check_file
from headcount.errors import HeadcountError, InputError
from headcount.output.file import write_output

if TYPE_CHECKING:
    from headcount.bundle.reader import Bundle

EPILOG = """
Examples:

headcount history  # all runs in the folder of runs

headcount history nightly --workload home-folders --html history.html
"""


def history(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Folder of runs; default: --runs.")
    ] = None,
    runs: options.Runs = options.RUNS,
    workload: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only runs of this workload.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="TARGET", help="Only runs on this target.")
    ] = None,
    html: Html = None,
    json: options.Json = False,
) -> None:
    """Show runs over time, and where and why their figures changed.

    Runs of one workload on one target are a series. Eleven runs or more can show a change.
    """
    check_file(html, "--html", ".html")
    # Statistics take half a second to load; the help does not need them.
    from headcount.analyse.compare.history import history as followed

    found = followed(_bundles(folder or runs, workload, target))
    if html is not None:
        from headcount.report.history import page

        write_output(
            html, page.render(found, datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")), "--html"
        )
    if json:
        print_json(found.model_dump(mode="json"))
        return
    from headcount.report.history import terminal

    terminal.show(found, out)
    if html is not None:
        out.print(f"\nPage: {html}", markup=False)


def _bundles(folder: Path, workload: str | None, target: str | None) -> "list[Bundle]":
    """The selected runs of a folder, without tunings and failovers; damaged ones are named.

    Raises InputError if there is none.
    """
    from headcount.bundle import reader

    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder of runs")
    found = []
    for path in reader.find(folder):
        if reader.under_way(path):
            continue
        try:
            bundle = reader.load(path)
            if reader.special_kind(bundle) is not None:
                continue
        except HeadcountError as error:
            err.print(f"left out: {error}", markup=False, style="yellow")
            continue
        named = workload is None or bundle.plan.workload.name == workload
        if named and (target is None or bundle.plan.target == target):
            found.append(bundle)
    if not found:
        raise InputError(f"{folder} has no runs to show (headcount runs lists them)")
    return found
