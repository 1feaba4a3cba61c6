"""`headcount diagnose`: what stopped the server of a run, or limits one with a log of counters."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.bundle import reader
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.reader import Bundle
from headcount.cli import diagnose_log as logs
from headcount.cli import options
from headcount.cli.console import err, out, print_json
from headcount.cli.outputs import bundle_folder, check_file
from headcount.errors import InputError

if TYPE_CHECKING:
    from headcount.controller.confirm import Confirmation

EPILOG = """
Examples:

headcount diagnose runs/20261120T101500-app-server-lab-app  # what stopped the server of a run

headcount diagnose runs/20261120T101500-app-server-lab-app --confirm  # test it, on a lab server

headcount diagnose perfmon.csv --profile file-server  # a slow server's log

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
    confirm: Annotated[
        bool,
        typer.Option(
            "--confirm",
            help="For a run on a lab server: restart it, alternate between all and 70% of the "
            "named resource, and check whether throughput follows.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Show what stops a server, with evidence and confidence.

    For a run: what set its capacity, recomputed from its levels and seconds. For a log of
    counters: the rules that it breaks.
    """
    if explain is not None:
        logs.explain(explain, rules)
        return
    paths = [bundle_folder(path) for path in what or []]
    if not paths:
        raise InputError("nothing to diagnose: name a run's folder or logs of counters")
    if not any(is_bundle(path) for path in paths):
        if confirm:
            raise InputError("--confirm needs the bundle of a run on a lab server")
        check_file(output, "--output", ".html")
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
        raise InputError(
            "more than one path with a bundle: name one bundle, or only logs of counters"
        )
    given = (profile, start, end, cpus, memory, spindles, rules)
    if any(value is not None for value in given):
        raise InputError(
            f"{paths[0]} is a folder: --profile, --from, --to, --cpus, --memory, --spindles and "
            "--rules are for logs of counters"
        )
    if output is not None:
        raise InputError(f"--output is for logs; to report a run: headcount report {paths[0]}")
    of_run(paths[0], confirm=confirm, json=json)


def is_bundle(path: Path) -> bool:
    """Whether a path is meant as a run's folder; archives of PCP are folders too."""
    return path.is_dir() and not any(path.glob("*.meta*")) and not any(path.glob("*.index"))


def of_run(folder: Path, *, confirm: bool, json: bool) -> None:
    """Diagnose a bundle and print all of it."""
    # Statistics take half a second to load; other verbs do not need them.
    from headcount.analyse.diagnosis import diagnose as diagnosed
    from headcount.analyse.failures import failures_of
    from headcount.report import terminal

    bundle = reader.load(folder)
    found = diagnosed(bundle)
    if found is None:
        raise InputError(
            f"{folder} has no finished level to diagnose (headcount resume {folder} continues it)"
        )
    failures = failures_of(bundle.levels)
    if not json:
        terminal.failures(failures, out)
        terminal.diagnosis(found, out)
    proof = _confirmed(bundle, found, quiet=json) if confirm else None
    if json:
        answer = {
            "bundle": str(folder),
            "failures": [failure.model_dump(mode="json") for failure in failures],
            "diagnosis": found.model_dump(mode="json"),
        }
        print_json(answer | ({"confirmation": asdict(proof)} if proof is not None else {}))
    elif proof is not None:
        out.print(proof.sentence, markup=False)


def _confirmed(bundle: Bundle, found: Diagnosis, *, quiet: bool) -> "Confirmation":
    """Test the diagnosis on the lab's server."""
    from headcount.cli.display import Display
    from headcount.cli.secrets import secrets_for
    from headcount.controller.confirm import confirm

    with Display(err, quiet=quiet) as display:
        return confirm(bundle, found, secrets_for(bundle.plan, None, None), display)
