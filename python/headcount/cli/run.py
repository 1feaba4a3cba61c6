"""`headcount run`: find the capacity, or run levels."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from headcount.bundle import reader
from headcount.bundle.verdict import Verdict
from headcount.cli import options, versus
from headcount.cli.console import err, out, print_json
from headcount.cli.display import Display
from headcount.cli.exits import exit_code
from headcount.cli.loadfile import load_file
from headcount.cli.secrets import secrets_for
from headcount.cli.settings import client_settings, limit_of, setting
from headcount.controller.access import Secrets
from headcount.counters import address as addresses
from headcount.errors import InputError
from headcount.plan import plan as plans
from headcount.plan.cost import stated_cost
from headcount.plan.disclosure import load_disclosure
from headcount.plan.program import check_load_file
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.sources import split_source
from headcount.plan.target import LAB, PROTOCOLS

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


def run(
    what: Annotated[
        str, typer.Argument(metavar="WORKLOAD|PLAN", help="A workload's name, or a plan.toml.")
    ],
    target: options.Target = None,
    users: Annotated[int | None, typer.Option(help="One level with this many users.")] = None,
    levels: Annotated[
        str | None, typer.Option(help="A ladder of levels: 1,4,8,12 or 10..200/10.")
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Search for the capacity (the default, if no ladder).")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look in about three minutes; wide interval.")
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(help="Time for the search, such as 10m; less time, wider interval."),
    ] = None,
    duration: Annotated[
        str | None, typer.Option(help="Measured part of a level; in a search, of the full level.")
    ] = None,
    ramp: Annotated[
        str | None, typer.Option(help="Time for users to join, for each level.")
    ] = None,
    settle: Annotated[str | None, typer.Option(help="Wait between ramp and measurement.")] = None,
    think: Annotated[
        str | None,
        typer.Option(help="Think time (closed pace): 2s, exponential:2s or uniform:1s..3s."),
    ] = None,
    pace: Annotated[
        str | None,
        typer.Option(
            help="Interval of a schedule (open pace): 2s, exponential:2s, uniform:1s..3s."
        ),
    ] = None,
    compress: Annotated[
        float | None,
        typer.Option(help="How many times faster than life pauses pass: 1 to 1000, such as 8."),
    ] = None,
    criteria: Annotated[
        list[str] | None,
        typer.Option(help='Replaces the workload\'s criteria: --criteria "p95<=1s" "errors<1%"'),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Judge by this rule of the workload's [rules] instead."),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(metavar="PRICE", help='What the system costs: --cost "29581 USD".'),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The same as items, in a TOML file with [cost]'s keys."),
    ] = None,
    disclosure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What you state of the test (TOML), for the report."),
    ] = None,
    soak: Annotated[
        str | None, typer.Option(help="After the search, a long level at the capacity: 30m.")
    ] = None,
    start_users: Annotated[int | None, typer.Option(help="First level of the search.")] = None,
    max_users: Annotated[int | None, typer.Option(help="The search goes no further.")] = None,
    seed: options.Seed = None,
    workers: Annotated[int | None, typer.Option(help="Threads of the load engine.")] = None,
    scale: options.Scale = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Setting of a lab server: threads=4."),
    ] = None,
    limit: options.Limit = None,
    shares: options.Shares = None,
    user: options.User = None,
    client: options.Client = None,
    loadfile: options.LoadFile = None,
    ignore_times: options.IgnoreTimes = False,
    workspace: options.Workspace = None,
    source: options.Source = None,
    authorised_by: options.AuthorisedBy = None,
    password_file: options.PasswordFile = None,
    token_file: options.TokenFile = None,
    versus_target: options.Versus = None,
    versus_set: options.VersusSet = None,
    versus_limit: options.VersusLimit = None,
    versus_client: options.VersusClient = None,
    versus_user: options.VersusUser = None,
    versus_source: options.VersusSource = None,
    versus_cost: options.VersusCost = None,
    versus_password_file: options.VersusPasswordFile = None,
    pairs: options.Pairs = None,
    pair_order: options.PairOrder = None,
    runs: options.Runs = options.RUNS,
    plan_only: Annotated[
        bool, typer.Option("--plan", help="Print the resolved plan and run nothing.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Play users against a server and find how many it holds.

    Without --users or --levels the number of users is searched for at which the criteria just hold,
    with a 95 % confidence interval. Ctrl-C stops within a second and keeps what was measured.
    """
    overrides = Overrides(
        users=users,
        levels=levels,
        search=search,
        duration=duration,
        ramp=ramp,
        settle=settle,
        think=think,
        pace=pace,
        compress=compress,
        seed=seed,
        criteria=[text for given in criteria or [] for text in _apart(given)],
        rule=rule,
        disclosure=load_disclosure(disclosure) if disclosure else None,
        cost=stated_cost(cost, costs),
        workers=workers,
        scale=scale,
        authorised_by=authorised_by,
        quick=quick,
        budget=budget,
        soak=soak,
        start_users=start_users,
        max_users=max_users,
        server=dict(setting(text, "--set") for text in set_ or []),
        limits=dict(limit_of(text) for text in limit or []),
        client=client_settings(client, user),
        shares=shares,
        loadfile=load_file(loadfile, ignore_times=ignore_times) if loadfile else None,
        workspace=workspace,
        sources=source or [],
    )
    for text in source or []:
        addresses.parse(split_source(text)[1])
    if ignore_times and loadfile is None:
        raise InputError("--ignore-times belongs to --loadfile FILE")
    plan = _plan(what, target, overrides)
    given = versus.Given(
        target=versus_target,
        server=versus_set,
        limits=versus_limit,
        client=versus_client,
        user=versus_user,
        sources=versus_source,
        cost=versus_cost,
        pairs=pairs,
        order=pair_order,
    )
    second = versus.second_plan(plan, target, given)
    if plan_only:
        for one in [plan] if second is None else [plan, second]:
            out.print(one.to_toml(), markup=False, end="")
        return
    check_load_file(plan.workload.program)
    secrets = secrets_for(plan, token_file, password_file)
    if second is None:
        _alone(plan, runs, secrets, json=json)
    other = versus.secrets_of(second, secrets, versus_password_file)
    versus.run((plan, secrets), (second, other), versus.wanted(pairs, pair_order), runs, json=json)


