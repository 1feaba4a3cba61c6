"""`headcount disk`: what a disk does, and what that costs in CPU."""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from headcount.cli import options
from headcount.cli.console import err, fail, out, print_json
from headcount.cli.grouped import grouped
from headcount.disk import grid
from headcount.disk.cell import Cell
from headcount.disk.settings import ENGINES, Settings, numbers, whole
from headcount.errors import ExitCode, HeadcountError, InputError
from headcount.fields import units
from headcount.text import clean, memory, plural, significant, span

if TYPE_CHECKING:
    from headcount.disk.bench import Bench
    from headcount.disk.benchmark_result import BenchmarkResult
    from headcount.disk.result import Figures

EPILOG = """Examples:

headcount disk /data --quick                                    # a first look, under a minute

headcount disk /data                                            # the whole grid, some six minutes

headcount disk /data --patterns random-read --blocks 4KiB --depths 1,8,32 --seconds 10s

headcount disk /data --preset database --sync --json > db.json"""


@dataclass(frozen=True)
class Grid:
    """Which cells are measured, and how long."""

    quick: Annotated[bool, typer.Option("--quick", help="Fewer cells, shorter.")] = False
    threads: Annotated[str | None, typer.Option(help="Numbers of threads: 1,2,4,8.")] = None
    blocks: Annotated[str | None, typer.Option(help="Sizes of blocks: 4KiB,64KiB.")] = None
    depths: Annotated[str | None, typer.Option(help="I/Os under way for each thread: 1,8.")] = None
    patterns: Annotated[
        str | None, typer.Option(help=f"Access patterns: {', '.join(grid.PATTERNS)}.")
    ] = None
    preset: Annotated[
        str | None, typer.Option(help=f"A mix instead of the grid: {', '.join(grid.PRESETS)}.")
    ] = None
    seconds: Annotated[
        str | None, typer.Option(help="How long each cell is measured, such as 5s.")
    ] = None
    size: Annotated[str | None, typer.Option(help="Size of the test file, such as 8GiB.")] = None


@dataclass(frozen=True)
class Ways:
    """How the file is read and written."""

    engine: Annotated[
        str | None, typer.Option(help="io_uring or threads; io_uring where available.")
    ] = None
    buffered: Annotated[
        bool, typer.Option("--buffered", help="Through the page cache, not past it (O_DIRECT).")
    ] = False
    sync: Annotated[
        bool, typer.Option("--sync", help="Each write waits until it is on the disk (O_DSYNC).")
    ] = False
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare every byte read, not only each block's head.")
    ] = False


@grouped
def disk(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            readable=False,  # the engine says what is wrong with it
            help="A folder on the disk: a test file is made in it.",
        ),
    ],
    asked: Grid,
    ways: Ways,
    weight: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=W", help="Weight in the score: random-read=2, 4KiB=3, depth8=0."),
    ] = None,
    seed: options.Seed = None,
    json: options.Json = False,
) -> None:
    """Measure a disk: throughput, I/Os per second, latency, and the CPU they cost.

    Re-creates what Adaptec's ThreadMark 2.0 reported, on Headcount's own grid of threads, block
    sizes, patterns and queue depths. The test file has no name and is gone when the command
    ends, however it ends; existing files and devices are never touched. Ctrl-C prints what was
    measured so far.
    """
    # Statistics take half a second to load; the help does not need them.
    from headcount.disk import score
    from headcount.disk.bench import choose

    usual = grid.QUICK if asked.quick else grid.FULL
    cells = _cells(
        usual,
        asked.threads,
        asked.blocks,
        asked.depths,
        asked.patterns,
        asked.preset,
    )
    weights = score.weights(cells, weight or [])
    if ways.engine is not None and ways.engine not in ENGINES:
        raise InputError(
            f'there is no engine "{clean(ways.engine)}"; there are: {", ".join(ENGINES)}'
        )
    measured_s = (
        usual.seconds if asked.seconds is None else units.seconds(asked.seconds, "--seconds")
    )
    if not 0.1 <= measured_s <= 3600:
        raise InputError(f'--seconds is "{asked.seconds}"; each cell can be measured 100ms to 1h')
    chosen, why_not = choose(ways.engine)
    settings = Settings(
        folder=folder,
        size_bytes=whole(
            usual.size_bytes if asked.size is None else units.size_bytes(asked.size, "--size"),
            cells,
        ),
        direct=not ways.buffered,
        sync=ways.sync,
        verify=ways.verify,
        engine=chosen,
        seed=secrets.randbits(32) if seed is None else seed,
        seconds=measured_s,
        warm_up_s=min(usual.warm_up_s, measured_s),
    )
    if why_not is not None and not json:
        err.print(f"Measuring with threads: {why_not}.", markup=False)
    _measure(settings, cells, weights, asked.preset, json=json)


def _cells(
    usual: grid.Grid,
    threads: str | None,
    blocks: str | None,
    depths: str | None,
    patterns: str | None,
    preset: str | None,
) -> list[Cell]:
    """The cells that were asked for.

    Raises InputError for values that cannot be.
    """
    many = usual.threads if threads is None else numbers(threads, "--threads")
    deep = usual.depths if depths is None else numbers(depths, "--depths")
    if preset is not None:
        if blocks is not None or patterns is not None:
            raise InputError("--preset brings its own blocks and pattern; leave out the others")
        return grid.preset_cells(preset, many, deep)
    sizes = usual.blocks_bytes if blocks is None else _sizes(blocks)
    names = list(grid.PATTERNS) if patterns is None else _names(patterns)
    return grid.cells(names, sizes, many, deep)


