"""`headcount compare`: whether servers, or one before and after a change, differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import options
from headcount.cli.console import out, print_json, print_text
from headcount.cli.grouped import grouped
from headcount.cli.outputs import check_file
from headcount.cli.subjects import sides
from headcount.errors import InputError
from headcount.output.file import write_output

if TYPE_CHECKING:
    from headcount.analyse.compare.comparison import Comparison
    from headcount.analyse.compare.subject import Side

EPILOG = """
Examples:

headcount compare runs/20261120T101500-web-lab-nginx runs/20261120T104500-web-lab-apache

headcount compare nginx=runs/a,runs/c,runs/e apache=runs/b,runs/d,runs/f  # three runs of each

headcount compare runs/before runs/after --html compare.html  # folders of runs

headcount compare runs/nginx runs/balanced --within 2%  # is the overhead at most 2%?

headcount compare runs/small runs/large --published configuration_1 --html compare.html

headcount compare runs/before runs/after --markdown  # for a pull request

headcount compare haproxy=runs/a keepalived=runs/b  # two of headcount failover: how long users wait
"""

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page with charts in one file."),
]


@dataclass(frozen=True)
class Output:
    """Where the comparison goes."""

    html: Html = None
    pdf: Annotated[
        Path | None,
        typer.Option("--pdf", metavar="FILE", help="Write a PDF report."),
    ] = None
    template: Annotated[
        Path | None,
        typer.Option(
            "--template", metavar="FILE", help="With --pdf: your company's template (TOML)."
        ),
    ] = None
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown for a pull request.")
    ] = False
    everything: Annotated[
        bool, typer.Option("--all", help="Print the figures of all levels, not just the largest.")
    ] = False
    json: options.Json = False


@grouped
def compare(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]BUNDLE[,BUNDLE]...",
            help="Two or more: a run, several runs of one configuration, or a folder of them. The "
            "others are compared with the first.",
        ),
    ],
    output: Output,
    margin: Annotated[
        str | None,
        typer.Option(
            "--within",
            metavar="PERCENT",
            help="Also say whether they are equal within this margin, such as 2%.",
        ),
    ] = None,
    published: Annotated[
        list[str] | None,
        typer.Option(
            "--published",
            metavar="NAME",
            help="Also show a published document or system (headcount published lists them).",
        ),
    ] = None,
) -> None:
    """Show whether runs differ, and by how much.

    Capacity, throughput, response times and cost at equal numbers of users, each with the 95%
    interval of the ratio and one of better, worse, no difference shown. For headcount failover:
    what users felt of the fault, with the shift between the set-ups.
    """
    if output.json and output.markdown:
        raise InputError("--json and --markdown both print the answer; give one of them")
    if output.template is not None and output.pdf is None:
        raise InputError("--template is for the report as PDF; give --pdf FILE as well")
    check_file(output.html, "--html", ".html")
    check_file(output.pdf, "--pdf", ".pdf")
    subjects = sides(what)
    from headcount.analyse.outage.compare import are_failovers

    if are_failovers(subjects):
        if margin is not None or published:
            raise InputError("--within and --published are for runs, not for failovers")
        _failovers(subjects, output)
    else:
        _runs(subjects, output, _compared(subjects, published, margin))


def _runs(subjects: "Sequence[Side]", output: Output, found: "Comparison") -> None:
    """Print a comparison of runs, and write its files."""
    from headcount.report.compare import markdown as text
    from headcount.report.compare import terminal

    if output.pdf is not None:
        from headcount.report import hand_over

        hand_over.write_comparison(
            found, [one.bundles[0] for one in subjects], output.pdf, output.template
        )
    if output.html is not None:
        from headcount.report.compare import page

        write_output(output.html, page.render(found, _now()), "--html")
    if output.json:
        print_json(found.model_dump(mode="json"))
    elif output.markdown:
        print_text(text.render(found), end="")
    else:
        terminal.show(found, out, everything=output.everything)
        if output.html is not None:
            out.print(f"\nPage: {output.html}", markup=False)
        if output.pdf is not None:
            out.print(f"\nReport: {output.pdf}", markup=False)


def _failovers(subjects: "Sequence[Side]", output: Output) -> None:
    """Compare failovers, print the comparison and write its files."""
    if output.pdf is not None:
        raise InputError(
            "--pdf: a comparison of failovers is not written as PDF; --html FILE makes a page, "
            "which a browser prints"
        )
    from headcount.analyse.outage.compare import compare as compared
    from headcount.report.compare import outage_markdown, outage_page, outage_terminal

    found = compared(subjects)
    if output.html is not None:
        write_output(output.html, outage_page.render(found, _now()), "--html")
    if output.json:
        print_json(found.model_dump(mode="json"))
    elif output.markdown:
        print_text(outage_markdown.render(found), end="")
    else:
        outage_terminal.show(found, out)
        if output.html is not None:
            out.print(f"\nPage: {output.html}", markup=False)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _compared(
    subjects: "Sequence[Side]", published: list[str] | None, margin: str | None
) -> "Comparison":
    # Statistics take half a second to load; the help does not need them.
    from headcount.analyse.compare.compare import compare as compared
    from headcount.analyse.compare.references import references
    from headcount.analyse.compare.within import within

    share = None if margin is None else margin_of(margin)
    found = compared(subjects, references(published or []))
    return found if share is None else within(found, share)


def margin_of(text: str) -> float:
    """A margin as a share; raises InputError."""
    number = text.strip().removesuffix("%")
    try:
        value = float(number) / 100
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise InputError(f"--within {text}: give a percentage above 0, at most 100, such as 2%")
    return value
