"""The command line: one file per verb, and their table of contents in `verbs`.

Modules that most commands do not need are imported where they are used: Typer and Rich take half
the CPU of `headcount --help`, and `headcount --version` needs neither.
"""

import errno
import os
import re
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from headcount import __version__
from headcount.errors import ExitCode, HeadcountError, MachineLimitError
from headcount.foreign.damage import DAMAGE, reason
from headcount.secret_text import learn_line, redacted

POINTER = "headcount doctor shows what this machine lacks"
"""Printed below an error that the machine causes."""
PANIC = "PanicException"
"""A panic of the engine. It is not an `Exception`, and no module exports its class."""
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a run in an orderly way."""


def fold_criteria(arguments: list[str]) -> list[str]:
    """Let one `--criteria` take several: `--criteria "p95<=1s" "overload<1%"`."""
    folded: list[str] = []
    given = 0  # values seen since the last `--criteria`
    for argument in arguments:
        if given and not argument.startswith("-") and re.search("[<>]", argument):
            folded[-1] += f" {argument}"
            continue
        given = 1 if folded and folded[-1] == "--criteria" else 0
        folded.append(argument)
    return folded


def expanded(arguments: Sequence[str]) -> list[str]:
    """The arguments with `~` expanded also where shells do not: --output=~/report.html."""
    return [
        re.sub(r"^((?:--[\w-]+=)?)(~(?:/.*)?)$", lambda found: found[1] + _home(found[2]), argument)
        for argument in arguments
    ]


def _home(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 - a text before and after


def main() -> None:
    """Run the command line and exit; a HeadcountError becomes one message and its exit code."""
    for name in ENDS:
        if signal.getsignal(name) != signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(name, _interrupt)
    sys.exit(run_line(sys.argv[1:]))


def run_line(arguments: Sequence[str]) -> int:
    """Run a command line; returns its exit code."""
    if not arguments and sys.stdout.isatty():
        from headcount.cli import start

        print(start.GUIDE, end="")
        return ExitCode.PASSED
    try:
        learn_line(arguments)
        return _dispatch(arguments)
    except HeadcountError as error:
        _fail(str(error))
        if isinstance(error, MachineLimitError):
            from headcount.cli.console import err

            err.print(POINTER)
        return error.exit_code
    except KeyboardInterrupt:
        _fail("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # of a command that ends only when its reader goes, as watch does
        _drop()
        return ExitCode.PASSED
    except BaseException as error:  # exit code 1 means that criteria failed
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise  # SystemExit, for example
        return _unexpected(error, arguments)


def _dispatch(arguments: Sequence[str]) -> int:
    """Run a command line and flush what it prints; returns its exit code."""
    if list(arguments) == ["--version"]:
        print(f"headcount {__version__}")
        code: int = ExitCode.PASSED
    else:
        from headcount.cli.line import play

        code = play(fold_criteria(expanded(arguments)), arguments)
    try:
        if sys.stdout is not None:  # None if it was closed
            sys.stdout.flush()
    except BrokenPipeError:
        _drop()
    return code


def _unexpected(error: BaseException, arguments: Sequence[str]) -> int:
    """Print an error that is not a HeadcountError; returns its exit code."""
    if isinstance(error, PermissionError) and error.filename is not None:
        _fail(f"you have no permission to use {error.filename}; ask its owner for it")
        return ExitCode.UNSUITABLE
    if isinstance(error, OSError) and error.filename is None and error.errno == errno.ENOSPC:
        _fail("cannot write standard output: the disk is full; redirect it to another one")
        return ExitCode.UNSUITABLE
    if isinstance(error, UnicodeEncodeError) and (place := _place_of_bytes(arguments)) is not None:
        _fail(f"argument {place} is not UTF-8 text; type it in UTF-8, or rename the file")
        return ExitCode.BAD_INPUT
    if isinstance(error, DAMAGE):
        from headcount.cli.damaged import damaged_bundle
        from headcount.text import shell_path

        bundle = damaged_bundle(arguments)
        if bundle is not None:
            why = f"{bundle} is damaged, and cannot be evaluated ({reason(error)})"
            _fail(f"{why}; headcount audit {shell_path(bundle)} lists all damage")
            return ExitCode.BAD_INPUT
    import traceback

    sys.stderr.write(redacted(traceback.format_exc()))
    _fail("this is a defect of Headcount; please report it with the lines above")
    return ExitCode.DEFECT


def _place_of_bytes(arguments: Sequence[str]) -> int | None:
    """Which argument, from 1, holds bytes that are not UTF-8; None if none does."""
    marked = re.compile("[\udc80-\udcff]")  # how Python reads them (PEP 383)
    return next((place for place, one in enumerate(arguments, 1) if marked.search(one)), None)


def _drop() -> None:
    """Drop what is left to print: flushing it at exit must not fail."""
    from headcount.cli.console import drop

    drop(sys.stdout)


def _fail(message: str) -> None:
    from headcount.cli.console import fail

    fail(message)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Interrupt once: keeping the results and stopping the server must not be cut short."""
    for name in ENDS:
        signal.signal(name, signal.SIG_IGN)
    raise KeyboardInterrupt
