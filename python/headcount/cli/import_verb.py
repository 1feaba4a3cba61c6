"""`headcount import`: a journey from what you have already, as a workload file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from headcount.cli import options
from headcount.cli.console import err, out, print_json
from headcount.cli.outputs import check_file
from headcount.errors import InputError
from headcount.output.file import write_output
from headcount.text import clean

if TYPE_CHECKING:
    from headcount.errors import Mistake
    from headcount.importers.journey import Journey

app = typer.Typer(
    help="Make a workload file from a recording, cURL commands or other tools' files.",
    no_args_is_help=True,
)

Recording = Annotated[
    Path, typer.Argument(metavar="FILE", help="The recording, saved by a browser as HAR.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The workload file to write; by default NAME.toml here, if there is none.",
    ),
]
LogIn = Annotated[
    Literal["each-visit", "once"],
    typer.Option(
        help="Whether each visit logs in, as recorded, or users do it once and stay logged in."
    ),
]


@app.command("har", no_args_is_help=True)
def har(
    recording: Recording,
    output: Output = None,
    log_in: LogIn = "each-visit",
    json: options.Json = False,
) -> None:
    """Import a browser's recording: pages, think times, and values from replies.

    In Firefox or Chrome open the network tools (F12), visit the site, and save all as HAR. A HAR
    file holds your cookies and passwords: keep it to yourself. The workload file holds none.

    Example: headcount import har shop.har -o shop.toml
    """
    from headcount.importers import har as recordings
    from headcount.importers.recorded_journey import recorded_journey

    def make(name: str) -> "Journey":
        return recorded_journey(recordings.recording(recording), name)

    imported(make, output, log_in=log_in, json=json)


@app.command("curl", no_args_is_help=True)
def curl(
    command: Annotated[
        str,
        typer.Argument(
            metavar="COMMAND|FILE",
            help='A command in quotes ("Copy as cURL"), or a file of several.',
        ),
    ],
    output: Output = None,
    json: options.Json = False,
) -> None:
    """Import cURL commands: each becomes a step. They are read, not run.

    Passwords, keys and tokens become variables, whose values come from the environment.

    Example: headcount import curl requests.sh -o shop.toml
    """
    from headcount.importers.curl_commands import commands
    from headcount.importers.journey import unmarked
    from headcount.importers.recorded_journey import commands_journey
    from headcount.importers.stranger import text_of

    is_command = command.lstrip().startswith("curl ")
    text, what = (unmarked(command), "the command") if is_command else (None, command)

    def make(name: str) -> "Journey":
        found = text_of(Path(command)) if text is None else text
        return commands_journey(commands(found, what), name)

    imported(make, output, json=json)


@app.command("postman", no_args_is_help=True)
def postman(
    collection: Annotated[
        Path, typer.Argument(metavar="FILE", help="A collection, exported as v2.1.")
    ],
    output: Output = None,
    environment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="An exported environment with the variables' values."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Import a Postman collection (v2.1): requests, variables, authorisation and plain tests.

    Tests that set variables become captures, those that compare values become checks. What is not
    read is listed.

    Example: headcount import postman shop.postman_collection.json --environment test.json
    """
    from headcount.importers.postman import postman_journey

    imported(lambda name: postman_journey(collection, name, environment), output, json=json)


@app.command("openapi", no_args_is_help=True)
def openapi(
    description: Annotated[
        Path, typer.Argument(metavar="FILE", help="OpenAPI 3.0 or 3.1, in JSON or YAML.")
    ],
    output: Output = None,
    by: Annotated[
        Literal["tag", "operation"], typer.Option(help="What each scenario covers.")
    ] = "tag",
    json: options.Json = False,
) -> None:
    """Import an API description: a scenario for each tag, with examples as values.

    Keys and tokens become variables, whose values come from the environment. The key of what a
    POST creates is captured for the paths below it.

    Example: headcount import openapi api.yaml -o api.toml
    """
    from headcount.importers.openapi import openapi_journey

    def make(name: str) -> "Journey":
        return openapi_journey(description, name, by_operation=by == "operation")

    imported(make, output, json=json)


@app.command("k6", no_args_is_help=True)
def k6(
    script: Annotated[Path, typer.Argument(metavar="FILE", help="A k6 script.")],
    output: Output = None,
    json: options.Json = False,
) -> None:
    """Import a plain k6 script: requests, checks, pauses, values from replies.

    The script is read, not run: what only running it can show is listed. Thresholds on response
    times and failures become criteria.

    Example: headcount import k6 shop.js -o shop.toml
    """
    from headcount.importers.k6 import k6_journey

    imported(lambda name: k6_journey(script, name), output, json=json)


