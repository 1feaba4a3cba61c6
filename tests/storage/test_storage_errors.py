"""What makes no sense is refused: one sentence that names it and says what to write instead."""

from collections.abc import Callable

import pytest

from headcount.errors import ExitCode, InputError
from headcount.storage import bus, cycles, disk, gain, interfaces, queueing, raid, sort
from headcount.storage.levels import level
from headcount.storage.raid import Array

REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: disk.rotational_latency_ms(0), "rpm is 0; it must be above 0, such as 7200"),
    (lambda: disk.rotational_latency_ms(-5), "rpm is -5; it must be above 0, such as 7200"),
    (lambda: disk.rotational_latency_ms(float("nan")), "rpm is not a number; write it like 7200"),
    (
        lambda: disk.rotational_latency_ms(float("inf")),
        "rpm is above 1e+18, which is too large; write it like 7200",
    ),
    (
        lambda: disk.rotational_latency_ms(1e-15),
        "rpm is 1e-15, which is too small; write it like 7200",
    ),
    (
        lambda: disk.rpm_of_latency(0),
        "the rotational latency in ms is 0; it must be above 0, such as 4.17",
    ),
    (
        lambda: disk.track_bytes(0, 512),
        "the number of sectors per track is 0; it must be above 0, such as 164",
    ),
    (
        lambda: disk.track_bytes(164, -512),
        "the size of a sector in bytes is -512; it must be above 0, such as 512",
    ),
    (
        lambda: disk.sustained_rate_bytes_per_s(512, 164, 0),
        "rpm is 0; it must be above 0, such as 7200",
    ),
    (
        lambda: disk.access_ms(-8, 0, 4),
        "the seek time in ms is -8; it must be 0 or more, for example 8",
    ),
    (
        lambda: disk.access_ms(8, -1, 4),
        "the head switch time in ms is -1; it must be 0 or more, for example 1",
    ),
    (
        lambda: disk.access_ms(8, 0, -4),
        "the rotational latency in ms is -4; it must be 0 or more, for example 4.17",
    ),
    (
        lambda: disk.read_ms(0, 8, 4, 100, 10),
        "the number of fragments is 0; it must be above 0, such as 1000",
    ),
    (
        lambda: disk.read_ms(101, 8, 4, 100, 10),
        "a file of 100 bytes cannot lie in 101 fragments; each has at least one byte",
    ),
    (
        lambda: disk.read_ms(1, 8, 4, 100, 0),
        "the rate in bytes/s is 0; it must be above 0, such as 10000000",
    ),
    (
        lambda: disk.read_ms(1, 8, 4, -(10**400), 10),
        "the size of the file in bytes is below -1e+18; it must be above 0, such as 100000000",
    ),
    (lambda: cycles.cycle_ns(0), "the clock in MHz is 0; it must be above 0, such as 200"),
    (
        lambda: cycles.lost_cycles(-1, 5),
        "the wait in ms is -1; it must be 0 or more, for example 18",
    ),
    (
        lambda: queueing.queue_time_ms(-2, 15),
        "the queue length is -2; it must be 0 or more, for example 2",
    ),
    (
        lambda: queueing.response_ms(2, 0),
        "the number of transfers per second is 0; it must be above 0, such as 130",
    ),
    (
        lambda: bus.bus_bytes_per_s(0, 33),
        "the width of the bus in bytes is 0; it must be above 0, such as 4",
    ),
    (
        lambda: bus.bus_bytes_per_s(4, 0),
        "the clock of the bus in MHz is 0; it must be above 0, such as 33",
    ),
    (
        lambda: bus.bus_load((), 132e6),
        "no device is given; give the sustained rate of each, such as 10MB,10MB",
    ),
    (
        lambda: bus.bus_load((-1,), 132e6),
        "the rate of a device in bytes/s is -1; it must be 0 or more, for example 10000000",
    ),
    (
        lambda: interfaces.wide_bytes_per_s(0),
        "the rate of the narrow bus in bytes/s is 0; it must be above 0, such as 20000000",
    ),
    (
        lambda: raid.usable_bytes(4, 1, 1, -1),
        "the size of a drive in bytes is -1; it must be above 0, such as 4000000000000",
    ),
    (
        lambda: raid.usable_bytes(5, 2, 0, 1),
        "5 drives cannot hold 2 copies; use a multiple of 2",
    ),
    (
        lambda: raid.usable_bytes(3, 1, 3, 1),
        "3 drives with 3 of parity hold no data; add drives",
    ),
    (
        lambda: raid.functional_iops(4, 0, 0.7, 4),
        "the IOPS of a drive is 0; it must be above 0, such as 150",
    ),
    (
        lambda: raid.functional_iops(4, 150, 1.2, 4),
        "the share of reads is 1.2; it must be from 0 to 1 (0% to 100%)",
    ),
    (
        lambda: raid.functional_iops(4, 150, -0.1, 4),
        "the share of reads is -0.1; it must be from 0 to 1 (0% to 100%)",
    ),
    (
        lambda: raid.functional_iops(4, 150, 10**400, 4),
        "the share of reads is above 1e+18; it must be from 0 to 1 (0% to 100%)",
    ),
    (
        lambda: Array(level("5"), 2),
        "RAID 5 needs at least 3 drives, and there are 2",
    ),
    (
        lambda: Array(level("0"), 1),
        "RAID 0 needs at least 2 drives, and there is 1",
    ),
    (
        lambda: Array(level("10"), 5),
        "RAID 0/1 mirrors in pairs and needs an even number of drives, not 5",
    ),
    (
        lambda: raid.compare(1, None, None, None),
        "1 drive is not an array; RAID begins with 2 drives",
    ),
    (
        lambda: raid.compare(0, None, None, None),
        "the number of drives is 0; it must be above 0, such as 4",
    ),
    (
        lambda: Array(level("4"), 4).iops(150, 0.7),
        (
            "the IOPS of RAID 4 do not follow from a cost for each write, so they are not "
            "calculated; leave them out, or take one of the levels 0, 1, 0/1, 5, 6"
        ),
    ),
    (
        lambda: level("50"),
        'there is no RAID level "50"; did you mean "5"? (there is: 0, 1, 0/1, 3, 4, 5, 6, 7)',
    ),
    (
        lambda: level("miroring"),
        (
            'there is no RAID level "miroring"; did you mean "mirroring"? '
            "(there is: 0, 1, 0/1, 3, 4, 5, 6, 7)"
        ),
    ),
    (
        lambda: level("zfs"),
        'there is no RAID level "zfs" (there is: 0, 1, 0/1, 3, 4, 5, 6, 7)',
    ),
    (
        lambda: level("RAID 2"),
        (
            "RAID 2 is not calculated: it is for drives that do not detect their own errors, and "
            "all of them do (there is: 0, 1, 0/1, 3, 4, 5, 6, 7)"
        ),
    ),
    (
        lambda: sort.rounded_key_bytes(0),
        "the length of a key in bytes is 0; it must be above 0, such as 9",
    ),
    (
        lambda: sort.sort_memory_bytes((), 100, 1),
        "no key is given; a sort needs the length of at least one, such as 9",
    ),
    (
        lambda: sort.sort_memory_bytes((9,), 100, 1),
        "a key of 9 bytes is not rounded up to a multiple of 8",
    ),
    (
        lambda: sort.sort_memory_bytes((16,), 0, 1),
        "the length of an observation in bytes is 0; it must be above 0, such as 184",
    ),
    (
        lambda: sort.sort_memory_bytes((16,), 100, 0),
        "the number of observations is 0; it must be above 0, such as 1000000",
    ),
    (
        lambda: gain.time_saved(0, 1),
        "the time before is 0; it must be above 0, such as 57.8s",
    ),
    (
        lambda: gain.speed_up(1, 0),
        "the time after is 0; it must be above 0, such as 39.7s",
    ),
]


@pytest.mark.parametrize(("wrong", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_nonsense_is_refused(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as refused:
        wrong()
    assert str(refused.value) == message
    assert refused.value.exit_code == ExitCode.BAD_INPUT


def test_a_share_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(InputError, match="the share of reads is nan; it must be from 0 to 1"):
        raid.functional_iops(4, 150, float("nan"), 4)
