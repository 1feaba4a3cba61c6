"""`headcount prepare` and `headcount cleanup`: the data set on the system under test."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import agent_options, options
from headcount.cli.console import err, out, print_json
from headcount.cli.grouped import grouped
from headcount.cli.login_options import Logins
from headcount.cli.secrets import secrets_for
from headcount.cli.settings import client_settings
from headcount.errors import InputError
from headcount.output.file import ensure_folder

if TYPE_CHECKING:
    from headcount.controller.access import Prepared
    from headcount.plan.plan import Plan
    from headcount.plan.resolve import Overrides

Workload = Annotated[str, typer.Argument(help="A workload's name (headcount workloads).")]
Folder = Annotated[
    Path | None,
    typer.Option(metavar="PATH", help="A folder on this machine for a web server's pages."),
]
Users = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1_000_000,
        help="Make data for this many users; required except for web servers.",
    ),
]

OWN = {"sql": "statements", "smb": "paths", "files": "paths"}
"""What workloads without a data set have, by protocol."""


@dataclass(frozen=True)
class Access:
    """How the users reach the target."""

    shares: options.Shares = None
    user: options.User = None
    client: options.Client = None
    authorised_by: options.AuthorisedBy = None
    password_file: options.PasswordFile = None
    logins: Logins = None
    token_file: options.TokenFile = None


@grouped
def prepare(
    workload: Workload,
    access: Access,
    users: Users = None,
    target: options.Target = None,
    folder: Folder = None,
    seed: options.Seed = None,
    scale: options.Scale = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check existing data and repair what is damaged.")
    ] = False,
    agents: agent_options.Agents = None,
    cluster: agent_options.Cluster = None,
    json: options.Json = False,
) -> None:
    """Make a workload's data set, for many runs.

    Runs use it when they have the same --scale (and, against an application server, the same
    --seed): headcount prepare home-folders --target smb://server/data --users 400 --scale 0.1

    Pages cannot be uploaded to a web server. --folder writes them for it to serve: headcount
    prepare web-static --folder /var/www/html/headcount. With --target http://... alone, it checks
    the pages that the server serves: a sample, or all of them with --verify.
    """
    # The models and the engine take half a second to load; the help does not need them.
    from rich.progress import Progress

    from headcount.cli.logins import named_plan
    from headcount.controller.access.prepare import made_by
    from headcount.controller.access.prepare import prepare as make_data
    from headcount.controller.sut import connect
    from headcount.plan.resolve import Overrides

    overrides = Overrides(
        seed=seed,
        scale=scale,
        shares=access.shares,
        client=client_settings(access.client, access.user),
        authorised_by=access.authorised_by,
        agents=agents,
        cluster=cluster,
    )
    if folder is not None:
        _prepare_folder(workload, target, folder, overrides, verify=verify, json=json)
        return
    plan = _plan(workload, target, overrides)
    if _is_all_own(plan):
        _print_all_own(plan, json=json)
        return
    _check_given(plan, users, seed)
    users = users or 1
    plan, rows = named_plan(_of_users(plan, users), access.logins)
    secrets = secrets_for(plan, access.token_file, access.password_file, rows)
    with (
        connect(plan, secrets) as sut,
        made_by(sut.access, plan.agents, plan.target),
        Progress(console=err, disable=json) as bar,
    ):
        task = bar.add_task("preparing", total=users)
        made = make_data(
            sut.access, users, lambda done, _: bar.update(task, completed=done), verify=verify
        )
        bar.update(task, completed=users)
    if plan.workload.protocol == "http":
        _print_checked(plan, verify=verify, json=json)
    else:
        _print_made(plan, users, made, json=json)


def _check_given(plan: "Plan", users: int | None, seed: int | None) -> None:
    if users is None and plan.workload.protocol != "http":
        raise InputError("give --users: how many users to make data for")
    if seed is None and plan.workload.data is not None:
        raise InputError("give --seed: a run finds the data set by its seed (and its --scale)")


def _is_all_own(plan: "Plan") -> bool:
    """Whether the workload needs no data."""
    is_known = plan.workload.protocol in OWN
    return is_known and plan.discussion is None and plan.data_set is None


def _print_all_own(plan: "Plan", *, json: bool) -> None:
    if json:
        from headcount.controller.access.access import NOTHING

        _print_made(plan, 0, NOTHING, json=True)
        return
    own = OWN[plan.workload.protocol]
    out.print(f"The workload has only {own} of your own: there is nothing to prepare.")


def _print_made(plan: "Plan", users: int, made: "Prepared", *, json: bool) -> None:
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


def _prepare_folder(
    workload: str,
    target: str | None,
    folder: Path,
    overrides: "Overrides",
    *,
    verify: bool,
    json: bool,
) -> None:
    """Write the pages of a workload into a folder, and print how to serve them."""
    from rich.progress import Progress

    from headcount import workloads
    from headcount.controller.folder import write_pages
    from headcount.plan.resolve import resolve

    loaded = workloads.load(workload)
    if loaded.pages is None or (target or "").startswith("lab:"):
        raise InputError(
            "--folder is for workloads with [pages], such as web-static, and for web servers "
            "outside the lab"
        )
    plan = resolve(loaded, target or "http://localhost/", overrides)
    ensure_folder(folder, "--folder")
    with Progress(console=err, disable=json) as bar:
        task = bar.add_task("writing", total=None)
        made = write_pages(
            plan.pages or loaded.pages,
            folder,
            lambda done, of: bar.update(task, completed=done, total=of),
            verify=verify,
        )
        bar.update(task, completed=1, total=1)
    if json:
        print_json(
            {
                "folder": str(folder),
                "created_pages": made.created,
                "kept_pages": made.kept,
                "written_bytes": made.written_bytes,
                "scale": plan.scale,
            }
        )
        return
    out.print(
        f"{made.created + made.kept:,} pages are in {folder}: {made.created:,} written, "
        f"{made.kept:,} there ({made.written_bytes / 1e6:,.1f} MB written).",
        markup=False,
    )
    url = target.rstrip("/") if target else "http://YOUR-SERVER"
    program = f"; {folder}/cgi-bin/page must run as a CGI program" if plan.asks_for_cgi else ""
    scale = f" --scale {plan.scale:g}" if plan.scale != 1 else ""
    out.print(
        f"Have the web server serve that folder at {url}/{program}. Then: "
        f"headcount prepare {workload}{scale} --target {url} looks at what it serves.",
        markup=False,
    )


def _print_checked(plan: "Plan", *, verify: bool, json: bool) -> None:
    pages = plan.pages
    if pages is None or not plan.workload.asked:
        raise InputError(f'the workload "{plan.workload.name}" has no [pages]: nothing to prepare')
    if json:
        print_json({"target": plan.target, "all_pages": verify, "scale": plan.scale})
        return
    which = "All pages" if verify else "The pages checked (one of each class and place)"
    out.print(f"{which} are served as they should be by {plan.target}.", markup=False)


def cleanup(
    target: options.Target = None,
    folder: Folder = None,
    workload: Annotated[
        str | None, typer.Option(help="The workload that the data belongs to, if not the default.")
    ] = None,
    shares: options.Shares = None,
    user: options.User = None,
    client: options.Client = None,
    authorised_by: options.AuthorisedBy = None,
    password_file: options.PasswordFile = None,
    logins: Logins = None,
    token_file: options.TokenFile = None,
    json: options.Json = False,
) -> None:
    """Delete the data set that Headcount made on a target or in a --folder, and nothing else."""
    from rich.progress import Progress

    from headcount.cli.logins import named_plan
    from headcount.controller.folder import delete_pages
    from headcount.controller.sut import connect
    from headcount.plan.resolve import Overrides

    if folder is not None:
        text = delete_pages(folder)
        if json:
            print_json({"cleaned": text})
        else:
            out.print(text, markup=False)
        return
    overrides = Overrides(
        seed=0, shares=shares, client=client_settings(client, user), authorised_by=authorised_by
    )
    plan = _plan(workload, target, overrides)
    plan, rows = named_plan(_of_users(plan, 1), logins)
    secrets = secrets_for(plan, token_file, password_file, rows)
    hidden = json or not err.is_terminal
    with (
        connect(plan, secrets) as sut,
        Progress(console=err, disable=hidden, transient=True) as bar,
    ):
        task = bar.add_task("deleting", total=None)
        text = sut.access.cleanup(lambda done, of: bar.update(task, completed=done, total=of))
    if json:
        print_json({"cleaned": text})
    else:
        out.print(text, markup=False)


def _of_users(plan: "Plan", users: int) -> "Plan":
    """The plan with that many users, each of whom needs a row of `--logins`. No level is played."""
    return plan.model_copy(update={"levels": [users]})


def _plan(workload: str | None, target: str | None, overrides: "Overrides") -> "Plan":
    from headcount import workloads
    from headcount.plan import target as targets
    from headcount.plan.resolve import resolve
    from headcount.protocols.registry import protocol_of

    if target is None or target.startswith("lab:"):
        raise InputError(
            "give --target, such as smb://host/share, file:///folder or app://host:port, or for "
            "the pages of a web server --folder; a lab server's data is deleted with the server"
        )
    name = workload or protocol_of(targets.parse(target).protocol).usual_workload
    return resolve(workloads.load(name), target, overrides)
