"""`headcount gate`: fail if a run is measurably worse than another by more than a margin."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import options
from headcount.cli.console import out, print_json, print_text
from headcount.cli.outputs import check_file
from headcount.cli.subjects import sides
from headcount.errors import ExitCode, InputError
from headcount.output.file import write_output

if TYPE_CHECKING:
    from headcount.analyse.compare.gate import Gate

EPILOG = """
Examples:

headcount gate runs/head --baseline runs/base  # folders of runs, made in turns

headcount gate runs/head --baseline runs/base --margin 5% --margin response.p99=20%

headcount gate runs/head --baseline runs/base --junit gate.xml --github

Exit codes: 0 no regression shown, 1 regression shown, 2 not comparable; with --strict also
4: a regression can be neither shown nor excluded.
"""
_MARGIN = re.compile(r"(?:(?P<metric>[a-z0-9.]+)=)?(?P<percent>\d+(?:\.\d+)?)\s*%")

Margin = Annotated[
    list[str] | None,
    typer.Option(
        "--margin",
        metavar="[METRIC=]PERCENT",
        help="How much may get worse: 5%, or response.p95=20%. Default: 3% for users and "
        "throughput, 10% for response times.",
    ),
]


def gate(
    what: Annotated[
        str,
        typer.Argument(
            metavar="BUNDLE",
            help="The run to judge, several separated by commas, or a folder of runs.",
        ),
    ],
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="BUNDLE", help="The baseline to compare it with.")
    ],
    margin: Margin = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Also fail (4) if nothing can be decided.")
    ] = False,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit's XML.")
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print annotations for a GitHub workflow.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Fail if a run is measurably worse than its baseline.

    A change that noise could explain is not a regression. What the runs cannot decide is reported,
    with the number of runs that would decide it.
    """
    if json and github:
        raise InputError("--json and --github both print the answer; give one of them")
    check_file(junit, "--junit", ".xml")
    # Statistics take half a second to load; the help does not need them.
    from headcount.analyse.compare.compare import compare
    from headcount.analyse.compare.gate import judge, margins
    from headcount.report.compare.junit import annotations
    from headcount.report.compare.junit import junit as xml

    limits = margins([_margin(text) for text in margin or []])
    found = judge(compare(sides([baseline, what], ("baseline", "this run"))), limits)
    if junit is not None:
        write_output(junit, xml(found), "--junit")
    if json:
        print_json(found.model_dump(mode="json"))
    elif github:
        print_text(annotations(found), end="")
    else:
        _show(found)
    raise typer.Exit(_exit_code(found, strict=strict))


def _margin(text: str) -> tuple[str | None, float]:
    match = _MARGIN.fullmatch(text.strip())
    if match is None:
        raise InputError(f'--margin is "{text}"; write 5%, or a metric: response.p95=20%')
    return match["metric"], float(match["percent"]) / 100


def _show(found: "Gate") -> None:
    from headcount.report.compare import gate

    gate.show(found, out)


def _exit_code(found: "Gate", *, strict: bool) -> ExitCode:
    if found.outcome == "regression":
        return ExitCode.FAILED
    return ExitCode.INVALID if strict and found.outcome == "inconclusive" else ExitCode.PASSED
