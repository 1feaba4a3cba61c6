"""`headcount prepare` and `headcount cleanup`: the data set on the system under test."""

from typing import Annotated

import typer
from rich.progress import Progress

from headcount import workloads
from headcount.cli import options
from headcount.cli.console import err, out, print_json
from headcount.controller.access import secrets_from
from headcount.controller.sut import connect
from headcount.errors import InputError
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
    authorised_by: options.AuthorisedBy = None,
    token_file: options.TokenFile = None,
    json: options.Json = False,
) -> None:
    """Make a workload's data set, to be used by many runs.

    Runs use it when they have the same seed and scale: headcount prepare app-server --target
    app://host:7410 --users 400 --seed 7, then headcount run ... --seed 7.
    """
    if seed is None:
        raise InputError("give --seed: a run finds the data set by its seed (and its --scale)")
    plan = _plan(workload, target, seed, scale, authorised_by)
    with connect(plan, secrets_from(token_file)) as sut, Progress(console=err, disable=json) as bar:
        task = bar.add_task("preparing", total=users)
        sut.access.prepare(users, lambda done, _: bar.update(task, completed=done), verify=verify)
        bar.update(task, completed=users)
    size_bytes = users * plan.file_bytes
    if json:
        print_json({"users": users, "bytes": size_bytes, "seed": seed, "scale": plan.scale})
    else:
        out.print(f"The data of {users:,} users is ready ({size_bytes / 1e6:,.1f} MB).")


def cleanup(
    target: options.Target = None,
    authorised_by: options.AuthorisedBy = None,
    token_file: options.TokenFile = None,
    workload: Annotated[str, typer.Option(help="The workload whose data it is.")] = "app-server",
    json: options.Json = False,
) -> None:
    """Delete the data set that Headcount made on a target, and nothing else."""
    plan = _plan(workload, target, 0, None, authorised_by)
    with connect(plan, secrets_from(token_file)) as sut:
        told = sut.access.cleanup()
    if json:
        print_json({"cleaned": told})
    else:
        out.print(told, markup=False)


def _plan(
    workload: str, target: str | None, seed: int, scale: float | None, authorised_by: str | None
) -> Plan:
    if target is None or target.startswith("lab:"):
        raise InputError(
            "give --target protocol://host:port; a lab server's data goes with the server"
        )
    overrides = Overrides(seed=seed, scale=scale, authorised_by=authorised_by)
    return resolve(workloads.load(workload), target, overrides)
