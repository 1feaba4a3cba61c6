"""`headcount predict`: what a measured server would hold with other hardware or other users."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.cli.outputs import bundle_folder
from headcount.errors import ExitCode, InputError

if TYPE_CHECKING:
    from headcount.analyse.prediction import Asked

EPILOG = """
Examples:

headcount predict runs/20261120T101500-home-folders-fs1 --cpus 2x  # twice the CPUs

headcount predict BUNDLE --disks 24->96 --network 10GbE  # both at once

headcount predict BUNDLE --users 10000  # what 10,000 users would get and need

headcount predict BUNDLE --criteria "p95<=500ms"  # the capacity for another criterion
"""


def predict(
    bundle: Annotated[
        Path, typer.Argument(metavar="BUNDLE", help="A run's folder.", callback=bundle_folder)
    ],
    cpus: Annotated[
        str | None, typer.Option(metavar="CHANGE", help="CPUs: 2x, 4, 2->4, 0.5.")
    ] = None,
    disks: Annotated[
        str | None,
        typer.Option(
            metavar="CHANGE", help="Disks: 2x, or 24->96 if the server's volume has 24 now."
        ),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory: 64GiB, or 32GiB->64GiB.")
    ] = None,
    network: Annotated[
        str | None, typer.Option(metavar="CHANGE", help="Network: 10GbE, 2x, 80Mbit/s.")
    ] = None,
    users: Annotated[
        int | None,
        typer.Option(min=1, max=200_000, help="Predict what this many users would get and need."),
    ] = None,
    criteria: Annotated[
        str | None,
        typer.Option(metavar="CRITERION", help="Use this criterion instead of the run's: p95<=1s."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Predict the capacity of a measured server with other hardware, or for other users.

    It uses what each scenario took of each resource, and the model that best predicts the run's
    own highest levels from the lower ones. If the run does not support an answer, it says what to
    measure instead (exit code 4).
    """
    # Statistics take half a second to load; other verbs do not need them.
    from headcount.analyse import prediction
    from headcount.bundle import reader
    from headcount.report.terminal import prediction as shown

    asked = _asked(cpus, disks, memory, network, users, criteria)
    loaded = reader.load(bundle)
    reader.ensure_run(loaded)
    found = prediction.predict(loaded, asked)
    if json:
        print_json({"bundle": str(bundle), "prediction": found.model_dump(mode="json")})
    else:
        shown.prediction(found, out)
    if found.outcome != "predicted":
        raise typer.Exit(int(ExitCode.INVALID))


def _asked(
    cpus: str | None,
    disks: str | None,
    memory: str | None,
    network: str | None,
    users: int | None,
    criteria: str | None,
) -> "Asked":
    from headcount.analyse.prediction import Asked, change

    given = (("cpu", cpus), ("disk", disks), ("network", network))
    changes = [change.parse(kind, text) for kind, text in given if text is not None]  # type: ignore[arg-type]
    if criteria is not None and criteria.count("<") > 1:
        raise InputError(f'"{criteria}" is several criteria; a capacity is predicted for one')
    return Asked(
        changes,
        float(users) if users is not None else None,
        change.memory(memory) if memory is not None else None,
        criteria,
    )
