"""Interfaces of drives in 1998: their rates, and how many drives they take (D-08, D-09, D-10)."""

from dataclasses import dataclass

from headcount.storage import sources
from headcount.storage.checks import positive
from headcount.storage.formula import Formula

IDE_DRIVES = 2 * 2
"""Two channels of two devices on a main board (D-10)."""

NARROW_SCSI_DRIVES = 8 - 1
WIDE_SCSI_DRIVES = 16 - 1
"""Addresses without the controller's own (D-10)."""


def wide_bytes_per_s(narrow_bytes_per_s: float) -> float:
    """Rate of a wide SCSI bus: two bytes instead of one with every transfer (D-08)."""
    positive("the rate of the narrow bus in bytes/s", narrow_bytes_per_s, "20000000")
    return 2 * narrow_bytes_per_s


WIDE = Formula(
    rule="D-08",
    name="wide_bytes_per_s",
    title="rate of a wide SCSI bus",
    unit="bytes/s",
    template="2 * {narrow_bytes_per_s}",
    source=sources.HARD_DRIVE,
    function=wide_bytes_per_s,
)


@dataclass(frozen=True, slots=True)
class Interface:
    """How drives are connected.

    Attributes:
        name: What the paper calls it, but for Ultra DMA/33 (see docs/storage-formulas.md).
        rate_bytes_per_s: Most that one channel carries.
        drives: Most drives: of an IDE main board with two channels, of a SCSI bus. None where the
            paper does not say.
        rule: Its rule in docs/storage-formulas.md.

    """

    name: str
    rate_bytes_per_s: float
    drives: int | None
    rule: str


FAST, FAST_20, FAST_40 = 10e6, 20e6, 40e6
"""Rates of the narrow SCSI buses, in bytes/s."""

INTERFACES = (
    Interface("IDE, DMA mode 0", 2.1e6, IDE_DRIVES, "D-09"),
    Interface("IDE, PIO mode 0", 3.3e6, IDE_DRIVES, "D-09"),
    Interface("EIDE, PIO mode 4 or multiword DMA 2", 16.6e6, IDE_DRIVES, "D-09"),
    Interface("Ultra DMA/33", 33.3e6, IDE_DRIVES, "D-09"),
    Interface("SCSI FAST", FAST, NARROW_SCSI_DRIVES, "D-08"),
    Interface("SCSI FAST-20", FAST_20, NARROW_SCSI_DRIVES, "D-08"),
    Interface("SCSI FAST-40", FAST_40, NARROW_SCSI_DRIVES, "D-08"),
    Interface("wide SCSI FAST", wide_bytes_per_s(FAST), WIDE_SCSI_DRIVES, "D-08"),
    Interface("wide SCSI FAST-20", wide_bytes_per_s(FAST_20), WIDE_SCSI_DRIVES, "D-08"),
    Interface("wide SCSI FAST-40", wide_bytes_per_s(FAST_40), WIDE_SCSI_DRIVES, "D-08"),
    Interface("Fibre Channel, 1 GHz", 100e6, None, "D-08"),
)
