"""`headcount failover`: break a server under load, and measure what its users feel."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import agent_options, options
from headcount.cli.console import err, out, print_json
from headcount.cli.grouped import grouped
from headcount.cli.outputs import check_runs
from headcount.cli.run_options import Criteria, Server, Target, Users
from headcount.errors import ExitCode, InputError
from headcount.fields.units import seconds

if TYPE_CHECKING:
    from headcount.bundle.failover import Failover
    from headcount.failover.repetition import Timing
    from headcount.failover.wanted import Wanted
    from headcount.plan.plan import Plan

EPILOG = """
Examples:

headcount failover web-static --target lab:nginx --users 50 --fault kill --repeat 10

headcount failover web-static --target http://10.0.0.5/ --users 200 --authorised-by me \
--fault "ssh node1 systemctl stop nginx" --recover "ssh node1 systemctl start nginx"

headcount failover web-static --target http://127.0.0.1:8080/ --users 50 --unit nginx --fault stop
"""
FAULTS = "Fault"
SLOT = "10ms"
MOST_REPEATS = 1000
MOST_WRITERS = 64
WORKLOAD_HELP = "What the users do: a workload's name or file."


@dataclass(frozen=True)
class FaultAsked:
    """The fault to make."""

    fault: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|COMMAND",
            help="What breaks the server: kill (its processes end at once), stop (they freeze), "
            "fill=FOLDER (a full disk), or your own command. For nodes of a lab server: cut, "
            "cut-in and cut-out (packets to and from it, to it or from it are dropped), isolate "
            "(cut off from the other nodes only), node (it fails with all that runs on it), move "
            "(its service moves).",
            rich_help_panel=FAULTS,
        ),
    ] = None
    recover: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="What recovers the server after each repetition. Not needed for a lab server, "
            "which Headcount restarts, or for stop.",
            rich_help_panel=FAULTS,
        ),
    ] = None
    recover_after: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Recover this long after the fault, while users are watched; default: after "
            "watching them; 5s for a lab server with a single node.",
            rich_help_panel=FAULTS,
        ),
    ] = None
    node: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The node that a named fault hits, if the lab server has several; default: the "
            "active one, the primary, or else the first.",
            rich_help_panel=FAULTS,
        ),
    ] = None
    planned: Annotated[
        bool,
        typer.Option(
            "--planned",
            help="The fault is a planned move; the report says so.",
            rich_help_panel=FAULTS,
        ),
    ] = False
    noticed: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Succeeds once the fault has been noticed; asked every 50 ms.",
            rich_help_panel=FAULTS,
        ),
    ] = None
    taken_over: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Succeeds once another node has taken over; asked every 50 ms.",
            rich_help_panel=FAULTS,
        ),
    ] = None
    writers: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST_WRITERS,
            help="Sessions that write numbered rows beside the users and read them back after the "
            "recovery: are acknowledged writes gone, or stale? Default: 4 (PostgreSQL, Redis and "
            "SMB).",
            rich_help_panel=FAULTS,
        ),
    ] = None
    ready: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Succeeds once the fault can be made again, such as when the other node is back.",
            rich_help_panel=FAULTS,
        ),
    ] = None


@dataclass(frozen=True)
class When:
    """When things happen, and how often."""

    repeat: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_REPEATS,
            help="Number of repetitions: 30 show how much outages differ.",
            rich_help_panel=FAULTS,
        ),
    ] = 10
    at: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Undisturbed load before each fault, to compare with.",
            rich_help_panel=FAULTS,
        ),
    ] = "10s"
    after: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Watch users for at least this long after the fault.",
            rich_help_panel=FAULTS,
        ),
    ] = "20s"
    longest: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Stop watching after this time if users are not back.",
            rich_help_panel=FAULTS,
        ),
    ] = "5m"
    calm: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Users are back once they have been served within their limits for this long.",
            rich_help_panel=FAULTS,
        ),
    ] = "5s"


@dataclass(frozen=True)
class Load:
    """How many users, and how they play."""

    users: Users = None
    ramp: Annotated[
        str | None,
        typer.Option(help="Time over which the users join.", rich_help_panel=options.LOAD),
    ] = None
    settle: Annotated[
        str | None,
        typer.Option(
            help="Settling time before each repetition; default: 5s.",
            rich_help_panel=options.LOAD,
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
            help="Time between due scenarios of a user (open pace), which go on during an outage: "
            "2s, exponential:2s or uniform:1s..3s.",
            rich_help_panel=options.LOAD,
        ),
    ] = None
    scale: options.Scale = None
    client: options.Client = None
    source: options.Source = None
    seed: options.Seed = None
    agents: agent_options.Agents = None
    cluster: agent_options.Cluster = None
    users_per_agent: agent_options.UsersPerAgent = None
    equal_users: agent_options.EqualUsers = False
    local_ips: agent_options.LocalIps = None


@grouped
def failover(
    workload: Annotated[str | None, typer.Argument(metavar="WORKLOAD", help=WORKLOAD_HELP)],
    target: Target,
    fault: FaultAsked,
    when: When,
    load: Load,
    server: Server,
    criteria: Criteria,
    runs: options.Runs = options.RUNS,
    json: options.Json = False,
) -> None:
    """Break a server under constant load, and measure what its users feel.

    Users play all the time. Each repetition makes the fault, watches users until they are served
    as before, and recovers the server. The answer is how long nobody got an answer, when users
    were served within their limits again, what failed, and how much all that varies. An error or
    Ctrl-C recovers the server, too; after kill -9 you have to.
    """
    from headcount.cli.logins import named_plan
    from headcount.cli.outage_display import OutageDisplay
    from headcount.cli.secrets import secrets_for
    from headcount.failover.start import failover as repeated

    wanted = _wanted(target, fault, when)
    plan = _plan(workload, target, load, server, criteria)
    check_runs(runs)
    plan, rows = named_plan(plan, target.logins)
    secrets = secrets_for(plan, target.token_file, target.password_file, rows)
    with OutageDisplay(err, quiet=json) as display:
        folder, found = repeated(plan, wanted, runs, secrets, display)
    if json:
        print_json({**found.model_dump(mode="json"), "bundle": str(folder)})
    else:
        _show(found)
        out.print(f"Bundle: {folder}", markup=False)
    if found.ending == "interrupted":
        raise typer.Exit(ExitCode.INTERRUPTED)
    if not found.spreads:
        raise typer.Exit(ExitCode.INVALID)


def _wanted(target: Target, fault: FaultAsked, when: When) -> "Wanted":
    from headcount.cli import running
    from headcount.failover.kinds import PLANNED
    from headcount.failover.repetition import Questions
    from headcount.failover.wanted import Wanted

    if not fault.fault:
        raise InputError(
            'say what breaks the server: --fault kill, --fault stop, or --fault "COMMAND"'
        )
    return Wanted(
        fault=fault.fault,
        recover=fault.recover,
        ready=fault.ready,
        writers=fault.writers,
        timing=_timing(fault, when),
        repeat=when.repeat,
        planned=fault.planned or fault.fault in PLANNED,
        node=fault.node,
        questions=Questions(fault.noticed, fault.taken_over),
        named=running.named(target.pid, target.unit, target.cgroup, target.container),
    )


def _timing(fault: FaultAsked, when: When) -> "Timing":
    from headcount.failover.repetition import Timing

    def given(text: str, option: str, least_s: float) -> float:
        found = seconds(text, option)
        if not least_s <= found <= 3600:
            raise InputError(f"{option} {text}: give a time from {least_s:g} s to an hour")
        return found

    recover = fault.recover_after
    timing = Timing(
        at_s=given(when.at, "--at", 2.0),
        after_s=given(when.after, "--after", 1.0),
        longest_s=given(when.longest, "--longest", 1.0),
        calm_s=given(when.calm, "--calm", 1.0),
        recover_s=None if recover is None else given(recover, "--recover-after", 0.0),
    )
    if timing.longest_s < max(timing.after_s, timing.recover_s or 0.0) + timing.calm_s:
        raise InputError(
            f"--longest {when.longest} is shorter than --after or --recover-after with --calm: "
            "Headcount could not see users come back"
        )
    return timing


def _plan(
    name: str | None, target: Target, load: Load, server: Server, criteria: Criteria
) -> "Plan":
    from headcount import workloads
    from headcount.cli import running
    from headcount.controller.lab_settings import check_lab_settings
    from headcount.plan.resolve import resolve

    if name is None or target.target is None or load.users is None:
        raise InputError(
            "say what the users do, where, and how many there are: headcount failover web-static "
            "--target lab:nginx --users 50 --fault kill"
        )
    asked = running.Overrides(
        users=running.number(load.users, "--users"),
        ramp=load.ramp,
        settle=load.settle or "5s",
        think=load.think,
        pace=load.pace,
        moments=SLOT,
        criteria=running.criteria_of(criteria.criteria),
        rule=criteria.rule,
        authorised_by=target.authorised_by,
        server=running.settings(server.set_, "--set"),
        limits=running.limits(server.limit),
        client=running.client_settings(load.client, target.user),
        shares=target.shares,
        sources=load.source or [],
        scale=load.scale,
        seed=load.seed,
        workload_sha256=workloads.sha256(name),
    )
    asked = agent_options.with_agents(asked, load)
    plan = resolve(workloads.load(name), target.target, asked)
    check_lab_settings(plan)
    return plan


def _show(found: "Failover") -> None:
    from headcount.report.terminal import failover as terminal

    terminal.answer(found, out)
