"""`headcount shares`: what shares, sessions and open files cost a file server."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import latency, options
from headcount.cli.console import err, out, print_json
from headcount.cli.grouped import grouped
from headcount.cli.outputs import check_runs
from headcount.cli.secrets import secrets_for
from headcount.cli.settings import client_settings, setting
from headcount.errors import ExitCode, InputError

if TYPE_CHECKING:
    from headcount.controller.shares.design import Experiment

EPILOG = """
Examples:

headcount shares --target lab:samba  # memory: about ten minutes

headcount shares --target lab:samba --shares 1,50 --connections 1,5 --open-files 0,5  # a minute

headcount shares --target lab:samba --shares 1,8000 --capacity  # and the capacity with each

headcount shares --target lab:samba --latency 0,15ms,100ms  # users far away: six minutes, as root

headcount shares --target smb://127.0.0.1/data --user "u{n:04}" --pid 4711
"""
MOST_SHARES = 100_000
MOST_CONNECTIONS = 10_000
MOST_NET_USES = 1_000
MOST_FILES = 10_000
MOST_REPEATS = 20


@dataclass(frozen=True)
class Held:
    """What users hold while memory is read."""

    shares: Annotated[
        str | None, typer.Option(help="Numbers of shares: 1,1000,8000 (the default in the lab).")
    ] = None
    connections: Annotated[str, typer.Option(help="Numbers of connections to hold.")] = "1,20,100"
    net_uses: Annotated[
        str, typer.Option(help="Net uses per connection; 1 is always included.")
    ] = "1,10"
    open_files: Annotated[
        str, typer.Option(help="Open files per connection; 0 is always included.")
    ] = "0,10,100"
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_REPEATS,
            help="Repeats of each combination (default 1; 3 with --latency).",
        ),
    ] = None
    latency: Annotated[
        str | None,
        typer.Option(
            help="Instead: what latencies do to the memory of connections at work: 0,15ms,100ms. "
            "Plays as many users as the largest of --connections. lab:samba and lab:nginx only."
        ),
    ] = None


@dataclass(frozen=True)
class Search:
    """How the capacity is found."""

    capacity: Annotated[
        bool,
        typer.Option("--capacity", help="Also search for the capacity with each number of shares."),
    ] = False
    budget: Annotated[
        str | None, typer.Option(help="Time for each search (default three minutes).")
    ] = None
    levels: Annotated[
        str | None, typer.Option(help="A ladder of levels instead of the searches: 50,100.")
    ] = None
    duration: Annotated[
        str | None,
        typer.Option(help="Measured part of the ladder's levels, or with --latency (20s)."),
    ] = None


@grouped
def shares(
    held: Held,
    search: Search,
    target: options.Target = None,
    pid: Annotated[
        int | None, typer.Option(min=1, help="Process ID of a server on this machine.")
    ] = None,
    seed: options.Seed = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Setting of a lab server: signing=auto."),
    ] = None,
    user: options.User = None,
    client: options.Client = None,
    authorised_by: options.AuthorisedBy = None,
    password_file: options.PasswordFile = None,
    runs: options.Runs = options.RUNS,
    json: options.Json = False,
) -> None:
    """Measure a file server's memory per share, connection and open file.

    Headcount holds connections, connections to shares and open files while it reads the server's
    memory. It fits the cost of each, with a 95% interval, and prints it beside that of Windows NT
    4.0 in Microsoft's study of 1998. With --latency, users work at several distances instead.
    Ctrl-C keeps what was measured.
    """
    if held.latency is not None:
        settings = (_server(set_), client_settings(client, user))
        others = {**_not_with_latency(held, search), "--pid": pid is not None}
        users = _numbers(held.connections, "--connections", 1, MOST_CONNECTIONS)[-1]
        far = latency.Wanted(held.latency, users, held.repeats, search.duration, seed)
        latency.measure(target, far, settings, others, runs, json=json)
        return
    from headcount import workloads
    from headcount.controller.shares.design import Experiment
    from headcount.plan import target as targets

    if target is None or targets.parse(target).protocol != "smb":
        raise InputError(
            "name the file server: --target lab:samba starts one here; for one already on this "
            "machine, give --target smb://127.0.0.1/share and --pid"
        )
    lab = targets.parse(target).lab is not None
    if lab and pid is not None:
        raise InputError(
            "--pid is for a server outside the lab; Headcount knows the processes of a lab server"
        )
    experiment = Experiment(
        workload=workloads.load("shares"),
        target=target,
        shares=_numbers(held.shares or ("1,1000,8000" if lab else "1"), "--shares", 1, MOST_SHARES),
        connections=_numbers(held.connections, "--connections", 1, MOST_CONNECTIONS),
        net_uses=_numbers(held.net_uses, "--net-uses", 1, MOST_NET_USES),
        open_files=_numbers(held.open_files, "--open-files", 0, MOST_FILES),
        repeats=held.repeats or 1,
        seed=1 if seed is None else seed,
        runs=runs,
        pid=pid,
        server=_server(set_),
        client=client_settings(client, user),
        authorised_by=authorised_by,
    )
    _check(experiment, lab=lab)
    _check_search(search, has_memory=lab or pid is not None)
    check_runs(runs)
    wanted: dict[str, object] = {"quick": search.levels is None, "budget": search.budget}
    wanted |= {"levels": search.levels, "duration": search.duration}
    _measure(experiment, password_file, wanted, capacity=search.capacity, json=json)


def _measure(
    experiment: "Experiment",
    password_file: Path | None,
    wanted: dict[str, object],
    *,
    capacity: bool,
    json: bool,
) -> None:
    # Statistics and the engine take half a second to load; other verbs do not need them.
    from headcount.analyse.shares import NOT_OBSERVED
    from headcount.cli.display import Display
    from headcount.cli.held import HeldDisplay
    from headcount.controller.shares.capacity import ENOUGH, capacities
    from headcount.controller.shares.run import Run, shares_plan
    from headcount.plan import target as targets
    from headcount.report.terminal import shares as report

    secrets = secrets_for(shares_plan(experiment, experiment.shares[0]), None, password_file)
    seen = experiment.pid is not None or targets.parse(experiment.target).lab is not None
    with HeldDisplay(err, quiet=json) as shown:
        run = Run(experiment, secrets, shown)
        found = run.measure() if seen else None
    if found is None and not json:
        err.print(f"{NOT_OBSERVED}.", markup=False)
    if (capacity or not seen) and (found is None or found.outcome == "finished"):
        with Display(err, quiet=json) as display:
            known = []
            for one, verdict in capacities(experiment, secrets, lambda: display, **wanted):
                known.append(one)
                ended = verdict.outcome in ENOUGH
                found = run.add(known, "finished" if ended else "interrupted")
    if found is None:
        return
    if json:
        print_json({**found.model_dump(mode="json"), "folder": str(run.folder)})
    else:
        report.show(found, out)
        out.print(f"Results: {run.folder}", markup=False)
    if found.outcome == "interrupted":
        raise typer.Exit(ExitCode.INTERRUPTED)


def _server(texts: list[str] | None) -> dict[str, str]:
    """The settings of a lab server."""
    return dict(setting(text, "--set") for text in texts or [])


def _not_with_latency(held: Held, search: Search) -> dict[str, bool]:
    """Options that mean nothing with --latency, and whether each was given."""
    return {
        "--shares": held.shares is not None,
        "--net-uses": held.net_uses != Held.net_uses,
        "--open-files": held.open_files != Held.open_files,
        "--capacity": search.capacity,
        "--budget": search.budget is not None,
        "--levels": search.levels is not None,
    }


def _check(experiment: "Experiment", *, lab: bool) -> None:
    """Refuse points that cannot be distinguished, or are too many to hold."""
    if not lab and len(experiment.shares) > 1:
        raise InputError(
            f"the shares of {experiment.target} are fixed: give --shares one number, how many "
            "its pattern names; lab:samba is started with each number"
        )
    if lab and any(text.startswith("shares") for text in experiment.server):
        raise InputError("--set shares=... is what --shares is for")
    most = max(experiment.connections) * max(*experiment.open_files, 1)
    if most > 1_000_000:
        raise InputError(
            f"{most:,} open files at a time are more than this experiment holds (1,000,000): lower "
            "--connections or --open-files"
        )


def _check_search(search: Search, *, has_memory: bool) -> None:
    """Refuse options of the capacity where only memory is measured."""
    if search.capacity or not has_memory:
        return
    given = {"--levels": search.levels, "--budget": search.budget, "--duration": search.duration}
    for option in (name for name, value in given.items() if value is not None):
        raise InputError(f"{option} is for the capacity: add --capacity, or leave it out")


def _numbers(text: str, option: str, least: int, most: int) -> list[int]:
    """The numbers of a comma-separated list, each once, ascending."""
    words = [word.strip().replace("_", "") for word in text.split(",")]
    if not all(re.fullmatch(r"[0-9]{1,9}", word) for word in words):
        raise InputError(f'{option} is "{text}"; write numbers with commas: {option} 1,20,100')
    found = sorted({int(word) for word in words})
    if found[0] < least or found[-1] > most:
        raise InputError(f"{option} is {text}; each must be from {least:,} to {most:,}")
    return found
