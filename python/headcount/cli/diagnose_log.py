"""`headcount diagnose LOG`: what limits a machine, from a log of its counters."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.console import err, out, print_json
from headcount.errors import InputError
from headcount.fields import units
from headcount.output.file import write_output
from headcount.text import clean

if TYPE_CHECKING:
    from headcount.analyse.rules.diagnosis import Asked
    from headcount.analyse.rules.library import Library

Profile = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="For a log: file-server, app-server or workstation; by default derived from the "
        "counters.",
    ),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="TIME", help="For a log: start time in UTC, 2026-11-22T10:00."),
]
To = Annotated[str | None, typer.Option("--to", metavar="TIME", help="For a log: end time in UTC.")]
Cpus = Annotated[
    int | None, typer.Option(min=1, max=100_000, help="For a log without it: number of CPUs.")
]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="For a log without it: memory size, for example 64GiB."),
]
Spindles = Annotated[
    int | None, typer.Option(min=1, max=100_000, help="For a log: disks behind each device.")
]
Rules = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Your own rules, in addition to Headcount's.")
]
Explain = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Only explain a rule (M-01), a tip (A-05) or a counter."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="For a log: write an HTML report to this file."
    ),
]


def diagnose_log(
    paths: Sequence[Path],
    *,
    profile: str | None = None,
    start: str | None = None,
    end: str | None = None,
    cpus: int | None = None,
    memory: str | None = None,
    spindles: int | None = None,
    rules: Path | None = None,
    output: Path | None = None,
    json: bool = False,
) -> None:
    """Diagnose logs of counters, each machine in them on its own.

    Raises InputError for an unreadable log or an invalid option.
    """
    from headcount.analyse.rules.diagnosis import diagnose, has_samples
    from headcount.counters.log import read
    from headcount.report.findings import findings_json, terminal

    asked = _asked(profile, start, end, cpus, memory, spindles)
    library = _library(rules)
    recordings = [one for path in paths for one in read(path)]
    # Machines need not have been logged all the time; if none was, the first one's error says so.
    within = [one for one in recordings if has_samples(one, asked)]
    where = "" if start is None and end is None else " between --from and --to"
    for other in recordings if within else ():
        if not has_samples(other, asked):
            name = clean(other.host or other.source)
            err.print(f"{name} has no samples{where}: skipped", markup=False)
    found = [diagnose(one, asked, library) for one in within or recordings]
    if output is not None:
        from headcount.report.findings import page

        write_output(output, page.render(found, _now()), "--output")
    if json:
        print_json({"diagnoses": [findings_json.record(one) for one in found]})
        return
    for number, one in enumerate(found):
        if number:
            out.print()
        terminal.show(one, out)
    if output is not None:
        err.print(f"Report: {output}", markup=False)


def explain(name: str, rules: Path | None = None) -> None:
    """Explain a rule, an advice, an id of an old document, or a counter by name or label.

    Raises InputError where there is none, with the nearest names.
    """
    from headcount.analyse.rules.explain import explain as explained
    from headcount.analyse.rules.tips import names, tip
    from headcount.cli.tips import print_knobs_of, print_tip
    from headcount.counters.catalogue import catalogue
    from headcount.fields.mistakes import nearest_of
    from headcount.report.findings import terminal

    library = _library(rules)
    rule = library.rules.get(name) or library.rules.get(name.upper())
    if rule is not None:
        terminal.explain_rule(rule, library, out)
        print_knobs_of(rule, library)
        return
    advised = tip(name, library)
    if advised is not None:
        print_tip(advised)
        return
    labels = {one.label.lower(): one.name for one in catalogue().values()}
    found = explained(labels.get(name.lower(), name), library)
    if found is None:
        raise InputError(
            f"no rule, advice or counter is called `{clean(name)}`"
            f"{nearest_of(name, [*names(library), *labels.values()])}; "
            "docs/rules.md lists the rules and the advice, docs/counters.md the counters"
        )
    terminal.explain_counter(found, out)


def _library(rules: Path | None) -> "Library":
    from headcount.analyse.rules.library import builtin, with_file

    return builtin() if rules is None else with_file(rules)


def _asked(
    profile: str | None,
    start: str | None,
    end: str | None,
    cpus: int | None,
    memory: str | None,
    spindles: int | None,
) -> "Asked":
    from headcount.analyse.rules.diagnosis import Asked
    from headcount.analyse.rules.model import PROFILES

    known = next((one for one in PROFILES if one == profile), None)
    if profile is not None and known is None:
        raise InputError(f"--profile is {clean(profile)}; it is one of {', '.join(PROFILES)}")
    asked = Asked(
        profile=known,
        cpus=cpus,
        memory_bytes=None if memory is None else float(units.size_bytes(memory, "--memory")),
        spindles=spindles,
        start_s=float("-inf") if start is None else _moment(start, "--from"),
        end_s=float("inf") if end is None else _moment(end, "--to"),
    )
    if asked.start_s >= asked.end_s:
        raise InputError("--from must be before --to")
    return asked


def _moment(text: str, option: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            f"{option} is {clean(text)}; write a time in UTC like 2026-11-22T10:00"
        ) from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
