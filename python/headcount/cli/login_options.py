"""The option that names a file of users and passwords."""

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.options import TARGET

Logins = Annotated[
    Path | None,
    typer.Option(
        "--logins",
        metavar="FILE",
        help="CSV file with the columns username and password: user n logs on as row n. For web, "
        "file and mail servers, Redis and PostgreSQL.",
        rich_help_panel=TARGET,
    ),
]
