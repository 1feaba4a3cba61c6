"""Every formula there is, as docs/storage-formulas.md lists them."""

from headcount.storage import bus, cycles, disk, gain, interfaces, queueing, raid, sort

FORMULAS = (
    cycles.CYCLE,
    cycles.LOST,
    disk.RPM,
    disk.RATE,
    disk.TRACK,
    disk.LATENCY,
    bus.BUS,
    bus.LOAD,
    queueing.QUEUE_TIME,
    queueing.RESPONSE,
    interfaces.WIDE,
    disk.ACCESS,
    disk.READ,
    raid.CAPACITY,
    raid.IOPS,
    sort.SORT_MEMORY,
    gain.SAVED,
    gain.SPEED_UP,
)
