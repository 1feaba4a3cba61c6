"""`headcount run`: find the capacity, or run levels."""

from typing import Annotated

import typer

from headcount.cli.grouped import grouped
from headcount.cli.run_options import (
    Advanced,
    Criteria,
    Load,
    Output,
    Search,
    Second,
    Server,
    Target,
)

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


@grouped
def run(
    what: Annotated[
        str, typer.Argument(metavar="WORKLOAD|PLAN", help="A workload's name, or a plan.toml.")
    ],
    target: Target,
    load: Load,
    search: Search,
    criteria: Criteria,
    server: Server,
    second: Second,
    output: Output,
    advanced: Advanced,
) -> None:
    """Play users against a server and find how many it holds.

    Without --users and --levels, Headcount searches for the capacity and states its 95% confidence
    interval. Ctrl-C stops within a second and keeps what was measured.
    """
    # The models and the engine take half a second to load; the help does not need them.
    from headcount.cli import running

    overrides = running.overrides(target, load, search, criteria, server, output, advanced)
    asked = running.Asked(
        what,
        target.target,
        running.named(target.pid, target.unit, target.cgroup, target.container),
        search.confirm,
    )
    secrets = running.Files(
        target.password_file, target.token_file, second.versus_password_file, target.logins
    )
    running.run(
        asked,
        overrides,
        running.given(second),
        secrets,
        output.runs,
        plan_only=output.plan_only,
        json=output.json,
    )
