"""A command line, read and run by Typer."""

import os
from collections.abc import Iterable, Sequence

import typer
from typer.exceptions import TyperException

from headcount.cli import version
from headcount.cli.command import Group
from headcount.cli.verbs import VERBS, list_verbs, open_rooms
from headcount.errors import ExitCode, InputError


def app_of(verbs: Iterable[str] | None = VERBS) -> typer.Typer:
    """The command line with these verbs loaded; with None, all verbs are only listed."""
    # To read options before a verb, Typer loads Pydantic, even if the line has none. That takes as
    # long as everything else that the help of a verb needs.
    has_options = verbs is None or verbs is VERBS
    app = typer.Typer(
        name="headcount",
        cls=Group,
        help="How many users will this server hold, what stops it there, and what should be "
        "changed?",
        epilog="Start with: headcount run app-server --target lab:app --quick",
        no_args_is_help=True,
        add_completion=has_options,
        add_help_option=has_options,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(version.options)
    return list_verbs(app) if verbs is None else open_rooms(app, verbs)


def play(arguments: Sequence[str], given: Sequence[str]) -> int:
    """Run a command line; returns its exit code.

    `given` is the line as it was typed. Raises InputError that says what is wrong with it.
    """
    try:
        app = app_of(_verb_of(arguments))
        code = app(args=list(arguments), prog_name="headcount", standalone_mode=False)
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # Typer has printed the help
            return ExitCode.BAD_INPUT
        from headcount.cli import usage

        raise InputError(usage.message(error, given)) from error
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # Click would exit with 1
            raise BrokenPipeError from ended
        raise
    return code or ExitCode.PASSED


def _verb_of(arguments: Sequence[str]) -> Iterable[str] | None:
    """The verb of a command line, all verbs for completion; None for help and typing errors."""
    if arguments and arguments[0] in VERBS:
        return arguments[:1]
    # Completion needs the options of verbs, too, and passes its words in the environment.
    return VERBS if any(name.startswith("_HEADCOUNT") for name in os.environ) else None
