"""Memory that a sort needs to do without temporary files (S-01)."""

from headcount.errors import InputError
from headcount.storage import sources
from headcount.storage.checks import positive
from headcount.storage.formula import Formula

ALIGNMENT_BYTES = 8
"""Keys are kept at multiples of it (S-01)."""


def rounded_key_bytes(key_bytes: int) -> int:
    """What a sort key takes in memory: its length, rounded up to a multiple of 8 (S-01)."""
    positive("the length of a key in bytes", key_bytes, "9")
    return -(-key_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def sort_memory_bytes(
    rounded_keys_bytes: tuple[int, ...], observation_bytes: int, observations: int
) -> float:
    """Memory to sort so many observations (records) without a temporary file (S-01).

    The keys are those of `rounded_key_bytes`. A tenth is added as a margin: the paper's own sort
    needed 152 MB of the 171 MB calculated. Found for PROC SORT of 1998; the operating system's
    cache of the data read and written comes on top.
    """
    if not rounded_keys_bytes:
        raise InputError("no key is given; a sort needs the length of at least one, such as 9")
    for key_bytes in rounded_keys_bytes:
        if rounded_key_bytes(key_bytes) != key_bytes:
            raise InputError(f"a key of {key_bytes} bytes is not rounded up to a multiple of 8")
    positive("the length of an observation in bytes", observation_bytes, "184")
    positive("the number of observations", observations, "1000000")
    # No float is exactly 1.1; integers give the nearest to the exact result.
    return (sum(rounded_keys_bytes) + observation_bytes) * 11 * observations / 10


SORT_MEMORY = Formula(
    rule="S-01",
    name="memory_bytes",
    title="memory to sort without a temporary file",
    unit="bytes",
    template="({rounded_keys_bytes} + {observation_bytes}) * 1.1 * {observations}",
    source=sources.SORT_MEMORY,
    function=sort_memory_bytes,
)
