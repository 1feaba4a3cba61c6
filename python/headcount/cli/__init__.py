"""The command line: one file a verb, and their table of contents in `verbs`."""

import re
import signal
import sys
import traceback
from collections.abc import Iterable, Sequence
from types import FrameType

import typer

from headcount.cli import version
from headcount.cli.console import fail
from headcount.cli.verbs import VERBS, open_rooms
from headcount.errors import ExitCode, HeadcountError


def app_of(verbs: Iterable[str] = VERBS) -> typer.Typer:
    """The command line with these verbs; their rooms are opened for it, and no others."""
    app = typer.Typer(
        name="headcount",
        help="How many users will this server hold, what stops it there, and what should be "
        "changed?",
        epilog="Start with: headcount run app-server --target lab:app --quick",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(version.options)
    return open_rooms(app, verbs)


def _asked(arguments: Sequence[str]) -> Iterable[str]:
    """The verb of a command line; all of them where it has none, for help and slips of the pen."""
    if list(arguments) == ["--version"]:
        return ()
    return arguments[:1] if arguments and arguments[0] in VERBS else VERBS


ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a run in an orderly way."""


def fold_criteria(arguments: list[str]) -> list[str]:
    """Let one `--criteria` take several: `--criteria "p95<=1s" "overload<1%"`."""
    folded: list[str] = []
    given = 0  # values that the `--criteria` at hand has got
    for argument in arguments:
        if given and not argument.startswith("-") and re.search("[<>]", argument):
            folded[-1] += f" {argument}"
            continue
        given = 1 if folded and folded[-1] == "--criteria" else 0
        folded.append(argument)
    return folded


def main() -> None:
    """Run the command line; every error on purpose is one message and an exit code."""
    for name in ENDS:
        if signal.getsignal(name) != signal.SIG_IGN:  # as nohup asks for
            signal.signal(name, _interrupt)
    try:
        arguments = sys.argv[1:]
        app_of(_asked(arguments))(args=fold_criteria(arguments))
    except HeadcountError as error:
        fail(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        fail("interrupted")
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has gone; there is nobody to tell
        sys.exit(ExitCode.PASSED)
    except Exception:  # noqa: BLE001 - 1 would mean that criteria failed
        traceback.print_exc()
        fail("this is a defect of Headcount; please report it with the lines above")
        sys.exit(ExitCode.DEFECT)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Interrupt once: what then keeps the results and stops the server must not be cut short."""
    for name in ENDS:
        signal.signal(name, signal.SIG_IGN)
    raise KeyboardInterrupt
