"""`headcount diagnose`: what stopped the server of a run."""

from pathlib import Path
from typing import Annotated

import typer

from headcount.bundle import reader
from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.errors import InputError

EPILOG = """
Examples:

headcount diagnose runs/20261120T101500-app-server-lab-app  # what stopped the server

headcount diagnose runs/20261120T101500-app-server-lab-app --json
"""


def diagnose(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A run's folder.")],
    json: options.Json = False,
) -> None:
    """Say what stopped the server of a run, how sure that is, and what it rests on.

    It is found anew from the bundle's levels and seconds, also of runs older than diagnoses.
    """
    of_run(bundle, json=json)


def of_run(folder: Path, *, json: bool) -> None:
    """Diagnose a bundle and print all of it."""
    # Statistics take half a second to load; other verbs do not need them.
    from headcount.analyse.diagnosis import diagnose as diagnosed
    from headcount.report import terminal

    found = diagnosed(reader.load(folder))
    if found is None:
        raise InputError(
            f"{folder} has no finished level to diagnose "
            f"(headcount resume {folder} goes on with it)"
        )
    if json:
        print_json({"bundle": str(folder), "diagnosis": found.model_dump(mode="json")})
        return
    terminal.diagnosis(found, out)
