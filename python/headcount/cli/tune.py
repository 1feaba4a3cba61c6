"""`headcount tune`: change a server's settings under load, and keep what is proved to help."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import agent_options, options
from headcount.cli.console import err, out, print_json
from headcount.cli.grouped import grouped
from headcount.cli.outputs import bundle_folder, check_runs
from headcount.cli.run_options import Criteria, Server, Target
from headcount.errors import ExitCode, InputError, TargetError
from headcount.fields.units import seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headcount.bundle.tuning import Tuning
    from headcount.counters.address import Address
    from headcount.plan.plan import Plan
    from headcount.plan.resolve import Overrides
    from headcount.tune.start import PilotOf, Wanted

EPILOG = """
Examples:

headcount tune --target lab:nginx --workload web-mix  # half an hour, and nothing stays changed

headcount tune --target http://127.0.0.1:8080/ --workload web-static --goal p95@400 --budget 10m

headcount tune --target lab:nginx --set workers=1 --workload web-mix --allow worker_processes
"""
BUDGET = "30m"
LEAST_BUDGET_S = 60.0
MOST_TURN_S = 120.0
LEVEL, SETTLE = "20s", "3s"
"""Length and settling of the level that shows what binds at a given number of users."""


Workload = Annotated[
    str | None,
    typer.Option(
        "--workload",
        "-w",
        metavar="WORKLOAD",
        help="What the users do: a workload's name or file.",
        rich_help_panel=options.TARGET,
    ),
]


@dataclass(frozen=True)
class Goal:
    """What to improve, and in which time."""

    goal: Annotated[
        str,
        typer.Option(
            metavar="GOAL",
            help="capacity: more users; p95@USERS: shorter response times at that number; cost: "
            "less CPU per scenario; log-on, log-on@USERS: less time to log on.",
        ),
    ] = "capacity"
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="Time for the trials; more shows smaller gains.")
    ] = BUDGET
    turn: Annotated[
        str,
        typer.Option(metavar="TIME", help="Measured part of a turn; longer turns scatter less."),
    ] = "5s"
    trials: Annotated[
        int | None, typer.Option(min=1, help="Most configurations to try; default: the budget's.")
    ] = None
    table: Annotated[
        str | None,
        typer.Option(
            metavar="USERS,...",
            help="Loads at which the winner is compared with the server as it was, such as "
            "500,1000,2000; default: from a quarter of the trials' load to all of it.",
        ),
    ] = None
    pilot: Annotated[
        bool,
        typer.Option(
            "--pilot",
            help="Compare the winner with the pilot's modules, too (headcount pilot), as root.",
        ),
    ] = False
    from_: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="BUNDLE",
            help="A run of this target and workload with its diagnosis, instead of a new one.",
        ),
    ] = None


@dataclass(frozen=True)
class Changes:
    """What may be changed."""

    knob: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Try these knobs only, whatever the diagnosis says."),
    ] = None
    allow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Allow a knob that somebody has set, or that risks data or security.",
        ),
    ] = None
    change_set: Annotated[
        bool,
        typer.Option("--change-set", help="Allow changes to anything the configuration sets."),
    ] = False
    kernel: Annotated[
        bool,
        typer.Option(
            "--kernel",
            help="Try kernel settings of its machine, too, as root; other programs notice them.",
        ),
    ] = False
    restarts: Annotated[
        bool,
        typer.Option(
            "--restarts",
            help="Allow restarts, which clients notice, for settings that need one. A lab server "
            "is restarted without this.",
        ),
    ] = False
    restart_command: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="What restarts the server, for --restarts; default: its systemd service.",
        ),
    ] = None
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Keep the changes that are proved to help."),
    ] = False
    restore: Annotated[
        bool,
        typer.Option(
            "--restore",
            help="Undo what an earlier tuning has left: an interrupted one, or --apply.",
        ),
    ] = False
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ssh://USER@HOST",
            help="The server's machine, if it is not this one: its settings are changed, and its "
            "counters read, over SSH.",
        ),
    ] = None
    knobs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Knobs of your own (headcount knobs shows the format)."),
    ] = None


@dataclass(frozen=True)
class Load:
    """How users play."""

    client: options.Client = None
    scale: options.Scale = None
    seed: options.Seed = None
    agents: agent_options.Agents = None
    cluster: agent_options.Cluster = None
    users_per_agent: agent_options.UsersPerAgent = None
    equal_users: agent_options.EqualUsers = False
    local_ips: agent_options.LocalIps = None


@grouped
def tune(
    target: Target,
    goal: Goal,
    changes: Changes,
    server: Server,
    criteria: Criteria,
    load: Load,
    workload: Workload = None,
    runs: options.Runs = options.RUNS,
    json: options.Json = False,
) -> None:
    """Try a server's settings under load, and show which changes help, with proof.

    A quick search finds what limits the server. The settings that can matter there are tried in
    pairs of short turns against the best so far; the winner is proved in further turns. Nothing
    stays changed: however the tuning ends, everything is put back.
    """
    if changes.restore:
        _restore(changes.host)
        return
    from headcount.cli.logins import named_plan
    from headcount.cli.secrets import secrets_for
    from headcount.cli.tune_display import TuneDisplay
    from headcount.tune.start import tune as tuned

    wanted = _wanted(target, goal, changes)
    asked = _overrides(target, server, criteria, load, wanted.goal.users)
    asked = replace(asked, sources=[changes.host] if changes.host is not None else [])
    plan = _plan(workload, target.target, asked)
    check_runs(runs)
    plan, rows = named_plan(plan, target.logins)
    secrets = secrets_for(plan, target.token_file, target.password_file, rows)
    with TuneDisplay(err, quiet=json) as display:
        folder, found = tuned(plan, wanted, runs, secrets, display)
    if json:
        print_json({**found.model_dump(mode="json"), "bundle": str(folder)})
    else:
        _show(found, folder)
    if found.ending == "interrupted":
        raise typer.Exit(ExitCode.INTERRUPTED)


def _address(text: str | None) -> "Address | None":
    from headcount.counters import address

    if text is None:
        return None
    found = address.parse(text)
    if found.kind != "ssh":
        raise InputError(f"--host {text}: give a login, such as ssh://root@web1")
    return found


def _restore(machine: str | None) -> None:
    from headcount.tune.left import journals_folder, restore, to_undo
    from headcount.tune.start import host_of

    with host_of(_address(machine)) as host:
        found = to_undo(host)
        if not found:
            where = f"{journals_folder(host)} of {host.name}"
            out.print(f"nothing to undo: no tuning has left changes in {where}", markup=False)
        problems = []
        for one in found:
            if (problem := restore(host, one, _note)) is not None:
                problems.append(f"{problem}; see {one.folder}")
            else:
                out.print(f"undone: {one.folder}", markup=False)
        if problems:
            raise TargetError(f"not everything could be undone: {'; '.join(problems)}")


def _note(text: str) -> None:
    err.print(text, markup=False)


def _overrides(
    target: Target, server: Server, criteria: Criteria, load: Load, users: int | None
) -> "Overrides":
    """The run before the trials: a quick search, or one level of that many users."""
    from headcount.cli import running

    is_search = users is None
    asked = running.Overrides(
        search=is_search,
        quick=is_search,
        users=users,
        duration=None if is_search else LEVEL,
        settle=None if is_search else SETTLE,
        criteria=running.criteria_of(criteria.criteria),
        rule=criteria.rule,
        authorised_by=target.authorised_by,
        server=running.settings(server.set_, "--set"),
        limits=running.limits(server.limit),
        client=running.client_settings(load.client, target.user),
        shares=target.shares,
        scale=load.scale,
        seed=load.seed,
    )
    return agent_options.with_agents(asked, load)


def _plan(name: str | None, target: str | None, asked: "Overrides") -> "Plan":
    from headcount import workloads
    from headcount.controller.lab_settings import check_lab_settings
    from headcount.plan.resolve import resolve

    if target is None or name is None:
        raise InputError(
            "say what to tune and what its users do: --target lab:nginx --workload web-mix"
        )
    workload = workloads.load(name)
    if asked.sources:
        _check_elsewhere(target, {**workload.client, **asked.client})
    plan = resolve(workload, target, replace(asked, workload_sha256=workloads.sha256(name)))
    check_lab_settings(plan)
    return plan


def _check_elsewhere(text: str, client: "Mapping[str, str]") -> None:
    """Raise InputError if the target is on this machine: its processes are not those of --host."""
    from headcount.plan import gate
    from headcount.plan import target as targets
    from headcount.plan.reached import reached

    target = targets.parse(text)
    if target.host is None:
        raise InputError("--host is for a server on another machine; this target is on this one")
    address = gate.addresses(*reached(target, client))[0]
    if gate.is_own(address):
        raise InputError(
            f"{text} is an address of this machine, and --host is for a server on another one; "
            "give the server's own address, not that of a tunnel"
        )


def _wanted(target: Target, goal: Goal, changes: Changes) -> "Wanted":
    from headcount.cli import running
    from headcount.tune import goal as goals
    from headcount.tune.choose import Asked
    from headcount.tune.knobs.library import check_names, own
    from headcount.tune.start import Wanted

    budget_s = seconds(goal.budget)
    if budget_s < LEAST_BUDGET_S:
        raise InputError(f"--budget {goal.budget} is too short: give it a minute or more")
    own_knobs = own(changes.knobs) if changes.knobs is not None else None
    check_names("--knob", changes.knob or (), own_knobs)
    check_names("--allow", changes.allow or (), own_knobs)
    return Wanted(
        goal=goals.parse(goal.goal),
        budget_s=budget_s,
        turn_s=_turn_s(goal.turn),
        trials=goal.trials,
        table=_table(goal.table),
        host=_address(changes.host),
        asked=Asked(
            allowed=frozenset(changes.allow or ()),
            only=frozenset(changes.knob or ()),
            change_set=changes.change_set,
            restarts=changes.restarts or changes.restart_command is not None,
        ),
        own=own_knobs,
        baseline=bundle_folder(goal.from_) if goal.from_ is not None else None,
        named=running.named(target.pid, target.unit, target.cgroup, target.container),
        apply=changes.apply,
        restart_command=changes.restart_command,
        kernel=changes.kernel,
        pilot=_pilot(changes.host) if goal.pilot else None,
    )


def _pilot(machine: str | None) -> "PilotOf":
    import os

    from headcount.pilot.alongside import Alongside

    if machine is not None:
        raise InputError("--pilot works on the server's own machine: run headcount tune there")
    if os.geteuid() != 0:
        raise InputError(
            "--pilot: only root may give a server priority over others; run it as root"
        )
    return Alongside


def _table(text: str | None) -> list[int]:
    from headcount.fields.units import MOST_USERS, count

    return [] if text is None else [count(one, "--table", MOST_USERS) for one in text.split(",")]


def _turn_s(text: str) -> float:
    found = seconds(text, "--turn")
    if not 1 <= found <= MOST_TURN_S:
        raise InputError(f"--turn {text}: a turn is measured for 1 s to {MOST_TURN_S:g} s")
    return found


def _show(found: "Tuning", folder: Path) -> None:
    from headcount.report.terminal import tuning
    from headcount.tune.install import install_lines

    tuning.answer(found, out)
    for line in install_lines(found.files, folder, is_kept=found.kept):
        out.print(line, markup=False, soft_wrap=True)
    out.print(f"Bundle: {folder}", markup=False)
