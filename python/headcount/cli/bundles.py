"""`headcount runs`, `show`, `report`, `resume`: what runs left behind."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from headcount.cli import options
from headcount.cli.console import err, out, print_json
from headcount.cli.login_options import Logins
from headcount.cli.outputs import bundle_folder, check_bundle, check_file
from headcount.errors import HeadcountError, InputError
from headcount.output.file import ensure_writable
from headcount.text import clean, shell_path

if TYPE_CHECKING:
    from headcount.bundle.failover import Failover
    from headcount.bundle.reader import Bundle
    from headcount.bundle.tuning import Tuning

Folder = Annotated[
    Path, typer.Argument(metavar="BUNDLE", help="A run's folder.", callback=bundle_folder)
]


def runs(folder: options.Runs = options.RUNS, json: options.Json = False) -> None:
    """List the runs in a folder, oldest first."""
    from headcount.bundle import reader

    if folder.is_file():
        raise InputError(f"--runs {folder}: this is a file; give the folder that keeps bundles")
    rows = [_row(path) for path in reader.find(folder)]
    if json:
        print_json(rows)
        return
    if not rows:
        what = f"No runs in {folder}; make one: headcount run app-server --target lab:app"
        out.print(what, markup=False)
        return
    table = Table(box=None, header_style="bold")
    for column in ("bundle", "outcome", "answer"):
        table.add_column(column, overflow="fold")
    for row in rows:
        # Text, never Rich markup: an address such as [fd00::7] is not a style.
        table.add_row(*(Text(clean(row[key])) for key in ("bundle", "outcome", "answer")))
    out.print(table)


def _row(path: Path) -> dict[str, str]:
    from headcount.bundle import reader, versus

    try:
        found = reader.load(path)
        verdict, special = found.verdict, found.tuning or found.failover
        verb = reader.made_by(found)
    except HeadcountError as error:
        return {"bundle": str(path), "outcome": "damaged", "answer": str(error)}
    if reader.under_way(path):
        return {"bundle": str(path), "outcome": "under way", "answer": "being written now"}
    if verdict is None:
        alone = not (path / versus.FILE).exists() and verb is None
        answer = f"killed; go on with headcount resume {shell_path(path)}" if alone else "killed"
        return {"bundle": str(path), "outcome": "unfinished", "answer": answer}
    if special is not None:
        return {"bundle": str(path), "outcome": special.ending, "answer": special.sentence}
    return {"bundle": str(path), "outcome": verdict.outcome, "answer": verdict.sentence}


def _with_verdict(found: "Bundle") -> "Bundle":
    """The bundle with its answer, computed only if missing: that code is slow to load."""
    verdict = found.verdict
    has_failures = any(level.faults for level in found.levels)
    if verdict is not None and verdict.diagnosis and (verdict.failures or not has_failures):
        return found
    from headcount.controller import run as controller

    return controller.with_verdict(found)


def show(bundle: Folder, json: options.Json = False) -> None:
    """Show a run's answer, chart and levels."""
    from headcount.bundle import failover, reader, tuning, versus

    tuned = tuning.read(bundle)
    if tuned is not None:
        _show_tuning(tuned, bundle, json=json)
        return
    broken = failover.read(bundle)
    if broken is not None:
        _show_failover(broken, bundle, json=json)
        return
    found = _with_verdict(reader.load(bundle))
    proof = found.confirmation
    if json:
        print_json(
            {
                "bundle": str(bundle),
                "verdict": found.verdict.model_dump(mode="json") if found.verdict else None,
                "levels": [level.model_dump(mode="json") for level in found.levels],
                "confirmation": proof.model_dump(mode="json") if proof is not None else None,
            }
        )
        return
    if found.verdict is not None:
        from headcount.report import terminal
        from headcount.report.agents import fleets_of

        program = found.plan.workload.program
        played = program.text if program else None
        agents = fleets_of(found)
        terminal.summary(found.verdict, found.levels, out, found.environment, played, proof, agents)
    if reader.under_way(bundle):
        out.print("This run is still in progress.")
    elif found.verdict is None or found.verdict.outcome in reader.UNFINISHED:
        if versus.read(bundle) is None:
            again = f"go on with: headcount resume {shell_path(bundle)}"
        else:
            again = "it was measured in turn with another target: run both again with --versus"
        out.print(f"This run was not finished; {again}", markup=False)


