"""Sort sizes to try: from the paper's default to where everything fits, and a little beyond."""

from collections.abc import Sequence

from headcount.sort.experiment import Setting
from headcount.sort.place import Place

FIRST_BYTES = 2_000_000
"""The default of 1998 (S-07)."""
STEP = 2
"""The paper's own steps: 2, 4, 8 MB and so on."""
BESIDE_BYTES = 48_000_000
"""Part of a memory limit left for the program itself and the least cache it needs."""


def sizes(need_bytes: int, least_bytes: int) -> list[int]:
    """Sizes that double until the data fit, the size that just fits, and one beyond it."""
    found = [least_bytes] if least_bytes > FIRST_BYTES else []
    size = FIRST_BYTES
    while size < need_bytes:
        if size >= least_bytes:
            found.append(size)
        size *= STEP
    return [*found, need_bytes, size if size > need_bytes else size * STEP]


def settings(
    sizes_bytes: Sequence[int],
    memories_bytes: Sequence[int | None],
    need_bytes: int,
    work: tuple[Place, ...],
) -> tuple[list[Setting], list[Setting]]:
    """Every size with every memory limit, and apart from them those that do not fit the limit.

    A sort takes no more than it needs, so a large size is left out only if that need does not fit.
    """
    kept: list[Setting] = []
    left_out: list[Setting] = []
    for memory_bytes in memories_bytes:
        for size in sorted(set(sizes_bytes)):
            one = Setting(size, memory_bytes, work)
            taken = min(size, need_bytes)
            fits = memory_bytes is None or taken + BESIDE_BYTES <= memory_bytes
            (kept if fits else left_out).append(one)
    return kept, left_out
