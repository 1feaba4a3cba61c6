"""`headcount diagnose`: what stopped the server of a run, or limits one with a log of counters."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import diagnose_log as logs
from headcount.cli import options
from headcount.cli.console import err, out, print_json
from headcount.cli.grouped import grouped
from headcount.cli.outputs import bundle_folder, check_file
from headcount.errors import ExitCode, InputError
from headcount.fields.units import seconds
from headcount.text import shell_path

if TYPE_CHECKING:
    from headcount.bundle.confirmation import Confirmation
    from headcount.bundle.diagnosis import Diagnosis
    from headcount.bundle.reader import Bundle

CONFIRM_TIME = "2m"
"""For two or three experiments of six rounds; an interval hardly gets narrower with more."""
EPILOG = """
Examples:

headcount diagnose runs/20261120T101500-app-server-lab-app  # what stopped the server of a run

headcount diagnose runs/20261120T101500-shop-http-shop --confirm  # test it by experiments

headcount diagnose perfmon.csv --profile file-server  # a slow server's log

headcount diagnose sa22 -o findings.html

headcount diagnose --explain M-01

headcount diagnose --explain A-05  # a tip of 1998, and its knobs today
"""


@dataclass(frozen=True)
class Log:
    """How a log is read."""

    profile: logs.Profile = None
    start: logs.From = None
    end: logs.To = None
    cpus: logs.Cpus = None
    memory: logs.Memory = None
    spindles: logs.Spindles = None
    rules: logs.Rules = None
    explain: logs.Explain = None


@dataclass(frozen=True)
class Experiments:
    """How a run's diagnosis is tested."""

    confirm: Annotated[
        bool,
        typer.Option(
            "--confirm",
            help="For a run: test the diagnosis by experiments on its server, with the run's users "
            "in short turns. A lab server is restarted.",
        ),
    ] = False
    confirm_time: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="With --confirm: time for all experiments together; default 2m."
        ),
    ] = None
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET",
            help="With --confirm: another server that uses the same upstream, to load in turn.",
        ),
    ] = None
    allow_nudge: Annotated[
        bool,
        typer.Option(
            "--allow-nudge",
            help="With --confirm, as root on the server's machine: cut the CPU of the server's "
            "control group in turns, and give it back.",
        ),
    ] = False


@grouped
def diagnose(
    log: Log,
    experiments: Experiments,
    what: Annotated[
        list[Path] | None,
        typer.Argument(metavar="BUNDLE|LOG...", help="A run's folder, or logs of counters."),
    ] = None,
    output: logs.Output = None,
    token_file: options.TokenFile = None,
    password_file: options.PasswordFile = None,
    authorised_by: options.AuthorisedBy = None,
    json: options.Json = False,
) -> None:
    """Show what stops a server, with evidence and confidence.

    For a run: what set its capacity, recomputed from its levels and seconds. For a log of
    counters: the rules that it breaks.
    """
    if log.explain is not None:
        logs.explain(log.explain, log.rules)
        return
    paths = [bundle_folder(path) for path in what or []]
    if not paths:
        raise InputError("nothing to diagnose: name a run's folder or logs of counters")
    if not any(is_bundle(path) for path in paths):
        if experiments.confirm:
            raise InputError("--confirm needs the bundle of a run, whose server it tests")
        check_file(output, "--output", ".html")
        logs.diagnose_log(
            paths,
            profile=log.profile,
            start=log.start,
            end=log.end,
            cpus=log.cpus,
            memory=log.memory,
            spindles=log.spindles,
            rules=log.rules,
            output=output,
            json=json,
        )
        return
    if len(paths) > 1:
        raise InputError(
            "more than one path with a bundle: name one bundle, or only logs of counters"
        )
    given = (log.profile, log.start, log.end, log.cpus, log.memory, log.spindles, log.rules)
    if any(value is not None for value in given):
        raise InputError(
            f"{paths[0]} is a folder: --profile, --from, --to, --cpus, --memory, --spindles and "
            "--rules are for logs of counters"
        )
    if output is not None:
        raise InputError(
            f"--output is for logs; to report a run: headcount report {shell_path(paths[0])}"
        )
    how = Confirming(
        experiments.confirm_time,
        experiments.beside,
        experiments.allow_nudge,
        token_file,
        password_file,
    )
    if not experiments.confirm and how != NOT_CONFIRMING:
        raise InputError(
            "--confirm-time, --beside, --allow-nudge, --token-file and --password-file are for "
            "experiments: add --confirm"
        )
    # With --confirm given or not: it may be set in the environment.
    how = replace(how, authorised_by=authorised_by)
    of_run(paths[0], how if experiments.confirm else None, json=json)