def _sizes(written: str) -> tuple[int, ...]:
    sizes = [units.size_bytes(part, "--blocks") for part in written.split(",")]
    for size, part in zip(sizes, written.split(","), strict=True):
        if size == 0 or size % 512 or size > 16 << 20:
            raise InputError(f'--blocks has "{part}"; sizes are multiples of 512 up to 16MiB')
    return tuple(dict.fromkeys(sizes))


def _names(written: str) -> list[str]:
    names = [part.strip() for part in written.split(",")]
    for name in names:
        if name not in grid.PATTERNS:
            known = ", ".join(grid.PATTERNS)
            raise InputError(f'there is no pattern "{clean(name)}"; there are: {known}')
    return list(dict.fromkeys(names))


def _measure(
    settings: Settings,
    cells: Sequence[Cell],
    weights: Sequence[float],
    preset: str | None,
    *,
    json: bool,
) -> None:
    """Measure all cells, and print what was measured however it ends."""
    from headcount.disk import score
    from headcount.disk.bench import bench
    from headcount.disk.benchmark_result import BenchmarkResult
    from headcount.disk.doubts import doubts
    from headcount.disk.place import memory_bytes, place

    measured: list[Figures] = []
    kept = "disk"
    ended: KeyboardInterrupt | HeadcountError | None = None
    with bench(settings, cells) as made:
        kept = made.kept
        found = place(settings.folder)
        try:
            _say(f"{clean(str(settings.folder))} is on {clean(found.words)}", json=json)
            long_s = len(cells) * (settings.seconds + settings.warm_up_s)
            _say(
                f"  {plural('cell', len(cells))} with {settings.engine}, about {span(long_s)} "
                f"after writing a test file of {memory(settings.size_bytes)}",
                json=json,
            )
            _run(made, cells, measured, quiet=json)
        except (KeyboardInterrupt, HeadcountError) as error:
            ended = error
    processors = os.cpu_count() or 1
    complete = len(measured) == len(cells)
    result = BenchmarkResult(
        settings=settings,
        place=found,
        processors=processors,
        measured=measured,
        weights=weights,
        score=score.score(measured, weights) if complete else None,
        doubts=doubts(settings, kept, memory_bytes(), measured, processors),
        complete=complete,
    )
    if json:
        print_json(result.as_json())
    elif measured:
        _print(result, preset)
    if isinstance(ended, KeyboardInterrupt):
        fail(f"interrupted after {len(measured)} of {plural('cell', len(cells))}")
        raise typer.Exit(ExitCode.INTERRUPTED)
    if ended is not None:
        raise ended


def _run(made: "Bench", cells: Sequence[Cell], measured: "list[Figures]", *, quiet: bool) -> None:
    """Measure into a list, showing how far it is."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("  {task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} cells"),
        TimeRemainingColumn(),
    )
    shows = err.is_terminal and not quiet
    with Progress(
        *columns, console=err, transient=True, disable=not shows, refresh_per_second=4
    ) as bar:
        task = bar.add_task("writing the test file", total=len(cells))
        made.fill(lambda done: bar.update(task, description=f"writing the test file {done:.0%}"))
        for number, cell in enumerate(cells):
            bar.update(task, completed=number, description=cell.name)

            def progress(done: float, before: int = number) -> None:
                bar.update(task, completed=before + done)

            measured.append(made.measure(cell, progress))
            if not shows:
                rate = significant(measured[-1].mb_per_s)
                _say(f"  {cell.name}: {rate} MB/s", json=quiet)


def _print(result: "BenchmarkResult", preset: str | None) -> None:
    """The table, the score, and what a reader must know."""
    from headcount.disk import benchmark_result, score

    patterns = dict.fromkeys(one.cell.pattern for one in result.measured)
    for pattern in patterns:
        table = Table(
            box=None, header_style="bold", pad_edge=False, padding=(0, 1), title_justify="left"
        )
        table.title = pattern.words
        for column, width in benchmark_result.COLUMNS.items():
            table.add_column(column, justify="right", no_wrap=True, min_width=width)
        for one in result.measured:
            if one.cell.pattern == pattern:
                table.add_row(*benchmark_result.row(one))
        out.print(table)
        out.print()
    out.print(result.headline, markup=False)
    weighted = score.unequal_weights(
        [one.cell for one in result.measured], result.weights[: len(result.measured)]
    )
    if result.complete:
        other = ", ".join(f"{name}: {significant(w)}" for name, w in weighted.items())
        out.print(f"Weights: {'1 each' if not other else f'1 but {other}'}.", markup=False)
    if preset is not None:
        out.print(f"The mix is of {grid.PRESETS[preset].origin}.", markup=False)
    for doubt in result.doubts:
        out.print(doubt, markup=False)
    out.print(benchmark_result.NOT_A_PREDICTION, markup=False)
    out.print(benchmark_result.OURS, markup=False)


def _say(line: str, *, json: bool) -> None:
    if not json:
        err.print(line, markup=False)
