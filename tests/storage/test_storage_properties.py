"""What must hold for any drive, array, bus and sort."""

import contextlib
import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headcount.errors import InputError
from headcount.storage import bus, cycles, disk, gain, queueing, raid, sort
from headcount.storage.levels import LEVELS, Level, level
from headcount.storage.raid import Array

MODELLED = [one for one in LEVELS if one.write_penalty is not None]
amounts = st.floats(1e-6, 1e9)
shares = st.floats(0, 1)
sizes = st.integers(1, 10**15)


@st.composite
def arrays(draw: st.DrawFn, among: list[Level]) -> Array:
    """An array that can be built, of up to 64 drives."""
    one = draw(st.sampled_from(among))
    return Array(one, one.copies * draw(st.integers(-(-one.minimum_drives // one.copies), 32)))


@given(drives=st.integers(2, 1000), drive_iops=amounts)
def test_striping_with_reads_only_does_the_work_of_all_drives(
    drives: int, drive_iops: float
) -> None:
    assert Array(level("0"), drives).iops(drive_iops, 1.0).value == drives * drive_iops


@given(array=arrays(MODELLED), drive_iops=amounts, reads=shares)
def test_no_array_does_more_than_its_drives(array: Array, drive_iops: float, reads: float) -> None:
    most = array.drives * drive_iops
    found = array.iops(drive_iops, reads).value
    penalty = array.level.write_penalty or 0
    assert most / penalty * (1 - 1e-12) <= found <= most * (1 + 1e-12)


@given(array=arrays(MODELLED), reads=st.tuples(shares, shares))
def test_more_reads_are_never_slower(array: Array, reads: tuple[float, float]) -> None:
    fewer, more = sorted(reads)
    assert array.iops(150, fewer).value <= array.iops(150, more).value * (1 + 1e-12)


@given(reads=shares, drives=st.integers(2, 32).map(lambda half: 2 * half))
def test_the_levels_keep_their_order(reads: float, drives: int) -> None:
    found = [Array(level(one), drives).iops(150, reads).value for one in ("0", "0/1", "5", "6")]
    for better, worse in itertools.pairwise(found):
        assert worse <= better * (1 + 1e-12)


@given(array=arrays(list(LEVELS)), drive_bytes=sizes)
def test_capacity_is_never_above_all_drives(array: Array, drive_bytes: int) -> None:
    found = array.capacity(drive_bytes).value
    assert drive_bytes <= found <= array.drives * drive_bytes
    assert found % drive_bytes == 0
    assert (found == array.drives * drive_bytes) == (array.level.survives == 0)


@given(array=arrays(list(LEVELS)), drive_bytes=sizes)
def test_an_added_drive_or_pair_adds_its_whole_capacity(array: Array, drive_bytes: int) -> None:
    step = array.level.copies
    larger = Array(array.level, array.drives + step)
    assert larger.capacity(drive_bytes).value - array.capacity(drive_bytes).value == drive_bytes


@given(slower=st.floats(1, 1e6), factor=st.floats(1.001, 1000))
def test_latency_falls_with_the_speed(slower: float, factor: float) -> None:
    assert disk.rotational_latency_ms(slower * factor) < disk.rotational_latency_ms(slower)


@given(rpm=st.floats(1e-3, 1e9))
def test_speed_and_latency_are_each_others_inverse(rpm: float) -> None:
    assert math.isclose(disk.rpm_of_latency(disk.rotational_latency_ms(rpm)), rpm, rel_tol=1e-12)


@given(sectors=st.integers(1, 10**6), sector_bytes=st.integers(1, 10**6), rpm=amounts)
def test_the_rate_is_linear_in_density_and_speed(
    sectors: int, sector_bytes: int, rpm: float
) -> None:
    rate = disk.sustained_rate_bytes_per_s(sector_bytes, sectors, rpm)
    denser = disk.sustained_rate_bytes_per_s(sector_bytes, 2 * sectors, rpm)
    assert denser == 2 * rate
    # A track passes in the time of a turn, which is twice the average latency.
    turn_s = 2 * disk.rotational_latency_ms(rpm) / 1000
    assert math.isclose(rate * turn_s, sectors * sector_bytes, rel_tol=1e-12)


@given(size=sizes, pieces=st.integers(1, 10**6), seek=st.floats(0, 100), latency=st.floats(0, 100))
def test_each_fragment_costs_an_access(size: int, pieces: int, seek: float, latency: float) -> None:
    assume(pieces <= size)
    whole_ms = disk.read_ms(1, seek, latency, size, 1e7)
    broken_ms = disk.read_ms(pieces, seek, latency, size, 1e7)
    extra_ms = Fraction(pieces - 1) * (Fraction(seek) + Fraction(latency))
    assert broken_ms >= whole_ms
    assert math.isclose(
        broken_ms - whole_ms, float(extra_ms), rel_tol=1e-6, abs_tol=broken_ms * 1e-12
    )


@given(clock=st.floats(1, 1e6), wait=st.floats(0, 1e6))
def test_each_mhz_loses_a_thousand_cycles_per_ms(clock: float, wait: float) -> None:
    lost = cycles.lost_cycles(wait, cycles.cycle_ns(clock))
    assert math.isclose(lost, wait * clock * 1000, rel_tol=1e-12, abs_tol=1e-12)


@given(length=st.floats(0, 1e6), per_s=amounts)
def test_littles_law_both_ways(length: float, per_s: float) -> None:
    response_s = queueing.response_ms(length, per_s) / 1000
    assert math.isclose(response_s * per_s, length, rel_tol=1e-12, abs_tol=1e-12)


@given(
    rates=st.lists(st.floats(0, 1e9), min_size=1, max_size=20), width=st.sampled_from([1, 2, 4, 8])
)
def test_the_load_of_a_bus_is_the_sum_of_its_devices(rates: list[float], width: int) -> None:
    most = bus.bus_bytes_per_s(width, 33)
    assert most == width * 33 * 10**6
    load = bus.bus_load(tuple(rates), most)
    assert math.isclose(load * most, math.fsum(rates), rel_tol=1e-9, abs_tol=1e-6)


@given(
    keys=st.lists(st.integers(1, 10_000), min_size=1, max_size=20),
    observation=st.integers(1, 10**6),
    observations=st.integers(1, 10**12),
)
def test_memory_of_a_sort_is_the_nearest_to_exact(
    keys: list[int], observation: int, observations: int
) -> None:
    rounded = tuple(sort.rounded_key_bytes(key) for key in keys)
    for key, kept in zip(keys, rounded, strict=True):
        assert kept % 8 == 0
        assert key <= kept < key + 8
    exact = Fraction(11, 10) * (sum(rounded) + observation) * observations
    assert sort.sort_memory_bytes(rounded, observation, observations) == float(exact)


@given(before=amounts, after=amounts)
def test_both_ways_of_saying_a_gain_agree(before: float, after: float) -> None:
    faster = gain.speed_up(before, after)
    assert math.isclose(1 - gain.time_saved(before, after), 1 / faster, rel_tol=1e-6, abs_tol=1e-12)


def call(function, *numbers) -> None:
    """A refusal is an InputError, and any answer is a finite number."""
    with contextlib.suppress(InputError):
        assert math.isfinite(function(*numbers))


ANYTHING = st.one_of(
    st.floats(), st.integers(), st.sampled_from([0, -1, 10**400, -(10**400), 1e-320, math.nan])
)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (disk.rotational_latency_ms, 1),
        (disk.rpm_of_latency, 1),
        (disk.track_bytes, 2),
        (disk.sustained_rate_bytes_per_s, 3),
        (disk.access_ms, 3),
        (disk.read_ms, 5),
        (cycles.cycle_ns, 1),
        (cycles.lost_cycles, 2),
        (queueing.queue_time_ms, 2),
        (queueing.response_ms, 2),
        (bus.bus_bytes_per_s, 2),
        (gain.time_saved, 2),
        (gain.speed_up, 2),
        (raid.functional_iops, 4),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@given(data=st.data())
def test_no_number_makes_a_formula_fail(function, arguments: int, data: st.DataObject) -> None:
    call(function, *(data.draw(ANYTHING) for _ in range(arguments)))


@given(drives=st.integers(), copies=st.integers(), parity=st.integers(), size=st.integers())
def test_no_whole_number_makes_the_capacity_fail(
    drives: int, copies: int, parity: int, size: int
) -> None:
    call(raid.usable_bytes, drives, copies, parity, size)


@given(st.text())
def test_no_text_makes_a_level_fail(name: str) -> None:
    try:
        found = level(name)
    except InputError as error:
        assert "0, 1, 0/1, 3, 4, 5, 6, 7" in str(error)  # noqa: PT017
    else:
        assert found in LEVELS
