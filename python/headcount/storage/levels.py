"""The RAID levels: copies and parity of each, and the cost of a write (R-01 to R-05)."""

import difflib
from dataclasses import dataclass

from headcount.errors import InputError


@dataclass(frozen=True, slots=True)
class Level:
    """A RAID level.

    Attributes:
        name: Its number.
        known_as: What it does, in a word or two.
        minimum_drives: Fewest drives (R-01). Of levels 3 to 7 the paper does not say: one drive of
            parity needs two of data, two need two, three need two.
        copies: How often everything is stored; the number of drives is a multiple of it.
        parity_drives: Drives' worth of parity, on drives of its own or spread over all.
        survives: Drives that may fail, whichever they are (R-03).
        write_penalty: Accesses of drives for a small write (R-05). None where the number of
            accesses does not say what a write costs: see `functional_iops`.
        also: Other names.

    """

    name: str
    known_as: str
    minimum_drives: int
    copies: int
    parity_drives: int
    survives: int
    write_penalty: int | None
    also: tuple[str, ...] = ()


LEVELS = (
    Level("0", "striping", 2, 1, 0, 0, 1, ("striping",)),
    Level("1", "mirroring", 2, 2, 0, 1, 2, ("mirroring",)),
    Level("0/1", "striped mirrors, RAID 10", 4, 2, 0, 1, 2, ("10", "01", "0+1", "1+0")),
    Level("3", "striped bytes, a parity drive", 3, 1, 1, 1, None),
    Level("4", "striped blocks, a parity drive", 3, 1, 1, 1, None),
    Level("5", "striped blocks, parity spread", 3, 1, 1, 1, 4),
    Level("6", "like 5, two parities", 4, 1, 2, 2, 6),
    Level("7", "like 5, three parities", 5, 1, 3, 3, None),
)
"""Level 7 is the paper's; the product of that name had one parity drive, and a cache."""


def level(name: str) -> Level:
    """Find a level by its number or name, with or without `RAID` before it.

    Raises InputError with the nearest name when there is none.
    """
    wanted = name.strip().lower().removeprefix("raid").strip(" -")
    known = {other: found for found in LEVELS for other in (found.name, *found.also)}
    if wanted in known:
        return known[wanted]
    listed = ", ".join(found.name for found in LEVELS)
    if wanted == "2":
        raise InputError(
            "RAID 2 is not calculated: it is for drives that do not detect their own errors, and "
            f"all of them do (there is: {listed})"
        )
    nearest = difflib.get_close_matches(wanted, known, n=1, cutoff=0.5)
    hint = f'; did you mean "{nearest[0]}"?' if nearest else ""
    raise InputError(f'there is no RAID level "{name}"{hint} (there is: {listed})')
