"""`headcount sort`: time against memory, and where work files lie (re-creates tests of 1998)."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import options
from headcount.cli.console import err, out, print_json
from headcount.cli.grouped import grouped
from headcount.cli.outputs import check_file
from headcount.errors import ExitCode, InputError, SystemLimitError
from headcount.fields import units
from headcount.output.file import write_output

if TYPE_CHECKING:
    from headcount.sort.cage import Hierarchy
    from headcount.sort.experiment import Measured, Setting, Subject
    from headcount.sort.layout import Layout
    from headcount.sort.place import Place

MOST_THREADS = 64
MOST_REPEATS = 1000
MOST_SETTINGS = 200
EPILOG = """Examples:

  headcount sort /data
      100 MB of data, 16 MB of memory: five sorts, with their interval

  headcount sort /data --sweep --html sweep.html
      time against memory: the graph of 1998, and where everything fits

  headcount sort /data --sweep --memory 256MB,384MB --sortsize 2MB,8MB,128MB
      on machines with less memory, as far as this one may be limited

  headcount sort /data --compare-placement --work /other-disk
      what it saves to put runs on another disk

  headcount sort /data --records 100 --key 10 --size 1GB --sortsize 64MB --threads 2
      records of a sort benchmark
"""


@dataclass(frozen=True)
class Data:
    """What is sorted."""

    size: Annotated[str, typer.Option(help="How much data.")] = "100MB"
    records: Annotated[
        int | None, typer.Option(help="Records of this length instead of the paper's.")
    ] = None
    key: Annotated[int | None, typer.Option(help="Length of the key of --records.")] = None
    seed: options.Seed = None
    cold: Annotated[
        bool, typer.Option("--cold", help="Drop the cache of the data before each sort.")
    ] = False
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Check each output, untimed.")
    ] = True
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the data and the last output in PATH.")
    ] = False


@dataclass(frozen=True)
class Course:
    """How often to sort, and with which settings."""

    sortsize: Annotated[
        str | None,
        typer.Option(help="Memory of the sort, 16MB by default; several with --sweep: 2MB,8MB."),
    ] = None
    work: Annotated[
        list[Path] | None,
        typer.Option(help="Folder for runs; several take turns. PATH by default."),
    ] = None
    threads: Annotated[
        int, typer.Option(min=1, max=MOST_THREADS, help="Threads that sort; in 1998 it was one.")
    ] = 1
    repeat: Annotated[
        int, typer.Option(min=1, max=MOST_REPEATS, help="Sorts of each setting, taking turns.")
    ] = 5
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Time against sort size, from 2 MB until all fits.")
    ] = False
    memory: Annotated[
        str | None,
        typer.Option(help="Limit the sort and the cache it fills, as 256MB,384MB; drops caches."),
    ] = None
    compare_placement: Annotated[
        bool, typer.Option("--compare-placement", help="Runs in PATH against runs in --work.")
    ] = False


@grouped
def sort(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Folder of data and output.")],
    data: Data,
    course: Course,
    html: Annotated[Path | None, typer.Option(help="Write the graph of --sweep as a page.")] = None,
    json: options.Json = False,
) -> None:
    """Measure how memory and a second disk speed up a sort.

    Re-creates the sort tests of a 1998 paper by SAS Institute: an external merge sort that keeps
    to its memory. Data and work files have no name and are gone afterwards; nothing of yours is
    touched. Times are to the last write, and until everything is on the disk.
    """
    from headcount.sort.experiment import Subject
    from headcount.sort.place import place

    if course.sweep and course.compare_placement:
        raise InputError("give either --sweep or --compare-placement")
    if html is not None and not course.sweep:
        raise InputError("--html needs --sweep, whose graph it draws")
    check_file(html, "--html", ".html")
    where = place(path, "PATH")
    layout = _layout(data.records, data.key)
    limits = _sizes(course.memory, "--memory") if course.memory is not None else []
    subject = Subject(
        layout=layout,
        records=layout.records(units.size_bytes(data.size, "--size")),
        seed=1 if data.seed is None else data.seed,
        where=where,
        threads=course.threads,
        cold=data.cold or bool(limits),
        verify=data.verify,
    )
    folders = tuple(place(folder, "--work") for folder in course.work or [])
    given = _sizes(course.sortsize, "--sortsize") if course.sortsize is not None else None
    if course.compare_placement:
        settings = _placed(subject, folders, given, limits)
    else:
        settings = _settings(subject, folders or (where,), given, limits, sweep=course.sweep)
    measured = _measure(subject, settings, course.repeat, limits, keep=data.keep, quiet=json)
    elsewhere = folders if course.compare_placement else ()
    _print_result(subject, measured, sweep=course.sweep, elsewhere=elsewhere, html=html, json=json)
    if measured.interrupted:
        raise typer.Exit(ExitCode.INTERRUPTED)


def _layout(records: int | None, key: int | None) -> "Layout":
    from headcount.sort.layout import OBSERVATIONS, record_layout

    if records is None and key is None:
        return OBSERVATIONS
    if records is None or key is None:
        raise InputError("give --records and --key together, such as --records 100 --key 10")
    return record_layout(records, key)


def _sizes(written: str, option: str) -> list[int]:
    found = []
    for part in written.split(","):
        size = units.size_bytes(part, option)
        if not 0 < size < 2**62:
            raise InputError(f"{option} is {part}; it must be above 0 and below an exabyte")
        found.append(size)
    return found


def _settings(
    subject: "Subject",
    work: "tuple[Place, ...]",
    given: list[int] | None,
    limits: list[int],
    *,
    sweep: bool,
) -> "list[Setting]":
    """The settings to sort with. Raises InputError for impossible ones."""
    from headcount.sort import ladder
    from headcount.text import plural, storage

    need_bytes = subject.layout.need_bytes(subject.records, subject.threads)
    least_bytes = subject.layout.least_bytes(subject.threads)
    if not sweep and (len(given or []) > 1 or len(limits) > 1):
        raise InputError("several sizes need --sweep, which compares them")
    sizes = given or (ladder.sizes(need_bytes, least_bytes) if sweep else [16_000_000])
    for size in sizes:
        if size < min(least_bytes, need_bytes):
            raise InputError(
                f"a sort size of {storage(size)} is too small: one merge of records of "
                f"{subject.layout.record_bytes} bytes needs {least_bytes} bytes or more"
            )
    settings, left_out = ladder.settings(sizes, [*limits] or [None], need_bytes, work)
    if not settings or (left_out and not sweep):
        raise InputError(
            f"--memory leaves no room for a sort of {storage(min(sizes[-1], need_bytes))}: it must "
            f"be {storage(ladder.BESIDE_BYTES)} more, for the program and its cache"
        )
    if len(settings) > MOST_SETTINGS:
        raise InputError(
            f"{plural('setting', len(settings))} are too many; give {MOST_SETTINGS} at most"
        )
    return settings


def _placed(
    subject: "Subject",
    folders: "tuple[Place, ...]",
    given: list[int] | None,
    limits: list[int],
) -> "list[Setting]":
    """The settings with runs beside the data, and those with runs elsewhere."""
    from headcount.text import storage

    if not folders:
        raise InputError("--compare-placement needs --work with a folder on another disk")
    if folders == (subject.where,):
        raise InputError("--work is PATH itself; give a folder on another disk")
    beside = _settings(subject, (subject.where,), given, limits, sweep=False)
    need_bytes = subject.layout.need_bytes(subject.records, subject.threads)
    if beside[0].sortsize_bytes >= need_bytes:
        raise InputError(
            f"with {storage(beside[0].sortsize_bytes)} everything fits, and there are no runs to "
            f"place; give a --sortsize below {storage(need_bytes)}"
        )
    return [*beside, *_settings(subject, folders, given, limits, sweep=False)]


def _measure(
    subject: "Subject",
    settings: "Sequence[Setting]",
    repeat: int,
    limits: list[int],
    *,
    keep: bool,
    quiet: bool,
) -> "Measured":
    """Check memory and space first, then sort."""
    from headcount.cli.sort_progress import SortProgress
    from headcount.report.sorting import sort_sentences
    from headcount.sort.experiment import measure
    from headcount.sort.place import ensure_memory, ensure_space

    need_bytes = subject.layout.need_bytes(subject.records, subject.threads)
    ensure_memory(max(min(one.sortsize_bytes, need_bytes) for one in settings))
    for one in settings:
        ensure_space([(subject.where, 2 * subject.data_bytes), *_runs(subject, one)])
    held = _hierarchy() if limits else None
    names = _names(subject.where.folder) if keep else None
    if not quiet:
        err.print(sort_sentences.data(subject), markup=False)
    with SortProgress(err, repeat * len(settings), quiet=quiet) as progress:
        return measure(subject, settings, repeat, held, names, progress)


def _runs(subject: "Subject", setting: "Setting") -> "list[tuple[Place, int]]":
    """The bytes that runs take in each work folder; twice as many if they are merged twice."""
    layout, records, threads = subject.layout, subject.records, subject.threads
    if setting.sortsize_bytes >= layout.need_bytes(records, threads):
        return []
    runs, fan_in = layout.runs(records, threads, setting.sortsize_bytes)
    each = subject.data_bytes // len(setting.work) * (2 if runs > fan_in else 1)
    return [(where, each) for where in setting.work]


def _hierarchy() -> "Hierarchy":
    from headcount.sort.cage import hierarchy

    mounts = Path("/proc/self/mountinfo").read_text("utf-8", errors="replace")
    found = hierarchy(mounts, Path("/proc/self/cgroup").read_text("utf-8", errors="replace"))
    if isinstance(found, str):
        raise SystemLimitError(found)
    return found


def _names(folder: Path) -> tuple[Path, Path]:
    stem = f"headcount-sort-{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}"
    folder = folder.absolute()
    return folder / f"{stem}.data", folder / f"{stem}.sorted"


def _print_result(
    subject: "Subject",
    measured: "Measured",
    *,
    sweep: bool,
    elsewhere: "tuple[Place, ...]",
    html: Path | None,
    json: bool,
) -> None:
    """Print the result. With `elsewhere`, two places for runs were compared."""
    from headcount.report.sorting import page, sort_sentences, terminal
    from headcount.sort import placement, setting_figures
    from headcount.sort.experiment_record import experiment_record, placement_record

    found = setting_figures.figures(measured.trials)
    over = setting_figures.cliffs(found) if sweep else []
    compared = placement.judge(subject.where, elsewhere, measured.trials) if elsewhere else None
    if html is not None:
        made_at = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
        content = page.SortContent(subject, measured, found, over, made_at)
        write_output(html, page.render(content), "--html")
    if json:
        answered = experiment_record(subject, measured, found, over)
        print_json(answered | ({"placement": placement_record(compared)} if compared else {}))
        return
    terminal.say([sort_sentences.memory(subject)], out)
    if sweep:
        terminal.chart(found, out)
        terminal.say([sort_sentences.best(found), *map(sort_sentences.cliff, over)], out, "bold")
    else:
        for one in found:
            terminal.say(sort_sentences.outcome(one), out)
    if compared is not None:
        terminal.say(sort_sentences.placement(compared), out, "bold")
    terminal.say(sort_sentences.caveats(subject, measured), out, "dim")
    if html is not None:
        terminal.say([f"Page: {html}"], out)