def _show_tuning(tuned: "Tuning", bundle: Path, *, json: bool) -> None:
    """Show the result of a tuning and what it tried."""
    if json:
        print_json({"bundle": str(bundle), "tuning": tuned.model_dump(mode="json")})
        return
    from headcount.report.terminal import tuning

    tuning.answer(tuned, out)
    tuning.trials(tuned, out)


def _show_failover(found: "Failover", bundle: Path, *, json: bool) -> None:
    """Show what users felt of faults."""
    if json:
        print_json({"bundle": str(bundle), "failover": found.model_dump(mode="json")})
        return
    from headcount.report.terminal import failover

    failover.answer(found, out)


def report(
    bundle: Folder,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the report here, not into the bundle."),
    ] = None,
    pdf: Annotated[
        Path | None,
        typer.Option("--pdf", metavar="FILE", help="Write a PDF report here."),
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            "--template", metavar="FILE", help="With --pdf: your company's template (TOML)."
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]BUNDLE",
            help="With --pdf: add tables that compare another run. Repeatable.",
        ),
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="In the HTML: add published results of the same benchmark, on other hardware.",
        ),
    ] = False,
) -> None:
    """Write a run's HTML report again, or a PDF report."""
    from headcount.bundle import reader
    from headcount.cli import subjects
    from headcount.report import assemble, hand_over

    if pdf is None and (template is not None or against):
        raise InputError("--template and --against are for the PDF; give --pdf FILE as well")
    check_file(output, "--output", ".html")
    check_file(pdf, "--pdf", ".pdf")
    if pdf is None and output is None and bundle.is_dir():
        ensure_writable(bundle / "report.html", "--output")
    found = _with_verdict(reader.load(bundle))
    if pdf is not None:
        others = subjects.against(bundle, against) if against else None
        made = hand_over.write(found, pdf, template, others)
        out.print(str(made), markup=False, soft_wrap=True)
    if pdf is None or output is not None:
        out.print(str(assemble.write(found, output, published=published)), markup=False)


def resume(
    bundle: Folder,
    password_file: options.PasswordFile = None,
    logins: Logins = None,
    token_file: options.TokenFile = None,
    pid: options.Pid = None,
    unit: options.Unit = None,
    cgroup: options.Cgroup = None,
    container: options.Container = None,
    authorised_by: options.AuthorisedBy = None,
    json: options.Json = False,
) -> None:
    """Continue a run that was interrupted or killed; finished levels are kept.

    It also continues a search that stopped early because it could not play more users.

    The server is the one that --pid, --unit, --cgroup or --container named for the run. Name it
    again if it has been restarted since.
    """
    from headcount.bundle import reader, versus
    from headcount.cli.display import Display
    from headcount.cli.logins import check_same_users, named_plan
    from headcount.cli.running import conclude, named
    from headcount.cli.secrets import secrets_for
    from headcount.controller import run as controller
    from headcount.controller.confirm_run import confirm_run
    from headcount.plan.consent import with_consent

    found = reader.load(bundle)
    if (pairing := versus.read(bundle)) is not None:
        targets = " and ".join(side.target for side in pairing.sides)
        raise InputError(
            f"{bundle} is one of two that were measured in turn ({targets}): a part added later "
            "would have no pair. Compare the pairs that it has (headcount compare), or run it "
            "again with --versus"
        )
    if (verb := reader.made_by(found)) is not None:
        raise InputError(
            f"{bundle} was made by headcount {verb}, and a part added later would not belong to "
            f"it; run headcount {verb} again"
        )
    # One that could not play more users can, once there are accounts, space or file handles.
    was_stopped = found.verdict is not None and found.verdict.stopped is not None
    if found.verdict is not None and reader.is_finished(found) and not was_stopped:
        raise InputError(
            f"{bundle} is finished ({found.verdict.sentence}); "
            f"repeat it with: headcount run {shell_path(bundle / 'plan.toml')}"
        )
    check_bundle(bundle)
    found = replace(found, plan=with_consent(found.plan, authorised_by))
    _, rows = named_plan(found.plan, logins)
    if rows is not None:
        check_same_users(found.plan, len(rows))
    secrets = secrets_for(found.plan, token_file, password_file, rows)
    with Display(err, quiet=json) as display:
        verdict = controller.resume(found, secrets, display, named(pid, unit, cgroup, container))
        confirm_run(bundle, secrets, display, authorised_by=authorised_by)
    conclude(bundle, verdict, json=json)
