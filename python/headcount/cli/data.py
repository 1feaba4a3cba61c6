"""`headcount prepare` and `headcount cleanup`: the data set on the system under test."""

from typing import Annotated

import typer
from rich.progress import Progress

from headcount import workloads
from headcount.cli import options
from headcount.cli.console import err, out, print_json
from headcount.cli.secrets import secrets_for
from headcount.cli.settings import client_settings
from headcount.controller.sut import connect
from headcount.errors import InputError
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve

Workload = Annotated[str, typer.Argument(help="A workload's name (headcount workloads).")]


def prepare(
    workload: Workload,
    users: Annotated[int, typer.Option(min=1, help="Make the data of this many users.")],
    target: options.Target = None,
    seed: options.Seed = None,
    scale: options.Scale = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read what is there and repair what is damaged.")
    ] = False,
    shares: options.Shares = None,
    user: options.User = None,
    client: options.Client = None,
    authorised_by: options.AuthorisedBy = None,
    password_file: options.PasswordFile = None,
    token_file: options.TokenFile = None,
    json: options.Json = False,
) -> None:
    """Make a workload's data set, to be used by many runs.

    Runs use it when they have the same --scale (and, against an application server, the same
    --seed): headcount prepare home-folders --target smb://server/data --users 400 --scale 0.1
    """
    overrides = Overrides(
        seed=seed,
        scale=scale,
        shares=shares,
        client=client_settings(client, user),
        authorised_by=authorised_by,
    )
    plan = _plan(workload, target, overrides)
    if seed is None and plan.workload.data is not None:
        raise InputError("give --seed: a run finds the data set by its seed (and its --scale)")
    secrets = secrets_for(plan, token_file, password_file)
    with connect(plan, secrets) as sut, Progress(console=err, disable=json) as bar:
        task = bar.add_task("preparing", total=users)
        made = sut.access.prepare(
            users, lambda done, _: bar.update(task, completed=done), verify=verify
        )
        bar.update(task, completed=users)
    tree = plan.workload.tree
    if json:
        print_json(
            {
                "users": users,
                "created_users": made.created_users,
                "kept_users": made.kept_users,
                "written_bytes": made.written_bytes,
                "seed": plan.seed if tree is None else tree.seed,
                "scale": plan.scale,
            }
        )
    else:
        out.print(
            f"The data of {users:,} user{'' if users == 1 else 's'} is ready: "
            f"made for {made.created_users:,}, there for "
            f"{made.kept_users:,} ({made.written_bytes / 1e6:,.1f} MB written)."
        )


def cleanup(
    target: options.Target = None,
    workload: Annotated[
        str | None, typer.Option(help="The workload whose data it is, if not the usual one.")
    ] = None,
    shares: options.Shares = None,
    user: options.User = None,
    client: options.Client = None,
    authorised_by: options.AuthorisedBy = None,
    password_file: options.PasswordFile = None,
    token_file: options.TokenFile = None,
    json: options.Json = False,
) -> None:
    """Delete the data set that Headcount made on a target, and nothing else."""
    overrides = Overrides(
        seed=0, shares=shares, client=client_settings(client, user), authorised_by=authorised_by
    )
    plan = _plan(workload, target, overrides)
    secrets = secrets_for(plan, token_file, password_file)
    hidden = json or not err.is_terminal
    with (
        connect(plan, secrets) as sut,
        Progress(console=err, disable=hidden, transient=True) as bar,
    ):
        task = bar.add_task("deleting", total=None)
        told = sut.access.cleanup(lambda done, of: bar.update(task, completed=done, total=of))
    if json:
        print_json({"cleaned": told})
    else:
        out.print(told, markup=False)


USUAL = {"app": "app-server", "smb": "home-folders"}
"""A workload of each protocol, for deleting its data set."""


def _plan(workload: str | None, target: str | None, overrides: Overrides) -> Plan:
    if target is None or target.startswith("lab:"):
        raise InputError(
            "give --target, such as smb://host/share or app://host:port; a lab server's data goes "
            "with the server"
        )
    name = workload or USUAL[targets.parse(target).protocol]
    return resolve(workloads.load(name), target, overrides)
