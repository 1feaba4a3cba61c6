"""The paper's worked examples of drives, buses and clocks, against exact arithmetic."""

from fractions import Fraction

import pytest

from headcount.storage import advice, bus, cycles, disk, interfaces, queueing

FAST_DRIVE = {"sector_bytes": 512, "sectors_per_track": 164, "rpm": 7200}


def test_a_cycle_of_200_mhz_is_5_ns() -> None:  # U-01
    assert cycles.cycle_ns(200) == 5
    assert cycles.cycle_ns(100) == 10  # U-03: the paper's SDRAM
    assert cycles.cycle_ns(1) * 10**6 == 10**9  # U-02: a MHz is a million cycles in 10^9 ns


def test_cycles_lost_in_18_ms() -> None:  # U-07
    assert cycles.lost_cycles(wait_ms=18, cycle_ns=5) == 3_600_000
    assert cycles.lost_cycles(wait_ms=18, cycle_ns=10) == 1_800_000


def test_positioning_of_the_fastest_and_slowest_drives() -> None:  # U-04, U-05, U-06
    fastest = disk.access_ms(disk.SEEK_FAST_MS, 0, disk.LATENCY_FAST_MS)
    slowest = disk.access_ms(disk.SEEK_SLOW_MS, 0, disk.LATENCY_SLOW_MS)
    assert fastest == pytest.approx(10.8, rel=1e-12)
    assert slowest == 18


def test_access_time_is_seek_head_switch_and_latency() -> None:  # D-11
    assert disk.access_ms(seek_ms=8, head_switch_ms=0.5, latency_ms=4) == 12.5


@pytest.mark.parametrize(
    ("rpm", "exact_ms", "printed"),
    [
        (7200, Fraction(25, 6), "4.17"),
        (5400, Fraction(50, 9), "5.56"),
        (10_000, Fraction(3), "3.00"),
        (15_000, Fraction(2), "2.00"),
        (5000, Fraction(6), "6.00"),
    ],
)
def test_average_rotational_latency(rpm: int, exact_ms: Fraction, printed: str) -> None:  # D-04
    latency_ms = disk.rotational_latency_ms(rpm)
    assert latency_ms == pytest.approx(float(exact_ms), rel=1e-15)
    assert f"{latency_ms:.2f}" == printed
    assert disk.rpm_of_latency(float(exact_ms)) == pytest.approx(rpm, rel=1e-15)


def test_the_paper_s_latency_in_seconds() -> None:  # D-04
    assert disk.rotational_latency_ms(7200) / 1000 == pytest.approx(0.004166666666, abs=1e-12)


def test_speeds_of_the_latencies_of_the_paper() -> None:  # U-05
    assert round(disk.rpm_of_latency(disk.LATENCY_FAST_MS)) == 10_714
    assert disk.rpm_of_latency(disk.LATENCY_SLOW_MS) == 5000


def test_the_sustained_rate() -> None:  # D-01, D-03
    assert disk.sustained_rate_bytes_per_s(**FAST_DRIVE) == 10_076_160
    denser = disk.sustained_rate_bytes_per_s(**{**FAST_DRIVE, "sectors_per_track": 328})
    assert denser == 20_152_320
    assert denser == 2 * disk.sustained_rate_bytes_per_s(**FAST_DRIVE)


def test_a_track() -> None:  # D-02
    assert disk.track_bytes(164, disk.SECTOR_BYTES) == 83_968
    assert disk.track_bytes(328, disk.SECTOR_BYTES) == 167_936


