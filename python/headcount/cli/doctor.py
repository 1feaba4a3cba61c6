"""`headcount doctor`: what this machine can and cannot do, and how to fix what it lacks."""

import platform

import typer

from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.errors import ExitCode, SystemLimitError

EPILOG = """
Examples:

headcount doctor

headcount doctor --json | jq '.checks[] | select(.verdict != "ok")'

sudo headcount doctor  # what root could do
"""


def doctor(*, json: options.Json = False) -> None:
    """Show what this machine lacks for load tests, and how to fix it.

    Checks it as load generator and as host of lab servers, in about a second, without root.
    Problems come first: what is limited or missing, what that means, and how to fix it.
    To try what a run needs, it makes a control group and a network, and removes them.

    Exits with 0 if headcount run app-server --target lab:app can work here, with 5 if not.
    """
    if platform.system() != "Linux":
        raise SystemLimitError(
            f"Headcount runs on Linux, and this is {platform.system()}; use a Linux machine, a "
            "virtual machine or a container"
        )
    from headcount.doctor.examine import examination
    from headcount.doctor.machine import Machine
    from headcount.report.terminal import examination as terminal

    found = examination(Machine())
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        terminal.show(found, out)
    if not found.plain_run_works:
        raise typer.Exit(ExitCode.UNSUITABLE)