@app.command("pgbench", no_args_is_help=True)
def pgbench(
    script: Annotated[Path, typer.Argument(metavar="FILE", help="A pgbench script (-f).")],
    output: Output = None,
    scale: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="The scale of pgbench's tables (-s).")
    ] = 1,
    json: options.Json = False,
) -> None:
    """Import a pgbench script: statements, transactions, random numbers and pauses.

    Variables become parameters of the statements. The script is read, not run: conditions, shell
    commands and pipelines are listed as left out, each with its line.

    Example: headcount import pgbench transfer.sql -o transfer.toml
    """
    from headcount.cli.workloads_check import mistakes_in
    from headcount.importers.names import workload_name
    from headcount.importers.pgbench import pgbench_journey
    from headcount.importers.sql_journey import journey_text

    check_file(output, "-o", ".toml")
    journey = pgbench_journey(script, workload_name(output.stem) if output else "", scale)
    path = output or free_path(journey.name)
    write_output(path, journey_text(journey), "-o")
    mistakes = mistakes_in(str(path))
    if json:
        print_json(
            {
                "file": str(path),
                "name": journey.name,
                "statements": [one.name for one in journey.statements],
                "variables": list(journey.variables),
                "left_out": journey.left_out,
                "to_fix": _to_fix(mistakes),
            }
        )
        return
    _print_rest(journey.left_out, path, mistakes)


def imported(
    make: "Callable[[str], Journey]",
    output: Path | None,
    *,
    log_in: str = "each-visit",
    json: bool,
) -> None:
    """Write the workload file, and show what is in it and what somebody must fix in it."""
    from headcount.cli.workloads_check import mistakes_in
    from headcount.importers.log_in_once import log_in_once
    from headcount.importers.names import workload_name
    from headcount.importers.workload_text import workload_text

    check_file(output, "-o", ".toml")
    journey = make(workload_name(output.stem) if output is not None else "")
    if log_in == "once":
        log_in_once(journey)
    path = output or free_path(journey.name)
    # Not through `redacted`, which would hide names such as {password}. A journey has no secrets.
    write_output(path, workload_text(journey), "-o")
    mistakes = mistakes_in(str(path))
    if json:
        print_json(_answer(journey, path, mistakes))
        return
    _print_correlations(journey)
    _print_rest(journey.left_out, path, mistakes)


def free_path(name: str) -> Path:
    """The file for a workload of this name; raises InputError if it is there already."""
    path = Path(f"{name}.toml")
    if path.exists():
        raise InputError(f"{path} exists; name the file to write with -o, such as -o {name}-2.toml")
    return path


def _print_correlations(journey: "Journey") -> None:
    from headcount.importers.workload_text import source_text

    if not journey.correlations:
        return
    table = Table(box=None, header_style="bold")
    for column in ("name", "captured from", "used in"):
        table.add_column(column, overflow="fold")
    for one in journey.correlations:
        source = f"{one.step}: {source_text(one.source)}"
        cells = (one.name, source, "; ".join(one.used_in))
        table.add_row(*(Text(clean(cell)) for cell in cells))
    out.print(table)


def _answer(journey: "Journey", path: Path, mistakes: "Sequence[Mistake]") -> dict[str, object]:
    from headcount.importers.workload_text import source_table

    return {
        "file": str(path),
        "name": journey.name,
        "target": journey.target,
        "scenarios": [
            {"name": one.name, "requests": sum(1 for _ in one.steps())} for one in journey.scenarios
        ],
        "variables": [one.name for one in journey.variables],
        "correlations": [
            {
                "name": one.name,
                "captured_from": {"step": one.step, **source_table(one.source)},
                "used_in": list(one.used_in),
            }
            for one in journey.correlations
        ],
        "left_out": journey.left_out,
        "to_fix": _to_fix(mistakes),
    }


def _to_fix(mistakes: "Sequence[Mistake]") -> list[dict[str, object]]:
    return [{"line": one.line, "key": one.key, "message": one.message} for one in mistakes]


def _print_rest(left_out: "Sequence[str]", path: Path, mistakes: "Sequence[Mistake]") -> None:
    """Print what the workload lacks, what somebody must fix in it, and where it is."""
    for line in left_out:
        out.print(clean(f"Left out: {line}"), markup=False)
    for one in mistakes:
        out.print(clean(f"To fix: {one.text(str(path))}"), markup=False)
    err.print(f"wrote {path}", markup=False, highlight=False)
