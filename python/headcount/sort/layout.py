"""What is sorted: records of one length, their keys, and what memory they need."""

from dataclasses import dataclass
from typing import Literal

from headcount import _engine
from headcount.errors import InputError
from headcount.storage import sort as rule
from headcount.storage.formula import Answer

PAPER_FORMULA_BYTES = 171_000_000
PAPER_USED_BYTES = 152_000_000
"""The memory that the paper's formula gave, and what its sort really used (S-02)."""
LONGEST_RECORD_BYTES = 32 * 1024
"""The longest record that the engine accepts."""
MOST_BYTES = 10**15
"""A petabyte; more is a typing error."""


@dataclass(frozen=True, slots=True)
class Key:
    """Where a key lies in a record: bytes before it, and its length in bytes."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Records to be sorted.

    Attributes:
        kind: How the engine fills the keys: few values each, or random.
        record_bytes: Length of a record; the last byte is a line end if no key is there.
        keys: The most significant first.
        origin: Which parts the original states, and which are our choice.

    """

    kind: Literal["observations", "records"]
    record_bytes: int
    keys: tuple[Key, ...]
    origin: str

    @property
    def places(self) -> list[tuple[int, int]]:
        """The keys as the engine takes them."""
        return [(key.offset, key.length) for key in self.keys]

    def records(self, size_bytes: int) -> int:
        """How many whole records fit into that many bytes.

        Raises InputError for less than one, or for more than a petabyte.
        """
        if not self.record_bytes <= size_bytes <= MOST_BYTES:
            raise InputError(
                f"data of {size_bytes} bytes cannot be sorted; --size must be from one record, "
                f"{self.record_bytes} bytes, to 1000000GB"
            )
        return size_bytes // self.record_bytes

    def formula(self, records: int) -> Answer:
        """What the paper's formula says that a sort without temporary files needs (S-01)."""
        return rule.SORT_MEMORY.solve(
            rounded_keys_bytes=tuple(rule.rounded_key_bytes(key.length) for key in self.keys),
            observation_bytes=self.record_bytes,
            observations=records,
        )

    def need_bytes(self, records: int, threads: int) -> int:
        """What this sort needs to do without temporary files, to the byte."""
        return _engine.sort_memory(self.record_bytes, self.places, records, threads)[0]

    def runs(self, records: int, threads: int, sortsize_bytes: int) -> tuple[int, int]:
        """How many runs are written with so much memory, and how many are merged at a time."""
        return _engine.sort_runs(self.record_bytes, self.places, records, threads, sortsize_bytes)

    def least_bytes(self, threads: int) -> int:
        """The least memory with which this sort can merge."""
        return _engine.sort_memory(self.record_bytes, self.places, 1, threads)[1]


OBSERVATIONS = Layout(
    kind="observations",
    record_bytes=144,
    keys=(Key(12, 9), Key(21, 8), Key(29, 20), Key(49, 30)),
    origin="the paper's: 100 MB and four BY variables. Ours: an observation of 144 bytes and keys "
    "of 9, 8, 20 and 30, so that the formula gives the paper's 171 MB for 100 MB; the values of "
    "the keys, of which the first three have 100, 1,000 and 10,000",
)
"""The paper names neither the length of its observations nor those of its keys."""


def record_layout(record_bytes: int, key_bytes: int) -> Layout:
    """Records with one key at their start, as sort benchmarks have them.

    Raises InputError when there are no such records.
    """
    if not 1 <= record_bytes <= LONGEST_RECORD_BYTES:
        raise InputError(
            f"--records is {record_bytes}; a record may have 1 to {LONGEST_RECORD_BYTES} bytes"
        )
    if not 1 <= key_bytes <= record_bytes:
        raise InputError(
            f"--key is {key_bytes}; the key must be within a record of {record_bytes} bytes"
        )
    return Layout(
        kind="records",
        record_bytes=record_bytes,
        keys=(Key(0, key_bytes),),
        origin="ours; 100 bytes with a key of 10 is the form of sortbenchmark.org, whose data come "
        "from another generator",
    )
