"""`headcount diagnose`: what stopped the server of a run, or limits one with a log of counters."""

from pathlib import Path
from typing import Annotated

import typer

from headcount.bundle import reader
from headcount.cli import diagnose_log as logs
from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.errors import InputError

EPILOG = """
Examples:

headcount diagnose runs/20261120T101500-app-server-lab-app  # what stopped the server of a run

headcount diagnose perfmon.csv --profile file-server  # a slow server, and a log of its counters

headcount diagnose sa22 -o findings.html

headcount diagnose --explain M-01
"""


def diagnose(
    what: Annotated[
        list[Path] | None,
        typer.Argument(metavar="BUNDLE|LOG...", help="A run's folder, or logs of counters."),
    ] = None,
    profile: logs.Profile = None,
    start: logs.From = None,
    end: logs.To = None,
    cpus: logs.Cpus = None,
    memory: logs.Memory = None,
    spindles: logs.Spindles = None,
    rules: logs.Rules = None,
    explain: logs.Explain = None,
    output: logs.Output = None,
    json: options.Json = False,
) -> None:
    """Say what stops a server, how sure that is, and what it rests on.

    Of a run: what set its capacity, found anew from its levels and seconds, also of runs older
    than diagnoses. Of a log of counters, for those who have no run: the rules that it breaks.
    """
    if explain is not None:
        logs.explain(explain, rules)
        return
    paths = what or []
    if not paths:
        raise InputError("say what to diagnose: a run's folder, or logs of counters")
    if not any(path.is_dir() for path in paths):
        logs.diagnose_log(
            paths,
            profile=profile,
            start=start,
            end=end,
            cpus=cpus,
            memory=memory,
            spindles=spindles,
            rules=rules,
            output=output,
            json=json,
        )
        return
    if len(paths) > 1:
        raise InputError("one run at a time: give one bundle, or logs of counters alone")
    given = (profile, start, end, cpus, memory, spindles, rules)
    if any(value is not None for value in given):
        raise InputError(
            f"{paths[0]} is a folder: --profile, --from, --to, --cpus, --memory, --spindles and "
            "--rules are for logs of counters"
        )
    if output is not None:
        raise InputError(f"the report of a run is written with: headcount report {paths[0]}")
    of_run(paths[0], json=json)


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
