"""What the paper advises where a figure alone would mislead."""

from dataclasses import dataclass

from headcount.storage import sources
from headcount.storage.bus import BUSY_SHARE
from headcount.storage.levels import Level
from headcount.storage.queueing import CONGESTED


@dataclass(frozen=True, slots=True)
class Advice:
    """A rule of docs/storage-formulas.md that advises.

    Attributes:
        rule: Its id.
        text: What to do, and why.
        source: Where it comes from.

    """

    rule: str
    text: str
    source: str


BUSY = f"{BUSY_SHARE:.0%}"

SUSTAINED = Advice(
    "D-12",
    "Compare drives by the sustained rate, never by burst rate or average seek time.",
    sources.HARD_DRIVE,
)
HEAT = Advice(
    "D-13",
    "Keep drives cool: a hot one can lose a quarter of its speed or more.",
    sources.TIPS,
)
CABLE = Advice(
    "D-13",
    "Keep IDE cables within 18 inches; at the rates of RAID 0, a cable of 10 inches cured corrupt"
    " data.",
    f"{sources.PAPER}, appendix C",
)
SEEK = Advice(
    "D-12",
    "Access time matters for random access only; the larger a sequential file, the less it "
    "matters.",
    sources.HARD_DRIVE,
)
DEFRAGMENT = Advice(
    "D-14",
    "Defragment regularly: a file in one piece costs one access, whatever its size.",
    sources.HARD_DRIVE,
)
LONG_QUEUE = Advice(
    "D-07",
    f"More than {CONGESTED} transfers in the queue of one disk mean congestion.",
    sources.COUNTERS,
)
ENOUGH = Advice(
    "S-05",
    "Do not fall short: slightly too little memory is slower than much less. Add what other "
    "programs need.",
    sources.SORT_MEMORY,
)
CACHE = Advice(
    "S-04",
    "Add the cache for data read and written: full speed took 3.5 times the data set.",
    sources.SORT_MEMORY,
)
BUS_FREE = Advice(
    "D-06",
    f"The bus is not the bottleneck: its devices take no more than {BUSY} of it.",
    sources.SUBSYSTEM,
)
BUS_BUSY = Advice(
    "D-06",
    f"The bus may become the bottleneck: its devices can take more than {BUSY} of it. "
    "Put some on another bus.",
    sources.SUBSYSTEM,
)
TEMPORARY = Advice(
    "R-04",
    "Use RAID 0 for temporary data only, such as a paging file or sort space: one failed drive "
    "loses everything.",
    sources.LEVELS,
)
NO_HALF = Advice(
    "R-08",
    "Do not expect 50% more speed per drive, which would save 33% of the time: a second drive "
    "saved a sort 19 to 36%, a third and fourth together 0 to 25%.",
    sources.SORT_TIMES,
)
IDENTICAL = Advice(
    "R-12",
    "The drives of a mirror must be exactly alike, and the space costs twice as much.",
    sources.TIPS,
)
DUPLEX = Advice(
    "R-13",
    "Give each half of a mirror its own channel or controller, so that both writes happen almost "
    "at the same time.",
    sources.LEVELS,
)
STRIPED = Advice(
    "R-09",
    "RAID 0/1 was faster than RAID 1, and RAID 0 the fastest of all.",
    sources.DISCUSSION,
)
MIRROR = Advice(
    "R-12",
    "Where writes matter, mirror instead (RAID 1 or 0/1): each write must also compute and write "
    "parity.",
    sources.TIPS,
)
SLOWER = Advice(
    "R-07",
    "Measured with four drives, a sort on RAID 5 was 44% slower than on RAID 0.",
    sources.DISCUSSION,
)
PARITY_DRIVE = Advice(
    "R-14",
    "All parity is on one drive, so writes wait for it. RAID 5 spreads it: writes are considerably "
    "faster, reads slightly slower.",
    sources.LEVELS,
)
STRIPE = Advice(
    "R-11",
    "Stripes of 64 KB and 128 KB were the fastest.",
    sources.TIPS,
)
CONTROLLER = Advice(
    "R-10",
    "A controller on the bus has the reputation of being fastest, then an external one, then "
    "software. Measurements were mixed: software RAID 0 had the fastest run of all.",
    f"{sources.IMPLEMENTATION} and 32",
)
MEASURE = Advice(
    "R-15",
    "A disk benchmark does not predict how fast your application will be: measure it.",
    sources.DISCUSSION,
)

_OF_LEVEL = {
    "0": (TEMPORARY, NO_HALF),
    "1": (STRIPED, IDENTICAL, DUPLEX),
    "0/1": (IDENTICAL, DUPLEX),
    "3": (PARITY_DRIVE,),
    "4": (PARITY_DRIVE,),
    "5": (MIRROR, SLOWER),
    "6": (MIRROR,),
    "7": (MIRROR,),
}


def level_advice(level: Level) -> list[Advice]:
    """The advice for an array of this level."""
    return [*_OF_LEVEL[level.name], STRIPE, CONTROLLER, MEASURE]


def bus_advice(load: float) -> Advice:
    """Whether a bus with this load is the bottleneck."""
    return BUS_BUSY if load > BUSY_SHARE else BUS_FREE
