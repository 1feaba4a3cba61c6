"""One disk drive: how fast it turns, finds and delivers."""

from headcount.errors import InputError
from headcount.storage import sources
from headcount.storage.checks import not_negative, positive
from headcount.storage.formula import Formula

SECTOR_BYTES = 512
"""Of every drive of the paper (pp. 17-24). Drives since about 2010 have 4,096 inside."""

SEEK_FAST_MS, SEEK_SLOW_MS = 8.0, 12.0
"""Average seek of the paper's fast and slow drives (U-04)."""

LATENCY_FAST_MS, LATENCY_SLOW_MS = 2.8, 6.0
"""Average rotational latency of the paper's fastest and slowest drives (U-05)."""


def rotational_latency_ms(rpm: float) -> float:
    """Average wait until a sector comes under the head: half a turn (D-04).

    Holds where the sector wanted may be anywhere on the track. A drive that starts to read wherever
    it arrives waits less for a whole track; one without platters does not wait at all.
    """
    positive("rpm", rpm, "7200")
    return 1000 / (rpm / 60) / 2


def rpm_of_latency(latency_ms: float) -> float:
    """Revolutions per minute of a drive with this average rotational latency (U-05)."""
    positive("the rotational latency in ms", latency_ms, "4.17")
    return 60 * 1000 / (2 * latency_ms)


def track_bytes(sectors_per_track: int, sector_bytes: int) -> float:
    """Bytes that pass the head in one turn (D-02).

    Drives have more sectors on the outer tracks than on the inner ones; it holds for the track
    whose sectors are given.
    """
    positive("the number of sectors per track", sectors_per_track, "164")
    positive("the size of a sector in bytes", sector_bytes, str(SECTOR_BYTES))
    return sectors_per_track * sector_bytes


def sustained_rate_bytes_per_s(sector_bytes: int, sectors_per_track: int, rpm: float) -> float:
    """Rate at which a drive can go on delivering data: its tracks, once a turn (D-01, D-03).

    An upper limit: changing heads and tracks takes time, and the interface may be slower.
    """
    positive("rpm", rpm, "7200")
    return track_bytes(sectors_per_track, sector_bytes) * rpm / 60


def access_ms(seek_ms: float, head_switch_ms: float, latency_ms: float) -> float:
    """Average time to find data anywhere on the drive, before any is read (D-11, U-06).

    For random access with nothing queued. Command overhead, tenths of a millisecond, is left out.
    """
    not_negative("the seek time in ms", seek_ms, "8")
    not_negative("the head switch time in ms", head_switch_ms, "1")
    not_negative("the rotational latency in ms", latency_ms, "4.17")
    return seek_ms + head_switch_ms + latency_ms


def read_ms(
    fragments: int, seek_ms: float, latency_ms: float, size_bytes: int, rate_bytes_per_s: float
) -> float:
    """Time to read a file in that many pieces, with one average access for each (D-14).

    Assumes that the pieces lie anywhere, that nothing else moves the head, and that no part of the
    file is cached. Pieces close together cost less.
    """
    positive("the number of fragments", fragments, "1000")
    positive("the size of the file in bytes", size_bytes, "100000000")
    positive("the rate in bytes/s", rate_bytes_per_s, "10000000")
    if fragments > size_bytes:
        raise InputError(
            f"a file of {size_bytes:,} bytes cannot lie in {fragments:,} fragments; each has at "
            "least one byte"
        )
    return fragments * access_ms(seek_ms, 0, latency_ms) + size_bytes / rate_bytes_per_s * 1000


LATENCY = Formula(
    rule="D-04",
    name="latency_ms",
    title="average rotational latency",
    unit="ms",
    template="1000 / ({rpm} / 60) / 2",
    source=sources.HARD_DRIVE,
    function=rotational_latency_ms,
)
RPM = Formula(
    rule="U-05",
    name="rpm",
    title="speed of the spindle",
    unit="rpm",
    template="60 * 1000 / (2 * {latency_ms})",
    source=f"{sources.SPEEDS}, by D-04",
    function=rpm_of_latency,
)
TRACK = Formula(
    rule="D-02",
    name="track_bytes",
    title="data on a track",
    unit="bytes",
    template="{sectors_per_track} * {sector_bytes}",
    source=sources.HARD_DRIVE,
    function=track_bytes,
)
RATE = Formula(
    rule="D-01",
    name="sustained_rate_bytes_per_s",
    title="sustained transfer rate, at most",
    unit="bytes/s",
    template="{sector_bytes} * {sectors_per_track} * {rpm} / 60",
    source=sources.HARD_DRIVE,
    function=sustained_rate_bytes_per_s,
)
ACCESS = Formula(
    rule="D-11",
    name="access_ms",
    title="average access time",
    unit="ms",
    template="{seek_ms} + {head_switch_ms} + {latency_ms}",
    source=sources.HARD_DRIVE,
    function=access_ms,
)
READ = Formula(
    rule="D-14",
    name="read_ms",
    title="time to read the file",
    unit="ms",
    template="{fragments} * ({seek_ms} + {latency_ms}) + {size_bytes} / {rate_bytes_per_s} * 1000",
    source=f"{sources.HARD_DRIVE}; {sources.DERIVED}",
    function=read_ms,
)