@pytest.mark.parametrize(("fragments", "exact_s", "printed"), [(1, 9.94, 2), (1000, 22.1, 1)])
def test_reading_100_mb_in_fragments(fragments: int, exact_s: float, printed: int) -> None:  # D-14
    read_ms = disk.read_ms(
        fragments,
        seek_ms=8,
        latency_ms=disk.rotational_latency_ms(7200),
        size_bytes=100_000_000,
        rate_bytes_per_s=disk.sustained_rate_bytes_per_s(**FAST_DRIVE),
    )
    assert round(read_ms / 1000, printed) == exact_s
    exact_ms = fragments * (8 + Fraction(25, 6)) + Fraction(100_000_000 * 1000, 10_076_160)
    assert read_ms == pytest.approx(float(exact_ms), rel=1e-14)


def test_the_pci_bus() -> None:  # D-05
    assert bus.bus_bytes_per_s(width_bytes=4, clock_mhz=33) == 132_000_000
    assert bus.bus_bytes_per_s(width_bytes=4, clock_mhz=66) == 264_000_000


def test_why_33_ns_is_an_error_of_the_paper() -> None:  # D-05
    clock_mhz = 1000 / 33  # of a cycle of 33 ns
    assert bus.bus_bytes_per_s(4, clock_mhz) / 1e6 == pytest.approx(121.2, abs=0.05)
    assert cycles.cycle_ns(33) == pytest.approx(30.3, abs=0.05)


def test_four_drives_do_not_fill_the_bus() -> None:  # D-06
    pci = bus.bus_bytes_per_s(4, 33)
    load = bus.bus_load((10e6,) * 4, pci)
    assert load == pytest.approx(40 / 132, rel=1e-15)
    assert bus.BUSY_SHARE * pci == pytest.approx(105.6e6, rel=1e-15)
    assert advice.bus_advice(load) is advice.BUS_FREE
    assert advice.bus_advice(bus.bus_load((10e6,) * 10, pci)) is advice.BUS_FREE
    assert advice.bus_advice(bus.bus_load((10e6,) * 11, pci)) is advice.BUS_BUSY


def test_at_exactly_the_threshold_the_bus_is_free() -> None:  # D-06
    assert advice.bus_advice(bus.BUSY_SHARE) is advice.BUS_FREE


def test_the_queue_time() -> None:  # D-07
    assert queueing.queue_time_ms(queue_length=2, transfer_ms=15) == 30


def test_littles_law_is_not_the_paper_s_product() -> None:  # D-07
    # A disk that serves 100 a second with two there at a time: each is there for 20 ms, of which
    # 10 are its own service. The product with the response time counts the wait twice.
    assert queueing.response_ms(queue_length=2, transfers_per_s=100) == 20
    assert queueing.queue_time_ms(queue_length=2, transfer_ms=10) == 20
    assert queueing.queue_time_ms(queue_length=2, transfer_ms=20) == 40


def test_rates_of_the_interfaces() -> None:  # D-08, D-09
    rates = {one.name: one.rate_bytes_per_s / 1e6 for one in interfaces.INTERFACES}
    assert rates == {
        "IDE, DMA mode 0": 2.1,
        "IDE, PIO mode 0": 3.3,
        "EIDE, PIO mode 4 or multiword DMA 2": 16.6,
        "Ultra DMA/33": 33.3,
        "SCSI FAST": 10,
        "SCSI FAST-20": 20,
        "SCSI FAST-40": 40,
        "wide SCSI FAST": 20,
        "wide SCSI FAST-20": 40,
        "wide SCSI FAST-40": 80,
        "Fibre Channel, 1 GHz": 100,
    }


def test_a_wide_bus_is_a_bus_of_two_bytes() -> None:  # D-08 by D-05
    for mhz in (10, 20, 40):
        assert interfaces.wide_bytes_per_s(mhz * 1e6) == bus.bus_bytes_per_s(2, mhz)


def test_drives_of_an_interface() -> None:  # D-10
    drives = {one.name: one.drives for one in interfaces.INTERFACES}
    assert drives["Ultra DMA/33"] == 4
    assert drives["SCSI FAST-20"] == 7
    assert drives["wide SCSI FAST-20"] == 15
    assert drives["Fibre Channel, 1 GHz"] is None
