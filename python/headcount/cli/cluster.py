"""`headcount cluster`: several machines made one load generator, over SSH."""

import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.cli import options
from headcount.cli.console import err, print_json, print_text
from headcount.errors import ExitCode, InputError, SystemLimitError

if TYPE_CHECKING:
    from headcount.cluster.hosts import HostsFile

app = typer.Typer(
    no_args_is_help=True,
    epilog="Start with: headcount cluster check hosts.toml (headcount cluster up -h has a file)",
)

Hosts = Annotated[Path, typer.Argument(metavar="HOSTS.TOML", help="The file that names them.")]
Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="The cluster; needed if there are several."),
]


@app.callback()
def machines() -> None:
    """Make several machines one load generator, over SSH.

    The machines need nothing but Python of the same version as here: Headcount, its libraries and
    Ray are sent to them. A token and certificates made for this cluster protect it.
    """


UP = """
Example of a file:

[cluster]
name = "lab"

[[host]]
address = "ssh://ada@load1"

[[host]]
address = "ssh://ada@load2"

Then: headcount cluster up hosts.toml
"""


@app.command("up", no_args_is_help=True, epilog=UP)
def up(hosts: Hosts, json: options.Json = False) -> None:
    """Start a cluster on the machines of a file, and print how to use it.

    It sends this build of Headcount over SSH, where it is not there yet, and starts Ray with a
    token and TLS. If one machine fails, or you press Ctrl-C, it ends what it has started.
    """
    from headcount.cluster.hosts import load

    found = load(hosts)
    cluster = _room("up").Up(hosts, found, _note).start()
    address = f"ray://{cluster.head}"
    agents = sum(1 for one in cluster.nodes if one.cpus)
    if json:
        print_json({"name": cluster.name, "address": address, "agents": agents})
        return
    number = "1 machine" if agents == 1 else f"{agents} machines"
    print_text(f"The cluster {cluster.name} is up, with {number} for agents:")
    print_text("")
    where = cluster.head_node
    program = "headcount" if where.address is None else shlex.quote(f"{where.run}/headcount")
    if where.address is not None:
        print_text(f"  log in to {where.address}, then:")
    print_text(f"  {program} run WORKLOAD --agents {agents} --cluster {address} ...")
    print_text(f"  headcount cluster down {cluster.name}   # when you are done")


@app.command(
    "check",
    epilog="Example: headcount cluster check hosts.toml --target http://10.0.0.7",
)
def check(
    hosts: Annotated[
        Path | None,
        typer.Argument(
            metavar="HOSTS.TOML",
            help="The file that names them; without, those of the cluster that is up.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="Have each machine connect to this target, without load."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Show what the machines of a cluster lack for load tests, and how to fix it.

    It starts nothing and leaves nothing there. Exits with 0 if all of them are ready, with 5 if
    not.
    """
    from headcount.cli.cluster_tables import show_checked

    name, found = _named(hosts)
    place = _place(target)
    checks = _room("checks")
    asked = checks.Asked(found, name, _room("shipping").Build(), place)
    result = checks.checked(asked)
    if json:
        print_json([_fields(one) for one in result])
    else:
        show_checked(result, has_target=place is not None)
    if any(one.problems for one in result):
        raise typer.Exit(ExitCode.UNSUITABLE)


@app.command("status", epilog="Example: headcount cluster status")
def status(name: Name = None, json: options.Json = False) -> None:
    """Show which machines of a cluster are up, and when its certificates expire.

    Exits with 0 if all of them are, with 5 if not.
    """
    from headcount.cli.cluster_tables import show_status
    from headcount.cluster import state

    cluster = state.only(name)
    if cluster is None:
        if json:
            print_json(None)
        else:
            print_text("No cluster is up: headcount cluster up HOSTS.TOML starts one")
        return
    nodes = _room("status").statuses(cluster)
    if json:
        about = cluster.model_dump(mode="json", include={"name", "head", "version", "expires_s"})
        print_json({**about, "nodes": [_fields(one) for one in nodes]})
    else:
        show_status(cluster, nodes)
    if not (cluster.is_up and all(one.is_alive for one in nodes)):
        raise typer.Exit(ExitCode.UNSUITABLE)


@app.command("down", epilog="Example: headcount cluster down lab")
def down(
    name: Name = None,
    keep_files: Annotated[
        bool,
        typer.Option("--keep-files", help="Leave Headcount there, so that up does not resend it."),
    ] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget machines that cannot be reached.")
    ] = False,
) -> None:
    """End a cluster: its processes, and all files that it has on its machines.

    It ends only what it started. Machines that it cannot reach are named, with a command that
    does the same there; a second down tries them again.
    """
    from headcount.cluster import state

    cluster = state.only(name)
    if cluster is None:
        print_text("No cluster is up")
        return
    room = _room("down")
    left = room.end(cluster, _note, keep_files=keep_files)
    if not left:
        print_text(f"The cluster {cluster.name} has ended")
        return
    if forget:
        state.forget(cluster.name)
    lines = [f"{one.why}\n  there: {one.remedy}" for one in left]
    again = "" if forget else f"\nThen: headcount cluster down {cluster.name}"
    raise SystemLimitError("something is left: " + "\n".join(lines) + again)


def _named(path: Path | None) -> "tuple[str, HostsFile]":
    """The cluster's name and machines, from their file or from the cluster that is up."""
    from headcount.cluster.hosts import load, name_of
    from headcount.cluster.state import only

    if path is not None:
        found = load(path)
        return name_of(path, found), found
    cluster = only(None)
    if cluster is None:
        raise InputError("no cluster is up; name a file: headcount cluster check hosts.toml")
    return cluster.name, cluster.hosts


def _note(text: str) -> None:
    err.print(text, markup=False)


def _room(name: str) -> Any:
    """A module of the cluster, which needs libraries that are optional."""
    try:
        return import_module(f"headcount.cluster.{name}")
    except ModuleNotFoundError as error:
        raise InputError(
            f"a cluster needs {error.name}, which is not installed: pip install "
            "'headcount[cluster]'"
        ) from error


def _place(target: str | None) -> tuple[str, int] | None:
    """Where a target listens."""
    if target is None:
        return None
    from headcount.plan.target import parse

    found = parse(target)
    if found.host is None or found.port is None:
        raise InputError(f"--target {target}: give the address of a server, such as http://host")
    return found.host, found.port


def _fields(one: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(one)