def is_bundle(path: Path) -> bool:
    """Whether a path is meant as a run's folder; archives of PCP are folders too."""
    return path.is_dir() and not any(path.glob("*.meta*")) and not any(path.glob("*.index"))


@dataclass(frozen=True)
class Confirming:
    """How the diagnosis is tested, as the command line says; None is the default."""

    time: str | None = None
    beside: str | None = None
    allow_nudge: bool = False
    token_file: Path | None = None
    password_file: Path | None = None
    authorised_by: str | None = None


NOT_CONFIRMING = Confirming()


def of_run(folder: Path, how: Confirming | None, *, json: bool) -> None:
    """Diagnose a bundle and print all of it; test it if `how` is given."""
    # Statistics take half a second to load; other verbs do not need them.
    from headcount.analyse.diagnosis.diagnose import diagnose as diagnosed
    from headcount.analyse.failures import failures_of
    from headcount.bundle import reader
    from headcount.report import terminal

    bundle = reader.load(folder)
    found = diagnosed(bundle)
    if found is None:
        raise InputError(
            f"{folder} has no finished level to diagnose (headcount resume {shell_path(folder)} "
            "continues it)"
        )
    failures = failures_of(bundle.levels)
    if not json:
        terminal.failures(failures, out)
        terminal.diagnosis(found, out, None if how else bundle.confirmation)
    proof = bundle.confirmation if how is None else _confirmed(bundle, found, how, quiet=json)
    if json:
        answer = {
            "bundle": str(folder),
            "failures": [failure.model_dump(mode="json") for failure in failures],
            "diagnosis": found.model_dump(mode="json"),
            "confirmation": None if proof is None else proof.model_dump(mode="json"),
        }
        print_json(answer)
    elif how is not None and proof is not None:
        out.print(proof.sentence, markup=False)
        if proof.next_step is not None:
            out.print(f"Next: {proof.next_step}", markup=False)
    if how is not None and proof is not None and proof.ending == "interrupted":
        raise typer.Exit(ExitCode.INTERRUPTED)


def _confirmed(
    bundle: "Bundle", found: "Diagnosis", how: Confirming, *, quiet: bool
) -> "Confirmation":
    """Test the diagnosis on the server of the run, and keep the answer in the bundle."""
    from headcount.bundle import confirmation, manifest
    from headcount.cli.display import Display
    from headcount.cli.secrets import secrets_for
    from headcount.controller.confirm import confirm
    from headcount.controller.experiments.stage import Options
    from headcount.plan.consent import with_consent

    bundle = replace(bundle, plan=with_consent(bundle.plan, how.authorised_by))
    confirmation.ensure_writable(bundle.folder)  # before experiments that take minutes
    secrets = secrets_for(bundle.plan, how.token_file, how.password_file)
    asked = Options(seconds(how.time or CONFIRM_TIME), how.beside, how.allow_nudge)
    with Display(err, quiet=quiet) as display:
        proof = confirm(bundle, found, secrets, display, asked)
    if manifest.is_signed(bundle.folder):
        err.print(f"{bundle.folder} is signed, so the answer is not stored in it", markup=False)
    else:
        confirmation.write(proof, bundle.folder)
    return proof
