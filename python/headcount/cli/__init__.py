"""The command line: one file a verb, this one the table of contents."""

import re
import signal
import sys
import traceback
from types import FrameType

import typer

from headcount.cli import (
    audit,
    bundles,
    compare,
    data,
    diagnose,
    disk,
    export,
    gate,
    history,
    predict,
    price,
    published,
    run,
    serve,
    shares,
    sort,
    storage,
    version,
    watch,
    workloads,
)
from headcount.cli.console import fail
from headcount.errors import ExitCode, HeadcountError

app = typer.Typer(
    name="headcount",
    help="How many users will this server hold, what stops it there, and what should be changed?",
    epilog="Start with: headcount run app-server --target lab:app --quick",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback()(version.options)
app.command("run", no_args_is_help=True, epilog=run.EPILOG)(run.run)
app.command("prepare", no_args_is_help=True)(data.prepare)
app.command("cleanup", no_args_is_help=True)(data.cleanup)
app.add_typer(serve.app, name="serve")
app.add_typer(workloads.app, name="workloads")
app.add_typer(storage.app, name="storage")
app.command("disk", no_args_is_help=True, epilog=disk.EPILOG)(disk.disk)
app.command("sort", no_args_is_help=True, epilog=sort.EPILOG)(sort.sort)
app.command("shares", no_args_is_help=True, epilog=shares.EPILOG)(shares.shares)
app.command("diagnose", no_args_is_help=True, epilog=diagnose.EPILOG)(diagnose.diagnose)
app.command("compare", no_args_is_help=True, epilog=compare.EPILOG)(compare.compare)
app.command("gate", no_args_is_help=True, epilog=gate.EPILOG)(gate.gate)
app.command("history", epilog=history.EPILOG)(history.history)
app.command("predict", no_args_is_help=True, epilog=predict.EPILOG)(predict.predict)
app.command("watch", epilog=watch.EPILOG)(watch.watch)
app.command("audit", no_args_is_help=True, epilog=audit.EPILOG)(audit.audit)
app.command("published", epilog=published.EPILOG)(published.published)
app.command("runs")(bundles.runs)
app.command("show", no_args_is_help=True)(bundles.show)
app.command("report", no_args_is_help=True)(bundles.report)
app.command("export", no_args_is_help=True)(export.export)
app.command("price", no_args_is_help=True, epilog=price.EPILOG)(price.price)
app.command("resume", no_args_is_help=True)(bundles.resume)


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
        app(args=fold_criteria(sys.argv[1:]))
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
