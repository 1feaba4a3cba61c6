"""The command line: one file a verb, this one the table of contents."""

import sys

import typer

from headcount.cli import bundles, data, run, serve, version, workloads
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
app.command("run", no_args_is_help=True)(run.run)
app.command("prepare", no_args_is_help=True)(data.prepare)
app.command("cleanup", no_args_is_help=True)(data.cleanup)
app.add_typer(serve.app, name="serve")
app.add_typer(workloads.app, name="workloads")
app.command("runs")(bundles.runs)
app.command("show", no_args_is_help=True)(bundles.show)
app.command("report", no_args_is_help=True)(bundles.report)
app.command("resume", no_args_is_help=True)(bundles.resume)


def main() -> None:
    """Run the command line; every error on purpose is one message and an exit code."""
    try:
        app()
    except HeadcountError as error:
        fail(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        fail("interrupted")
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has gone; there is nobody to tell
        sys.exit(ExitCode.PASSED)
