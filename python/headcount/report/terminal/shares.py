"""The experiment with shares, sessions and open files on the terminal."""

from collections.abc import Iterator, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from headcount.analyse.shares import LETTERS, NAMES, STUDY, amount
from headcount.bundle.shares import CostFigure, CostFit, SharesFile, SharesPoint
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.text import DASH, count, plural, storage

HEADS = (
    "Held: shares, connections, and net uses and open files of each connection. Found: processes, "
    "their memory with its largest residual, and the kernel's memory."
)
HELD = ("shares", "connections", "net_uses", "open_files")
NOUNS = ("share", "connection", "net use", "open file")


def show(found: SharesFile, console: Console) -> None:
    """Print the points, the costs and what was counted."""

    def say(text: str) -> None:
        console.print(writable(text, console), markup=False)

    if found.points:
        console.print(_points(found, console))
        say(HEADS)
    for left in found.left_out:
        amounts = zip(NOUNS, HELD, strict=True)
        held = ", ".join(plural(noun, getattr(left, name)) for noun, name in amounts)
        say(f"Left out: {held}: {left.reason}")
    memory = [one for one in found.fits if one.unit == "bytes"]
    if memory:
        console.print(_costs(memory, console))
        say(f"{memory[0].formula}")
        say(f"({LETTERS}; from {memory[0].starts} starts of the server, with 95% intervals)")
    for line in _remarks(found):
        say(line)


def _remarks(found: SharesFile) -> list[str]:
    """The costs in sentences, what they count, capacities and doubts."""
    counted = [f"Counted: {line}" for line in found.counted]
    counted += [f"Not counted: {line}" for line in found.not_counted]
    return [
        *found.sentences,
        *(counted if found.points else []),
        *(capacity.compared for capacity in found.capacities),
        *(
            f"Doubt, of {plural('share', capacity.shares)}: {flag}"
            for capacity in found.capacities
            for flag in capacity.flags
        ),
        *(f"Doubt: {doubt}" for doubt in found.doubts),
    ]


def _points(found: SharesFile, console: Console) -> Table:
    """The mean of each kind of point over the starts, with its largest residual."""
    residuals = next((fit.residuals for fit in found.fits if fit.of == "processes"), [])
    made = _table(console, "Shares", "Conn.", "Uses", "Files")
    for heading in ("Proc.", "Memory", "Residual", "Kernel"):
        made.add_column(heading, justify="right", no_wrap=True)
    for held, group in _grouped(found.points):
        points = [found.points[index] for index in group]
        left = [residuals[index] for index in group] if residuals else []
        kernel = [point.kernel_bytes for point in points if point.kernel_bytes is not None]
        cells = [
            *(count(number) for number in held),
            count(max(point.processes for point in points)),
            storage(sum(point.process_bytes for point in points) / len(points)),
            storage(max(left, key=abs)) if left else DASH,
            storage(sum(kernel) / len(kernel)) if kernel else DASH,
        ]
        made.add_row(*(writable(cell, console) for cell in cells))
    return made


def _grouped(points: list[SharesPoint]) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """The indexes of the points at which the same was held, by what was held."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, point in enumerate(points):
        held = tuple(getattr(point, name) for name in HELD)
        groups.setdefault(held, []).append(index)
    yield from sorted(groups.items())


def _costs(fits: list[CostFit], console: Console) -> Table:
    made = _table(console)
    made.add_column("Cost of", no_wrap=True)
    for fit in fits:
        heading = "Server's processes" if fit.of == "processes" else "Kernel, whole machine"
        made.add_column(heading, justify="right")
    made.add_column(STUDY)
    by: list[Mapping[str, CostFigure]] = [{cost.name: cost for cost in fit.costs} for fit in fits]
    for name, cost in by[0].items():
        cells = [amount(costs[name], "bytes") if name in costs else DASH for costs in by]
        row = [NAMES[name], *cells, cost.original or DASH]
        made.add_row(*(writable(cell, console) for cell in row))
    return made


def _table(console: Console, *headings: str) -> Table:
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    made = Table(box=box, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    for heading in headings:
        made.add_column(heading, justify="right", no_wrap=True)
    return made
