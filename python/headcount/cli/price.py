"""`headcount price`: what users cost, the cheapest configuration for so many, consolidation."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from headcount.cli import options
from headcount.cli.console import out, print_json, print_text
from headcount.cli.grouped import grouped
from headcount.cli.outputs import check_file
from headcount.errors import InputError
from headcount.output.file import write_output

EPILOG = """
Examples:

headcount price runs/20261120T101500-app-server-lab-app --cost "29581 USD"

headcount price runs/A runs/B --costs a.toml --costs b.toml --users 10000 --headroom 25%

headcount price 704=2850 330=2200 --cost "43270 USD" --cost "29581 USD" --users 10000  # stated

headcount price cluster=10000 --nodes 2 --replaces 2000 --users-per-server 250
--servers-per-admin 20 --admin-cost "100000 USD"
"""


@dataclass(frozen=True)
class Prices:
    """What the systems cost, and over how many years."""

    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PRICE",
            help='What each costs, in their order: "29581 USD", "0.34 USD/hour"; '
            '"plan": as its plan says.',
        ),
    ] = None
    costs: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="The prices as items, in TOML files with the keys of [cost]."
        ),
    ] = None
    years: Annotated[
        float | None,
        typer.Option(min=0.01, max=100, help="Years over which recurring prices and growth count."),
    ] = None


@dataclass(frozen=True)
class Wanted:
    """For how many users a configuration is sought."""

    users: Annotated[
        int | None, typer.Option(min=1, help="Find the cheapest configuration for this many users.")
    ] = None
    headroom: Annotated[
        str, typer.Option(metavar="SHARE", help="Share of each system to keep free: 25%.")
    ] = "0%"
    growth: Annotated[str, typer.Option(metavar="SHARE", help="Growth of users per year: 20%.")] = (
        "0%"
    )
    spare: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Systems beyond those needed.")
    ] = 0


@dataclass(frozen=True)
class Consolidation:
    """What is replaced, and who administers it."""

    replaces: Annotated[
        int | None, typer.Option(min=1, help="Consolidation: number of old servers to replace.")
    ] = None
    users_per_server: Annotated[
        int | None, typer.Option(min=1, help="Users per old server; or give --users for all.")
    ] = None
    nodes: Annotated[int, typer.Option(min=1, max=1000, help="Servers in one new system.")] = 1
    servers_per_admin: Annotated[
        float | None, typer.Option(min=0.001, help="Servers per administrator.")
    ] = None
    admin_cost: Annotated[
        str | None,
        typer.Option(metavar="PRICE", help='Cost of an administrator per year: "100000 USD".'),
    ] = None


@grouped
def price(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]BUNDLE|NAME=USERS...",
            help="Runs, or stated capacities (NAME=USERS).",
        ),
    ],
    prices: Prices,
    wanted: Wanted,
    consolidation: Consolidation,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write a page with the cost curves in one file.",
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    json: options.Json = False,
) -> None:
    """Calculate the price per user, and find the cheapest configuration.

    For one run: the price per user, per mark and per request per second. For several: which is
    cheaper, and from how many users on. Prices are those of the plans, or stated here.
    """
    from headcount.analyse.prices.pricing import report
    from headcount.cli import priced as inputs
    from headcount.report.prices import markdown as as_markdown
    from headcount.report.terminal import price as terminal

    if json and markdown:
        raise InputError("--json and --markdown exclude each other; give one of them")
    check_file(html, "--html", ".html")
    over = Decimal(str(prices.years)) if prices.years is not None else None
    configurations = inputs.configurations(what, prices.cost or [], prices.costs or [], over)
    merger = inputs.merger(
        consolidation.replaces,
        consolidation.nodes,
        consolidation.servers_per_admin,
        consolidation.admin_cost,
    )
    sought = inputs.sought(wanted.users, consolidation.replaces, consolidation.users_per_server)
    free = inputs.headroom(wanted.headroom)
    need = None
    if sought is not None:
        need = inputs.need(
            sought, free, wanted.growth, wanted.spare, inputs.years_of(over, configurations)
        )
    found = report(configurations, need, merger, free)
    if html is not None:
        from headcount.report.prices import page

        write_output(
            html, page.render(found, datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")), "--html"
        )
    if json:
        print_json(found.model_dump(mode="json"))
    elif markdown:
        print_text(as_markdown.render(found), end="")
    else:
        terminal.show(found, out)
        if html is not None:
            out.print(f"\nPage: {html}", markup=False)
