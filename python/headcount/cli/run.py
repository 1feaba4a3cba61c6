"""`headcount run`: find the capacity, or run levels."""

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli import options

EPILOG = """
Examples:

headcount run home-folders --target lab:samba --quick  # a first look in three minutes

headcount run home-folders --target smb://10.0.0.7/data --user "u{n:04}" --authorised-by Ada

headcount run web-static --target lab:nginx --levels 1,4,8,16 --duration 20s --ramp 2s

headcount run sys-60 --target lab:app --duration 10s

headcount run web-static --target lab:nginx --limit cpu=0.5  # what would half a core do?

headcount run app-server --target lab:app --set threads=1 --versus-set threads=2 --users 40

headcount run replay --loadfile /usr/share/dbench/client.txt --target lab:samba --users 8

headcount run app-server --target app://127.0.0.1:7410 --levels 50..400/50 --criteria "p95<=1s"

headcount run runs/20261120T101500-app-server-lab-app/plan.toml  # the same again
"""

Users = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="One level with this many users: 400, 1,000 or 1k.",
        rich_help_panel=options.LOAD,
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(help="A ladder of levels: 1,4,8,12 or 10..200/10.", rich_help_panel=options.LOAD),
]


def run(
    what: Annotated[
        str, typer.Argument(metavar="WORKLOAD|PLAN", help="A workload's name, or a plan.toml.")
    ],
    target: options.Target = None,
    users: Users = None,
    levels: Levels = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Search for the capacity (the default without a ladder).",
            rich_help_panel=options.SEARCH,
        ),
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="A quick search of about three minutes, with a wide interval.",
            rich_help_panel=options.SEARCH,
        ),
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(
            help="Time for the search, such as 10m. Less time gives a wider interval.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(
            help="Measured part of a level: 30s, 5m; a bare number is seconds. In a search: of "
            "the full level.",
            rich_help_panel=options.LOAD,
        ),
    ] = None,
    ramp: Annotated[
        str | None,
        typer.Option(help="Time over which the users join.", rich_help_panel=options.LOAD),
    ] = None,
    settle: Annotated[
        str | None,
        typer.Option(
            help="Settling time between ramp and measurement.", rich_help_panel=options.LOAD
        ),
    ] = None,
    think: Annotated[
        str | None,
        typer.Option(
            help="Think time (closed pace): 2s, exponential:2s or uniform:1s..3s.",
            rich_help_panel=options.LOAD,
        ),
    ] = None,
    pace: Annotated[
        str | None,
        typer.Option(
            help="Time between due scenarios of a user (open pace): 2s, exponential:2s or "
            "uniform:1s..3s.",
            rich_help_panel=options.LOAD,
        ),
    ] = None,
    compress: Annotated[
        float | None,
        typer.Option(
            help="Shorten pauses by this factor: 1 to 1000, such as 8.",
            rich_help_panel=options.LOAD,
        ),
    ] = None,
    criteria: Annotated[
        list[str] | None,
        typer.Option(
            help='Replace the workload\'s criteria: --criteria "p95<=1s" "errors<1%"',
            rich_help_panel=options.CRITERIA,
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Judge by this rule of the workload's [rules] instead.",
            rich_help_panel=options.CRITERIA,
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="PRICE",
            help='What the system costs: --cost "29581 USD".',
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The cost as items, in a TOML file with the keys of [cost].",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    disclosure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Your statements about the test (TOML), for the report.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    soak: Annotated[
        str | None,
        typer.Option(
            help="After the search, a long level at the capacity: 30m.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    start_users: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="The first level of the search.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    max_users: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="The largest level of the search.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None,
    seed: options.Seed = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Threads of the load generator.", rich_help_panel=options.ADVANCED),
    ] = None,
    scale: options.Scale = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A setting of a lab server: threads=4.",
            rich_help_panel=options.SERVER,
        ),
    ] = None,
    limit: options.Limit = None,
    shares: options.Shares = None,
    user: options.User = None,
    client: options.Client = None,
    loadfile: options.LoadFile = None,
    ignore_times: options.IgnoreTimes = False,
    workspace: options.Workspace = None,
    source: options.Source = None,
    view: options.View = None,
    stacks: options.Stacks = "auto",
    confirm: options.Confirm = None,
    pid: options.Pid = None,
    unit: options.Unit = None,
    cgroup: options.Cgroup = None,
    container: options.Container = None,
    authorised_by: options.AuthorisedBy = None,
    password_file: options.PasswordFile = None,
    token_file: options.TokenFile = None,
    versus_target: options.Versus = None,
    versus_set: options.VersusSet = None,
    versus_limit: options.VersusLimit = None,
    versus_client: options.VersusClient = None,
    versus_user: options.VersusUser = None,
    versus_source: options.VersusSource = None,
    versus_pid: options.VersusPid = None,
    versus_unit: options.VersusUnit = None,
    versus_cgroup: options.VersusCgroup = None,
    versus_container: options.VersusContainer = None,
    versus_cost: options.VersusCost = None,
    versus_password_file: options.VersusPasswordFile = None,
    pairs: options.Pairs = None,
    pair_order: options.PairOrder = None,
    runs: options.Runs = options.RUNS,
    plan_only: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Print the resolved plan and run nothing.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Play users against a server and find how many it holds.

    Without --users and --levels, Headcount searches for the capacity and states its 95% confidence
    interval. Ctrl-C stops within a second and keeps what was measured.
    """
    # The models and the engine take half a second to load; the help does not need them.
    from headcount.cli import running, versus

    overrides = running.Overrides(
        users=running.number(users, "--users"),
        levels=levels,
        search=search,
        duration=duration,
        ramp=ramp,
        settle=settle,
        think=think,
        pace=pace,
        compress=compress,
        seed=seed,
        criteria=running.criteria(criteria),
        rule=rule,
        disclosure=running.disclosed(disclosure),
        cost=running.stated_cost(cost, costs),
        workers=workers,
        scale=scale,
        authorised_by=authorised_by,
        quick=quick,
        budget=budget,
        soak=soak,
        start_users=running.number(start_users, "--start-users"),
        max_users=running.number(max_users, "--max-users"),
        server=running.settings(set_, "--set"),
        limits=running.limits(limit),
        client=running.client_settings(client, user),
        shares=shares,
        loadfile=running.played(loadfile, ignore_times=ignore_times),
        workspace=workspace,
        sources=source or [],
        views=view or [],
        stacks=running.stacks_wanted(stacks),
    )
    second = versus.Given(
        target=versus_target,
        server=versus_set,
        limits=versus_limit,
        client=versus_client,
        user=versus_user,
        sources=versus_source,
        cost=versus_cost,
        named=running.named(versus_pid, versus_unit, versus_cgroup, versus_container),
        pairs=pairs,
        order=pair_order,
    )
    secrets = running.Files(password_file, token_file, versus_password_file)
    asked = running.Asked(what, target, running.named(pid, unit, cgroup, container), confirm)
    running.run(asked, overrides, second, secrets, runs, plan_only=plan_only, json=json)
