"""The grid of cells, and the mixes that reviewers of disks used."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headcount.disk.cell import Block, Cell, Pattern
from headcount.errors import InputError

PATTERNS: Mapping[str, Pattern] = {
    # Reads first: what a disk does in the background after writes must not slow them.
    pattern.name: pattern
    for pattern in (
        Pattern("sequential-read", "sequential", 1.0),
        Pattern("random-read", "random", 1.0),
        Pattern("sequential-write", "sequential", 0.0),
        Pattern("random-write", "random", 0.0),
    )
}
KIB = 1024


@dataclass(frozen=True)
class Grid:
    """The values whose combinations are the cells."""

    threads: tuple[int, ...]
    blocks_bytes: tuple[int, ...]
    depths: tuple[int, ...]
    seconds: float
    warm_up_s: float
    size_bytes: int


FULL = Grid(
    threads=(1, 2, 4, 8),
    blocks_bytes=(4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB),
    depths=(1, 8),
    seconds=2.0,
    warm_up_s=0.5,
    size_bytes=2 << 30,
)
"""Ours: ThreadMark's own was not published. 128 cells, about five minutes."""
QUICK = Grid(
    threads=(1, 4),
    blocks_bytes=(4 * KIB, 64 * KIB),
    depths=(1, 8),
    seconds=1.0,
    warm_up_s=0.25,
    size_bytes=512 << 20,
)
"""32 cells, some forty seconds: a first look."""


@dataclass(frozen=True)
class Preset:
    """A mix of blocks and of reads and writes, as one pattern."""

    pattern: Pattern
    blocks: tuple[Block, ...]
    origin: str


_FILESERVER = {
    KIB // 2: 10.0,
    KIB: 5.0,
    2 * KIB: 5.0,
    4 * KIB: 60.0,
    8 * KIB: 2.0,
    16 * KIB: 4.0,
    32 * KIB: 4.0,
    64 * KIB: 10.0,
}
_WEBSERVER = {**{size: share * 0.98 for size, share in _FILESERVER.items()}}
_WEBSERVER |= {128 * KIB: 1.0, 512 * KIB: 1.0}


def _mix(shares: Mapping[int, float]) -> tuple[Block, ...]:
    return tuple(Block(size, share) for size, share in shares.items())


PRESETS: Mapping[str, Preset] = {
    preset.pattern.name: preset
    for preset in (
        Preset(
            Pattern("fileserver", "random", 0.8),
            _mix(_FILESERVER),
            "sizes and reads of Iometer's fileserver pattern, as reviewers printed them",
        ),
        Preset(
            Pattern("database", "random", 0.67),
            _mix({8 * KIB: 100.0}),
            "size and reads of Iometer's database pattern, as reviewers printed them",
        ),
        Preset(
            Pattern("webserver", "random", 1.0),
            _mix(_WEBSERVER),
            "Iometer's webserver pattern: the fileserver's sizes with 128 KiB and 512 KiB beside "
            "them, all reads; the 1% each of these two is ours",
        ),
    )
}


def cells(
    patterns: Iterable[str],
    blocks_bytes: Sequence[int],
    threads: Sequence[int],
    depths: Sequence[int],
) -> list[Cell]:
    """Every combination, in the order in which it is measured and shown."""
    return [
        Cell(PATTERNS[name], (Block(size),), number, depth)
        for name in patterns
        for size in blocks_bytes
        for number in threads
        for depth in depths
    ]


def preset_cells(name: str, threads: Sequence[int], depths: Sequence[int]) -> list[Cell]:
    """The cells of a preset.

    Raises InputError when there is none of that name.
    """
    if name not in PRESETS:
        known = ", ".join(PRESETS)
        raise InputError(f'there is no preset "{name}"; choose one of: {known}')
    preset = PRESETS[name]
    return [Cell(preset.pattern, preset.blocks, t, depth) for t in threads for depth in depths]