def _alone(plan: plans.Plan, runs: Path, secrets: Secrets, *, json: bool) -> NoReturn:
    """Run a plan and conclude."""
    # What levels need, statistics above all, takes half a second to load; other verbs do not.
    from headcount.controller import run as controller

    with Display(err, quiet=json) as display:
        folder, verdict = controller.start(plan, runs, secrets, display)
    conclude(folder, verdict, json=json)


def conclude(folder: Path, verdict: Verdict, *, json: bool) -> NoReturn:
    """Write the report, print the answer, and exit with its code."""
    from headcount.report import assemble, terminal

    bundle = reader.load(folder)
    report = assemble.write(bundle) if bundle.levels else None
    if json:
        answer = verdict.model_dump(mode="json")
        print_json({**answer, "bundle": str(folder), "report": str(report) if report else None})
    else:
        program = bundle.plan.workload.program
        played = program.text if program else None
        terminal.summary(verdict, bundle.levels, out, bundle.environment, played)
        out.print(f"Bundle: {folder}", markup=False)
        if report:
            out.print(f"Report: {report}", markup=False)
    raise typer.Exit(exit_code(verdict))


def _plan(what: str, target: str | None, overrides: Overrides) -> plans.Plan:
    """A plan file as it is, or a workload with options."""
    from headcount import workloads

    path = Path(what)
    if path.suffix == ".toml" and path.is_file() and _is_plan(path):
        untouched = vars(Overrides())
        changed = [key for key, value in vars(overrides).items() if value != untouched[key]]
        if changed or target is not None:
            option = (changed or ["target"])[0].replace("server", "set").replace("_", "-")
            raise InputError(
                f"a plan is repeated exactly, so --{option} cannot be combined with {path}; "
                "edit a copy of the plan instead"
            )
        return plans.load(path)
    workload = workloads.load(what)
    if target is None:
        lab = next(name for name, spoken in LAB.items() if spoken == workload.protocol)
        raise InputError(
            f"say what to measure: --target lab:{lab} starts a server here, "
            f"--target {PROTOCOLS[workload.protocol]} is yours"
        )
    known = replace(overrides, workload_sha256=workloads.sha256(what))
    return resolve(workload, target, known)


def _apart(text: str) -> list[str]:
    """Take criteria given in one argument apart; blanks around a relation do not count."""
    return re.sub(r"\s*(<=|>=|<|>)\s*", r"\1", text).split()


def _is_plan(path: Path) -> bool:
    """Plans start with their format; workload files have none."""
    return "\nformat = " in "\n" + path.read_text("utf-8", errors="replace")
