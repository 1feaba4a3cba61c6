"""`headcount storage`: what disks, buses, RAID arrays and sorts can do, calculated."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer
from rich.table import Table

from headcount import text
from headcount.cli import options
from headcount.cli.console import out, print_json
from headcount.errors import InputError
from headcount.fields import units
from headcount.storage import (
    advice,
    answer_lines,
    bus,
    cycles,
    disk,
    gain,
    interfaces,
    levels,
    number_text,
    queueing,
    raid,
    sort,
)
from headcount.storage.advice import Advice
from headcount.storage.formula import Answer

app = typer.Typer(
    help="Calculate what disks, buses, RAID arrays and sorts can do, from data sheets.",
    no_args_is_help=True,
    epilog="Start with: headcount storage raid --drives 4 --size 4TB --iops 150 --reads 70%",
)

Rpm = Annotated[float | None, typer.Option(help="Revolutions per minute.")]
Latency = Annotated[
    str | None, typer.Option(help="Average rotational latency, instead of --rpm: 4.17ms.")
]
Seek = Annotated[str, typer.Option(help="Average seek time, such as 8ms.")]


@app.callback()
def formulas() -> None:
    """Calculate what disks, buses, RAID arrays and sorts can do, from data sheets.

    Every answer comes with its formula, the numbers put in, and the source. Nothing is measured and
    nothing runs: a figure is what the parts allow at best. Sizes are written like 512, 16KiB, 4TB;
    times like 15ms, 2h30m.
    """


@app.command(
    "latency", no_args_is_help=True, epilog="Example: headcount storage latency --rpm 7200"
)
def latency(rpm: Rpm = None, latency: Latency = None, json: options.Json = False) -> None:
    """Average rotational latency of a drive from its speed, or the speed from the latency."""
    latency_ms, steps = _latency(rpm, latency)
    _print_answers(steps or [disk.RPM.solve(latency_ms=latency_ms)], json=json)


@app.command(
    "rate",
    no_args_is_help=True,
    epilog="Example: headcount storage rate --sectors-per-track 164 --rpm 7200",
)
def rate(
    sectors_per_track: Annotated[int, typer.Option(help="Sectors on a track.")],
    rpm: Annotated[float, typer.Option(help="Revolutions per minute.")],
    sector: Annotated[str, typer.Option(help="Size of a sector.")] = f"{disk.SECTOR_BYTES}B",
    json: options.Json = False,
) -> None:
    """Sustained rate of a drive, and what a track holds."""
    sizes = {"sectors_per_track": sectors_per_track, "sector_bytes": _bytes(sector, "--sector")}
    answers = [disk.RATE.solve(rpm=rpm, **sizes), disk.TRACK.solve(**sizes)]
    _print_answers(answers, [advice.SUSTAINED, advice.HEAT], json=json)


@app.command(
    "access",
    no_args_is_help=True,
    epilog="Example: headcount storage access --seek 8ms --rpm 7200",
)
def access(
    seek: Seek,
    rpm: Rpm = None,
    latency: Latency = None,
    head_switch: Annotated[str, typer.Option(help="Time to switch heads.")] = "0ms",
    json: options.Json = False,
) -> None:
    """Average time to find data anywhere on a drive."""
    latency_ms, steps = _latency(rpm, latency)
    found = disk.ACCESS.solve(
        seek_ms=_ms(seek, "--seek"),
        head_switch_ms=_ms(head_switch, "--head-switch"),
        latency_ms=latency_ms,
    )
    _print_answers([found, *steps], [advice.SEEK], json=json)


@app.command(
    "fragments",
    no_args_is_help=True,
    epilog="Example: headcount storage fragments --size 100MB --fragments 1000 --rate 10MB/s "
    "--seek 8ms --rpm 7200",
)
def fragments(
    size: Annotated[str, typer.Option(help="Size of the file.")],
    fragments: Annotated[int, typer.Option(help="Number of its pieces.")],
    rate: Annotated[str, typer.Option(help="Sustained rate of the drive, such as 10MB/s.")],
    seek: Seek,
    rpm: Rpm = None,
    latency: Latency = None,
    json: options.Json = False,
) -> None:
    """Time to read a file in pieces, and in one piece."""
    latency_ms, steps = _latency(rpm, latency)
    known = {
        "seek_ms": _ms(seek, "--seek"),
        "latency_ms": latency_ms,
        "size_bytes": _bytes(size, "--size"),
        "rate_bytes_per_s": _bytes(rate, "--rate"),
    }
    found = disk.READ.solve(fragments=fragments, **known)
    whole = disk.READ.solve(fragments=1, **known)
    whole = replace(whole, name="one_piece_ms", title="time to read it in one piece", inputs={})
    _print_answers([found, whole, *steps], [advice.DEFRAGMENT], json=json)


@app.command(
    "cycles",
    no_args_is_help=True,
    epilog="Example: headcount storage cycles --mhz 200 --wait 18ms",
)
def lost_cycles(
    mhz: Annotated[float, typer.Option(help="Clock of the processor or memory, in MHz.")],
    wait: Annotated[str, typer.Option(help="Time that it waits for the disk, such as 18ms.")],
    json: options.Json = False,
) -> None:
    """Cycles that a processor or memory loses while it waits for a disk."""
    cycle = cycles.CYCLE.solve(clock_mhz=mhz)
    found = cycles.LOST.solve(wait_ms=_ms(wait, "--wait"), cycle_ns=cycle.value)
    _print_answers([found, cycle], json=json)


@app.command(
    "queue",
    no_args_is_help=True,
    epilog="Example: headcount storage queue --length 2 --transfer 15ms",
)
def queue(
    length: Annotated[float, typer.Option(help="Transfers at the disk, those in service too.")],
    transfer: Annotated[
        str | None, typer.Option(help="Time of one transfer without waiting, such as 15ms.")
    ] = None,
    per_second: Annotated[float | None, typer.Option(help="Transfers per second.")] = None,
    json: options.Json = False,
) -> None:
    """Time in a disk's queue, from the time of a transfer or from transfers per second.

    With --transfer: the time to work off the queue. It must be the time of service alone: the
    counter Avg. Disk sec/Transfer contains the wait already. With --per-second: the mean response
    time by Little's law, whatever the disk serves at a time.
    """
    answers = []
    if transfer is not None:
        transfer_ms = _ms(transfer, "--transfer")
        answers += [queueing.QUEUE_TIME.solve(queue_length=length, transfer_ms=transfer_ms)]
    if per_second is not None:
        answers += [queueing.RESPONSE.solve(queue_length=length, transfers_per_s=per_second)]
    if not answers:
        raise InputError("give --transfer, such as 15ms, or --per-second, such as 130")
    _print_answers(answers, [advice.LONG_QUEUE] if length > queueing.CONGESTED else [], json=json)


@app.command(
    "bus",
    no_args_is_help=True,
    epilog="Example: headcount storage bus --width 4 --clock 33 --rates 10MB/s,10MB/s,10MB/s",
)
def bus_rate(
    width: Annotated[float, typer.Option(help="Width in bytes: 4 for 32 bits.")],
    clock: Annotated[float, typer.Option(help="Clock in MHz: 33 for PCI, not its 30 ns.")],
    rates: Annotated[
        str | None, typer.Option(help="Sustained rate of each device: 10MB/s,10MB/s.")
    ] = None,
    json: options.Json = False,
) -> None:
    """What a bus can carry, and whether its devices fill it."""
    answers = [bus.BUS.solve(width_bytes=width, clock_mhz=clock)]
    advised = []
    if rates is not None:
        each = tuple(_bytes(part, "a device in --rates") for part in rates.split(","))
        load = bus.LOAD.solve(rates_bytes_per_s=each, bus_bytes_per_s=answers[0].value)
        answers += [load]
        advised = [advice.bus_advice(load.value)]
    _print_answers(answers, advised, json=json)


@app.command("interfaces", epilog="Example: headcount storage interfaces")
def list_interfaces(json: options.Json = False) -> None:
    """List the interfaces of drives in 1998, with their rates and how many drives they take."""
    wide = [interfaces.WIDE.solve(narrow_bytes_per_s=interfaces.FAST_20)]
    advised = [advice.SUSTAINED, advice.CABLE]
    if json:
        listed = [asdict(interface) for interface in interfaces.INTERFACES]
        _print_answers(wide, advised, more={"interfaces": listed}, json=True)
        return
    table = Table(box=None, header_style="bold")
    table.add_column("interface")
    for column in ("rate", "drives"):
        table.add_column(column, justify="right")
    for interface in interfaces.INTERFACES:
        rate = text.megabytes_per_s(interface.rate_bytes_per_s)
        table.add_row(interface.name, rate, text.count(interface.drives))
    out.print(table)
    _print_answers(wide, advised, json=False)


@app.command(
    "raid",
    no_args_is_help=True,
    epilog="Example: headcount storage raid --level 5 --drives 4 --size 4TB --iops 150 --reads 70%",
)
def array(
    drives: Annotated[int, typer.Option(help="Number of equal drives.")],
    level: Annotated[
        str | None, typer.Option(help="0, 1, 0/1 (10), 3, 4, 5, 6 or 7; without it, all of them.")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Size of a drive, such as 4TB.")] = None,
    iops: Annotated[float | None, typer.Option(help="Random I/Os per second of a drive.")] = None,
    reads: Annotated[str | None, typer.Option(help="Share of reads, such as 70%.")] = None,
    json: options.Json = False,
) -> None:
    """What a RAID array holds, what it survives, and how many I/Os it does.

    Without --level, all levels that can be made of the drives side by side.
    """
    if (iops is None) != (reads is None):
        raise InputError("give --iops and --reads together, such as --iops 150 --reads 70%")
    share = None if reads is None else units.share(reads, "--reads")
    drive_bytes = None if size is None else _bytes(size, "--size")
    if level is not None:
        one = raid.Array(levels.level(level), drives)
        answers = one.answers(drive_bytes, iops, share)
        given = {"level": one.level.name, "drives": drives}
        _print_answers(answers, advice.level_advice(one.level), given, json=json)
        return
    compared = raid.compare(drives, drive_bytes, iops, share)
    left_out = {level.name: why for level in levels.LEVELS if (why := raid.why_not(level, drives))}
    if json:
        shown = {level.name: answer_lines.results(found) for level, found in compared.items()}
        given = {"drives": drives, "drive_bytes": drive_bytes, "drive_iops": iops, "reads": share}
        inputs = {name: value for name, value in given.items() if value is not None}
        print_json({"inputs": inputs, "levels": shown, "left_out": left_out})
        return
    _print_levels(compared)
    for why in left_out.values():
        out.print(f"Left out: {why}.", markup=False)
    out.print("With --level: the formulas, their sources, and what the paper advises.")


@app.command(
    "sort-memory",
    no_args_is_help=True,
    epilog="Example: headcount storage sort-memory --observation 184 --keys 9,8,20,30 "
    "--observations 1000000",
)
def sort_memory(
    observation: Annotated[str, typer.Option(help="Length of an observation (record) in bytes.")],
    keys: Annotated[str, typer.Option(help="Lengths of the sort keys in bytes: 9,8,20,30.")],
    observations: Annotated[int, typer.Option(help="Number of observations.")],
    json: options.Json = False,
) -> None:
    """Memory for a sort without temporary files."""
    given = [_bytes(part, "a key in --keys") for part in keys.split(",")]
    found = sort.SORT_MEMORY.solve(
        rounded_keys_bytes=tuple(sort.rounded_key_bytes(key) for key in given),
        observation_bytes=_bytes(observation, "--observation"),
        observations=observations,
    )
    _print_answers([found], [advice.ENOUGH, advice.CACHE], {"keys_bytes": given}, json=json)


@app.command(
    "gain",
    no_args_is_help=True,
    epilog="Example: headcount storage gain --before 57.8s --after 39.7s",
)
def gained(
    before: Annotated[str, typer.Option(help="Time before the change, such as 2h30m.")],
    after: Annotated[str, typer.Option(help="Time after it, such as 20m.")],
    json: options.Json = False,
) -> None:
    """What a change gained: the share of the time saved, and how many times as fast it became."""
    times = {
        "before_s": units.seconds(before, "--before"),
        "after_s": units.seconds(after, "--after"),
    }
    _print_answers([gain.SAVED.solve(**times), gain.SPEED_UP.solve(**times)], json=json)


def _latency(rpm: float | None, latency: str | None) -> tuple[float, list[Answer]]:
    """The rotational latency, as given or from the speed, and how it was calculated."""
    if (rpm is None) == (latency is None):
        raise InputError("give either --rpm, such as 7200, or --latency, such as 4.17ms")
    if latency is not None:
        return _ms(latency, "--latency"), []
    found = disk.LATENCY.solve(rpm=float(rpm or 0))
    return found.value, [found]


def _print_levels(compared: Mapping[levels.Level, list[Answer]]) -> None:
    """Print levels side by side; a dash if the formulas do not give a figure."""
    table = Table(box=None, header_style="bold")
    table.add_column("RAID")
    table.add_column("what it does")
    columns = {
        "usable_bytes": "capacity",
        "functional_iops": "IOPS",
        "failures_survived": "failures survived",
        "write_penalty": "write penalty",
    }
    found = {name for answers in compared.values() for name in answer_lines.results(answers)}
    columns = {name: title for name, title in columns.items() if name in found}
    for title in columns.values():
        table.add_column(title, justify="right")
    for level, answers in compared.items():
        known = {answer.name: number_text.cell(answer.value, answer.unit) for answer in answers}
        table.add_row(level.name, level.known_as, *(known.get(name, text.DASH) for name in columns))
    out.print(table)


def _print_answers(
    answers: Sequence[Answer],
    advised: Sequence[Advice] = (),
    given: Mapping[str, Any] | None = None,
    more: Mapping[str, Any] | None = None,
    *,
    json: bool,
) -> None:
    """Print answers with their formulas, and what follows from them."""
    if json:
        inputs = {**(given or {}), **answer_lines.inputs(answers)}
        shown = [asdict(one) for one in advised]
        answered = {"inputs": inputs, "answers": answer_lines.results(answers), "advice": shown}
        print_json({**answered, **(more or {})})
        return
    for line in [*answer_lines.answer_lines(answers), *answer_lines.advice_lines(advised)]:
        out.print(line, markup=False)


def _ms(written: str, what: str) -> float:
    """The milliseconds of a duration, without floating-point error: 18ms is 18.

    The unit is required: a bare 8 would mean 8 ms to most people here, and 8 s elsewhere.
    """
    return float(f"{units.seconds(written, what, bare=False) * 1000:.12g}")


def _bytes(written: str, what: str) -> int:
    """The bytes of a size, or of a rate the bytes per second."""
    return units.size_bytes(written.strip().removesuffix("/s"), what)
