"""The command line: one file a verb, and their table of contents in `verbs`."""

import errno
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterable, Sequence
from types import FrameType

import typer
from typer.exceptions import TyperException

from headcount.cli import start, usage, version
from headcount.cli.command import Group
from headcount.cli.console import err, fail
from headcount.cli.verbs import VERBS, list_verbs, open_rooms
from headcount.errors import ExitCode, HeadcountError, MachineLimitError
from headcount.foreign.damage import DAMAGE, reason
from headcount.secret_text import learn_line, redacted


def app_of(verbs: Iterable[str] | None = VERBS) -> typer.Typer:
    """The command line with these verbs, whose rooms are opened; None: all of them, only listed."""
    app = typer.Typer(
        name="headcount",
        cls=Group,
        help="How many users will this server hold, what stops it there, and what should be "
        "changed?",
        epilog="Start with: headcount run app-server --target lab:app --quick",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(version.options)
    return list_verbs(app) if verbs is None else open_rooms(app, verbs)


def _asked(arguments: Sequence[str]) -> Iterable[str] | None:
    """The verb of a command line; None where it has none, for help and slips of the pen."""
    if list(arguments) == ["--version"]:
        return ()
    if arguments and arguments[0] in VERBS:
        return arguments[:1]
    # Completion asks for the options of verbs, too, and its words are in the environment.
    return VERBS if any(name.startswith("_HEADCOUNT") for name in os.environ) else None


POINTER = "headcount doctor shows what this machine lacks"
"""The line below an error that comes of the machine."""
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


def expanded(arguments: Sequence[str]) -> list[str]:
    """Arguments with `~` as the home folder also where shells leave it: --output=~/report.html."""
    return [
        re.sub(r"^((?:--[\w-]+=)?)(~(?:/.*)?)$", lambda found: found[1] + _home(found[2]), argument)
        for argument in arguments
    ]


def _home(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 - a text before and after


def main() -> None:
    """Run the command line; every error on purpose is one message and an exit code."""
    for name in ENDS:
        if signal.getsignal(name) != signal.SIG_IGN:  # as nohup asks for
            signal.signal(name, _interrupt)
    sys.exit(run_line(sys.argv[1:]))


def run_line(arguments: Sequence[str]) -> int:  # noqa: PLR0911 - an exit code each
    """Run a command line; returns its exit code."""
    if not arguments and sys.stdout.isatty():
        print(start.GUIDE, end="")
        return ExitCode.PASSED
    learn_line(arguments)
    try:
        line = fold_criteria(expanded(arguments))
        return _played(line)
    except TyperException as error:
        if type(error).__name__ != "NoArgsIsHelpError":  # its help is printed already
            fail(usage.message(error, arguments))
        return ExitCode.BAD_INPUT
    except HeadcountError as error:
        fail(str(error))
        if isinstance(error, MachineLimitError):
            err.print(POINTER)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        fail("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # Nobody reads the output any more; what is left of it must not fail at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.PASSED
    except Exception as error:  # noqa: BLE001 - 1 would mean that criteria failed
        return _unexpected(error, arguments)


def _played(line: list[str]) -> int:
    """Run a command line to the last character that it prints; returns its exit code."""
    try:
        code = app_of(_asked(line))(args=line, prog_name="headcount", standalone_mode=False)
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # Click would exit with 1
            raise BrokenPipeError from ended
        raise
    if sys.stdout is not None:  # as it is where it was closed
        sys.stdout.flush()
    return code or ExitCode.PASSED


def _unexpected(error: Exception, arguments: Sequence[str]) -> int:
    """Print an error that nothing has explained; returns its exit code."""
    if isinstance(error, PermissionError) and error.filename is not None:
        fail(f"you have no permission to use {error.filename}; ask its owner for it")
        return ExitCode.UNSUITABLE
    if isinstance(error, OSError) and error.filename is None and error.errno == errno.ENOSPC:
        fail("cannot write standard output: the disk is full; redirect it to another one")
        return ExitCode.UNSUITABLE
    if isinstance(error, DAMAGE):
        from headcount.cli.damaged import damaged_bundle

        bundle = damaged_bundle(arguments)
        if bundle is not None:
            why = f"{bundle} is damaged, and cannot be evaluated ({reason(error)})"
            fail(f"{why}; headcount audit {bundle} lists all damage")
            return ExitCode.BAD_INPUT
    sys.stderr.write(redacted(traceback.format_exc()))
    fail("this is a defect of Headcount; please report it with the lines above")
    return ExitCode.DEFECT


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Interrupt once: what then keeps the results and stops the server must not be cut short."""
    for name in ENDS:
        signal.signal(name, signal.SIG_IGN)
    raise KeyboardInterrupt
