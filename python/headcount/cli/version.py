"""`headcount --version`."""

from typing import Annotated

import typer


def _print(*, wanted: bool) -> None:
    if wanted:
        from headcount import __version__

        print(f"headcount {__version__}")
        raise typer.Exit


def options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=lambda value: _print(wanted=value),
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Find how many users a server holds, what stops it there, and what should be changed.

    Answers exit with 0 (passed), 1 (criteria failed), 2 (bad input), 3 (target unreachable),
    4 (invalid run), 5 (this machine cannot), 130 (interrupted).
    """
