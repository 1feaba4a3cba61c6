"""The options of `headcount run`, in the groups that its help shows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from headcount.cli import agent_options, options
from headcount.cli.login_options import Logins

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


@dataclass(frozen=True)
class Target:
    """The server that users are played against."""

    target: options.Target = None
    authorised_by: options.AuthorisedBy = None
    user: options.User = None
    password_file: options.PasswordFile = None
    logins: Logins = None
    token_file: options.TokenFile = None
    shares: options.Shares = None
    pid: options.Pid = None
    unit: options.Unit = None
    cgroup: options.Cgroup = None
    container: options.Container = None


@dataclass(frozen=True)
class Load:
    """How many users, and what they do."""

    users: Users = None
    levels: Levels = None
    duration: Annotated[
        str | None,
        typer.Option(
            help="Measured part of a level: 30s, 5m; a bare number is seconds. In a search: of "
            "the full level.",
            rich_help_panel=options.LOAD,
        ),
    ] = None
    ramp: Annotated[
        str | None,
        typer.Option(help="Time over which the users join.", rich_help_panel=options.LOAD),
    ] = None
    settle: Annotated[
        str | None,
        typer.Option(
            help="Settling time between ramp and measurement.", rich_help_panel=options.LOAD
        ),
    ] = None
    think: Annotated[
        str | None,
        typer.Option(
            help="Think time (closed pace): 2s, exponential:2s or uniform:1s..3s.",
            rich_help_panel=options.LOAD,
        ),
    ] = None
    pace: Annotated[
        str | None,
        typer.Option(
            help="Time between due scenarios of a user (open pace): 2s, exponential:2s or "
            "uniform:1s..3s.",
            rich_help_panel=options.LOAD,
        ),
    ] = None
    compress: Annotated[
        float | None,
        typer.Option(
            help="Shorten pauses by this factor: 1 to 1000, such as 8.",
            rich_help_panel=options.LOAD,
        ),
    ] = None
    scale: options.Scale = None
    loadfile: options.LoadFile = None
    ignore_times: options.IgnoreTimes = False
    workspace: options.Workspace = None


@dataclass(frozen=True)
class Search:
    """How the capacity is searched."""

    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Search for the capacity (the default without a ladder).",
            rich_help_panel=options.SEARCH,
        ),
    ] = False
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="A quick search of about three minutes, with a wide interval.",
            rich_help_panel=options.SEARCH,
        ),
    ] = False
    budget: Annotated[
        str | None,
        typer.Option(
            help="Time for the search, such as 10m. Less time gives a wider interval.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None
    soak: Annotated[
        str | None,
        typer.Option(
            help="After the search, a long level at the capacity: 30m.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None
    start_users: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="The first level of the search.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None
    max_users: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="The largest level of the search.",
            rich_help_panel=options.SEARCH,
        ),
    ] = None
    no_trial: Annotated[
        bool,
        typer.Option(
            "--no-trial",
            help="Start at once: no trial in which one user plays every scenario.",
            rich_help_panel=options.SEARCH,
        ),
    ] = False
    confirm: options.Confirm = None


@dataclass(frozen=True)
class Criteria:
    """When users count as served."""

    criteria: Annotated[
        list[str] | None,
        typer.Option(
            help='Replace the workload\'s criteria: --criteria "p95<=1s" "errors<1%"',
            rich_help_panel=options.CRITERIA,
        ),
    ] = None
    rule: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Judge by this rule of the workload's [rules] instead.",
            rich_help_panel=options.CRITERIA,
        ),
    ] = None


@dataclass(frozen=True)
class Server:
    """Settings and limits of a lab server."""

    set_: options.Set = None
    limit: options.Limit = None
    line: options.Line = None


@dataclass(frozen=True)
class Second:
    """A second target, measured in turn with the first."""

    versus_target: options.Versus = None
    versus_set: options.VersusSet = None
    versus_limit: options.VersusLimit = None
    versus_client: options.VersusClient = None
    versus_user: options.VersusUser = None
    versus_source: options.VersusSource = None
    versus_pid: options.VersusPid = None
    versus_unit: options.VersusUnit = None
    versus_cgroup: options.VersusCgroup = None
    versus_container: options.VersusContainer = None
    versus_cost: options.VersusCost = None
    versus_password_file: options.VersusPasswordFile = None
    pairs: options.Pairs = None
    pair_order: options.PairOrder = None


@dataclass(frozen=True)
class Output:
    """What is printed, kept and stated."""

    plan_only: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Print the resolved plan and run nothing.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False
    json: options.Json = False
    runs: options.Runs = options.RUNS
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="PRICE",
            help='What the system costs: --cost "29581 USD".',
            rich_help_panel=options.OUTPUT,
        ),
    ] = None
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The cost as items, in a TOML file with the keys of [cost].",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None
    disclosure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Your statements about the test (TOML), for the report.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None


@dataclass(frozen=True)
class Advanced:
    """Everything else."""

    seed: options.Seed = None
    workers: Annotated[
        int | None,
        typer.Option(help="Threads of the load generator.", rich_help_panel=options.ADVANCED),
    ] = None
    agents: agent_options.Agents = None
    cluster: agent_options.Cluster = None
    users_per_agent: agent_options.UsersPerAgent = None
    equal_users: agent_options.EqualUsers = False
    local_ips: agent_options.LocalIps = None
    client: options.Client = None
    source: options.Source = None
    view: options.View = None
    stacks: options.Stacks = "auto"
