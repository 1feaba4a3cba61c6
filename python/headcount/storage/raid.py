"""A RAID array: what it holds, what it survives, how many I/Os it does (R-01 to R-06)."""

from dataclasses import dataclass

from headcount.errors import InputError
from headcount.storage import sources
from headcount.storage.checks import not_negative, positive, share
from headcount.storage.formula import Answer, Formula
from headcount.storage.levels import LEVELS, Level


def usable_bytes(drives: int, copies: int, parity_drives: int, drive_bytes: int) -> float:
    """Space for data in an array of equal drives (R-02).

    Of unequal drives each counts as the smallest. File systems take a little more.
    """
    positive("the number of drives", drives, "4")
    positive("the number of copies", copies, "2")
    positive("the size of a drive in bytes", drive_bytes, "4000000000000")
    not_negative("the number of parity drives", parity_drives, "1")
    if drives % copies:
        raise InputError(f"{drives} drives cannot hold {copies} copies; use a multiple of {copies}")
    if parity_drives >= drives // copies:
        raise InputError(f"{drives} drives with {parity_drives} of parity hold no data; add drives")
    return (drives // copies - parity_drives) * drive_bytes


def functional_iops(drives: int, drive_iops: float, reads: float, write_penalty: float) -> float:
    """Small random I/Os per second that an array does for its users (R-06).

    Each read costs one access of a drive, each write `write_penalty`, and the accesses are spread
    evenly over the drives. Not so for levels 3 (every access moves all drives) and 4 (every write
    waits for the one parity drive). Large sequential writes fill whole stripes and cost less; so do
    writes that a cache collects, and those to the smallest arrays (three drives of level 5, four of
    level 6), which can be done with fewer accesses. An array with a failed drive does fewer I/Os.
    """
    positive("the number of drives", drives, "4")
    positive("the IOPS of a drive", drive_iops, "150")
    positive("the write penalty", write_penalty, "4")
    share("the share of reads", reads)
    return drives * drive_iops / (reads + (1 - reads) * write_penalty)


CAPACITY = Formula(
    rule="R-02",
    name="usable_bytes",
    title="usable capacity",
    unit="bytes",
    template="({drives} / {copies} - {parity_drives}) * {drive_bytes}",
    source=sources.LEVELS,
    function=usable_bytes,
)
IOPS = Formula(
    rule="R-06",
    name="functional_iops",
    title="functional IOPS",
    unit="IOPS",
    template="{drives} * {drive_iops} / ({reads} + (1 - {reads}) * {write_penalty})",
    source=sources.WRITE_COST,
    function=functional_iops,
)


@dataclass(frozen=True, slots=True)
class Array:
    """That many equal drives at a level.

    Raises InputError if they cannot form the level.
    """

    level: Level
    drives: int

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        lack = why_not(self.level, self.drives)
        if lack:
            raise InputError(lack)

    def answers(
        self, drive_bytes: int | None, drive_iops: float | None, reads: float | None
    ) -> list[Answer]:
        """All answers that follow from what is known of the drives.

        Raises InputError for IOPS that are not calculated, and for figures that make no sense.
        """
        found = [] if drive_bytes is None else [self.capacity(drive_bytes)]
        if drive_iops is not None and reads is not None:
            found.append(self.iops(drive_iops, reads))
        return [*found, *self.facts()]

    def facts(self) -> list[Answer]:
        """What follows from the level alone: fewest drives, failures survived, write penalty."""
        level = self.level
        figures = [
            ("R-01", "minimum_drives", "drives needed at least", level.minimum_drives, "drives"),
            ("R-03", "failures_survived", "drives that may fail", level.survives, "drives"),
        ]
        if level.write_penalty is not None:
            figures.append(
                (
                    "R-05",
                    "write_penalty",
                    "accesses of drives for a small write",
                    level.write_penalty,
                    "accesses",
                )
            )
        return [
            Answer(name, title, value, unit, "", "", {}, f"{rule}: {self._source(rule)}")
            for rule, name, title, value, unit in figures
        ]

    def capacity(self, drive_bytes: int) -> Answer:
        """Space for data."""
        return CAPACITY.solve(
            drives=self.drives,
            copies=self.level.copies,
            parity_drives=self.level.parity_drives,
            drive_bytes=drive_bytes,
        )

    def iops(self, drive_iops: float, reads: float) -> Answer:
        """Small random I/Os per second.

        Raises InputError for a level whose writes the model of penalties does not describe.
        """
        if self.level.write_penalty is None:
            counted = ", ".join(other.name for other in LEVELS if other.write_penalty is not None)
            raise InputError(
                f"the IOPS of RAID {self.level.name} do not follow from a cost for each write, so "
                f"they are not calculated; leave them out, or take one of the levels {counted}"
            )
        return IOPS.solve(
            drives=self.drives,
            drive_iops=drive_iops,
            reads=reads,
            write_penalty=self.level.write_penalty,
        )

    def _source(self, rule: str) -> str:
        if rule == "R-05":
            return sources.WRITE_COST
        is_stated = rule == "R-03" or self.level.name in {"0", "1", "0/1"}
        return (
            sources.LEVELS
            if is_stated
            else "the fewest that hold its parity and data on two drives"
        )


def why_not(level: Level, drives: int) -> str:
    """Why that many drives cannot form a level; empty if they can."""
    if drives < level.minimum_drives:
        there = "is" if drives == 1 else "are"
        fewest = level.minimum_drives
        return f"RAID {level.name} needs at least {fewest} drives, and there {there} {drives}"
    if drives % level.copies:
        return (
            f"RAID {level.name} mirrors in pairs and needs an even number of drives, not {drives}"
        )
    return ""


def compare(
    drives: int, drive_bytes: int | None, drive_iops: float | None, reads: float | None
) -> dict[Level, list[Answer]]:
    """Answers for every level that the drives can form, with IOPS only where they are calculated.

    Raises InputError if they can form none, and for figures that make no sense.
    """
    positive("the number of drives", drives, "4")
    if drives < min(level.minimum_drives for level in LEVELS):
        raise InputError(f"{drives} drive is not an array; RAID begins with 2 drives")
    arrays = [Array(level, drives) for level in LEVELS if not why_not(level, drives)]
    return {
        array.level: array.answers(
            drive_bytes, None if array.level.write_penalty is None else drive_iops, reads
        )
        for array in arrays
    }
