"""`headcount audit`: whether a run is valid, its bundle consistent, and as it was written."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from headcount.cli import options
from headcount.cli.console import err, out, print_json
from headcount.cli.outputs import bundle_folder, check_bundle
from headcount.errors import ExitCode, HeadcountError, InputError
from headcount.foreign.damage import DAMAGE
from headcount.text import clean

if TYPE_CHECKING:
    from headcount.analyse.audit.audit import Recomputed
    from headcount.analyse.audit.evidence import Evidence
    from headcount.analyse.audit.result import Audit

EPILOG = """
Examples:

headcount audit runs/20261120T101500-app-server-lab-app

headcount audit BUNDLE --sign ~/.ssh/id_ed25519  # vouch for it, if it passes

headcount audit BUNDLE --verify ada.pub  # it must be signed, by this key

headcount audit --published  # the derived figures of published results
"""
MARKS = {
    "passed": "[green]passed[/]",
    "failed": "[bold red]failed[/]",
    "unknown": "[yellow]cannot be checked[/]",
}


def audit(
    bundle: Annotated[Path | None, typer.Argument(metavar="BUNDLE", help="A run's folder.")] = None,
    sign: Annotated[
        Path | None,
        typer.Option(
            "--sign",
            "--key",
            metavar="KEY",
            help="Sign the bundle with this OpenSSH private key if no check fails.",
        ),
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option(
            "--verify",
            metavar="PUBLIC-KEY",
            help="Require a signature by this key or by a listed signer.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Also fail if a check cannot be made.")
    ] = False,
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="Recompute the derived figures of published results instead."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Check that a run is valid and its bundle consistent and unchanged.

    Figures are recomputed from the seconds and histograms; each finding has its place.
    """
    if published:
        if bundle is not None or sign is not None or verify is not None:
            raise InputError("--published stands alone: it is about no bundle")
        from headcount.cli.audit_published import audit_published

        audit_published(json=json)
        return
    if bundle is None:
        raise InputError("say which bundle to audit (headcount runs lists them)")
    if sign is not None and verify is not None:
        raise InputError("give one of --sign and --verify: what was just signed needs no check")
    bundle = bundle_folder(bundle)
    if sign is not None and bundle.is_dir():
        check_bundle(bundle)
    found = audited(bundle, verify)
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)
    unknown = [one.check for one in found.results if one.outcome == "unknown"]
    if found.outcome == "failed" or (strict and unknown):
        if sign is not None:
            err.print("Not signed: a check failed.", markup=False)
        raise typer.Exit(ExitCode.FAILED)
    if sign is not None:
        err.print(f"Signed: {_signed(bundle, sign)}", markup=False)


def audited(bundle: Path, keys: Path | None = None) -> "Audit":
    """Audit a bundle; with `keys` it must be signed by one of them."""
    from headcount.analyse.audit import audit as audits
    from headcount.analyse.audit.evidence import gather
    from headcount.bundle import reader, signing

    if bundle.is_dir() and reader.under_way(bundle):
        raise InputError(f"{bundle} is being written now; audit it when the run has ended")
    evidence = gather(bundle)
    signature = signing.check(bundle, keys)
    return audits.audit(evidence, again(evidence), signature, wanted=keys is not None)


def again(evidence: "Evidence") -> "Recomputed":
    """The answer, report and table as this version computes them."""
    from headcount.analyse.audit.audit import Recomputed
    from headcount.bundle import table as parquet
    from headcount.bundle.columns import totals
    from headcount.controller.diagnosis import diagnosed
    from headcount.controller.recomputed_verdict import recomputed_verdict
    from headcount.report import assemble
    from headcount.report.html import render

    lines = totals(evidence.lines)
    table = parquet.totals_of_table(evidence.folder)
    bundle = evidence.bundle
    if bundle is None or bundle.verdict is None:
        return Recomputed(None, None, lines, table)
    verdict, report = None, None
    try:
        verdict = recomputed_verdict(bundle.folder, bundle.plan, bundle.levels, bundle.verdict)
        verdict = diagnosed(verdict, bundle)
        if bundle.verdict.diagnosis is None:
            bundle = replace(bundle, verdict=diagnosed(bundle.verdict, bundle))
        report = render(assemble.assemble(bundle))
    except (HeadcountError, *DAMAGE):
        pass  # a damaged bundle, which other checks report
    return Recomputed(verdict, report, lines, table)


def _signed(bundle: Path, key: Path) -> Path:
    from headcount.bundle import manifest, signing

    if manifest.read(bundle) is None:
        manifest.write(bundle)
    return signing.sign(bundle, key)


def _print(found: Any) -> None:
    from headcount.analyse.audit.result import place_text

    table = Table(box=None, header_style="bold")
    table.add_column("check", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("finding", overflow="fold")
    for one in found.results:
        table.add_row(one.check, MARKS[one.outcome], Text(clean(one.sentence)))
    out.print(table)
    for one in found.results:
        if len(one.places) > 1:
            out.print(f"\n[bold]{one.check}[/]: {one.title}")
            for place in one.places:
                out.print(f"  {place_text(place)}", markup=False)
    out.print(f"\n{found.sentence}", markup=False)
