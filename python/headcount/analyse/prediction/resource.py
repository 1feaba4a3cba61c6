"""What a run had of each resource, from its counters and the limits in its plan."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from headcount.analyse.diagnosis.evidence import cpu, disk, network
from headcount.analyse.diagnosis.observation import Observation
from headcount.counters.naming import split_instance
from headcount.plan.limits import parse_limits

Kind = Literal["cpu", "disk", "network"]
KINDS: Final[Sequence[Kind]] = ("cpu", "disk", "network")
Shape = Literal["servers", "stations", "rate"]
READ_IO = "process.disk.io{disk.io.direction=read}"
HOST_READ_IO = "system.disk.io{disk.io.direction=read}"
HOST_WRITE_IO = "system.disk.io{disk.io.direction=write}"
READ_OPS = "system.disk.operations{disk.io.direction=read}"
WRITE_OPS = "system.disk.operations{disk.io.direction=write}"
OPS_TIME = "system.disk.operation_time"
QUEUE_RATE = "system.network.queue.rate"
Use = Callable[[Observation], float | None]


@dataclass(frozen=True, slots=True)
class Resource:
    """Something with a capacity that scenarios use.

    Attributes:
        name: Such as `disk read`.
        kind: The kind of hardware that changes it.
        shape: Several servers of one queue (CPUs), a queue each (disks), or one whose speed is the
            capacity (a link, a limited rate).
        counter: The counter that shows its use.
        unit: Unit of the capacity.
        capacity: Capacity in the run; None if unknown.
        use: How much of it a level used, in the unit; None if it was not observed.
        own: Whether the counter covers the server only.

    """

    name: str
    kind: Kind
    shape: Shape
    counter: str
    unit: str
    capacity: float | None
    use: Use
    own: bool = False


Payload = Mapping[int, tuple[float, float]]
"""Bytes/s that users read and wrote, by level."""
FRAMES = 1538 / 1460
"""Bytes on an Ethernet for each byte of payload: headers of TCP and IP with time stamps, frame,
preamble and gap around 1,460 to 1,448 of 1,500 (IEEE 802.3, RFC 9293)."""


def resources(
    levels: Sequence[Observation],
    limits: Mapping[str, str],
    payload: Payload,
    spindles: float | None = None,
) -> list[Resource]:
    """The resources of a run; `spindles` is the number of disks that share its work."""
    top = max(levels, key=lambda o: o.users)
    given = parse_limits(limits)
    links = list(_network(top, given)) or list(_unlimited(payload))
    found = [*_cpu(top, given), *_disks(levels, given, spindles), *links]
    return [one for one in found if any(one.use(o) is not None for o in levels)]


def resource_name(name: str) -> str:
    """The name of a resource in a sentence."""
    return "CPU" if name == "cpu" else name


def of_kind(found: Sequence[Resource], kind: Kind) -> list[Resource]:
    """The resources that a change of this hardware changes."""
    return [one for one in found if one.kind == kind]


def _reader(*names: str) -> Use:
    return lambda o: o.mean(*names)


Given = Mapping[str, float | int | str]


def _cpu(top: Observation, given: Given) -> Iterator[Resource]:
    """A quota, the CPUs that the server is bound to, or all CPUs of the machine."""
    quota = top.mean(cpu.LIMIT) or given.get("cpu")
    group = _reader(cpu.GROUP, cpu.OWN)
    if quota and group(top) is not None:
        yield Resource("cpu", "cpu", "servers", cpu.GROUP, "cores", float(quota), group, own=True)
        return
    bound = given.get("cpus")
    if isinstance(bound, str) and group(top) is not None:
        yield Resource("cpu", "cpu", "servers", cpu.GROUP, "cores", _listed(bound), group, own=True)
        return
    there = top.mean(cpu.COUNT)
    if there is None:
        return

    def used(o: Observation) -> float | None:
        busy, count = o.mean(cpu.HOST), o.mean(cpu.COUNT)
        if busy is None or count is None:
            return None
        return max(busy * count - (o.mean(cpu.FOREIGN) or 0.0), 0.0)

    # The use of other programs may have to be given back: it is not part of what scenarios use.
    yield Resource("cpu", "cpu", "servers", cpu.HOST, "cores", there, used)


def _listed(text: str) -> float:
    """How many CPUs a list such as `0-1,3` names."""
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        count += int(last or first) - int(first) + 1
    return float(count)


LIMITED = (
    ("disk read", "disk-read", "By/s", (READ_IO, HOST_READ_IO)),
    ("disk write", "disk-write", "By/s", (HOST_WRITE_IO,)),
    ("disk read requests", "disk-read-ops", "1/s", (READ_OPS,)),
    ("disk write requests", "disk-write-ops", "1/s", (WRITE_OPS,)),
)
"""Written bytes come from the machine's count: with large folios the kernel counts a small write of
a process as the whole folio that it makes dirty (`task_io_account_write`)."""


def _disks(
    levels: Sequence[Observation], given: Given, spindles: float | None
) -> Iterator[Resource]:
    limited = [(name, limit, unit, of) for name, limit, unit, of in LIMITED if limit in given]
    for name, limit, unit, counters in limited:
        capacity = float(given[limit])
        use = _reader(*counters)
        own = counters[0] == READ_IO
        yield Resource(name, "disk", "rate", counters[0], unit, capacity, use, own=own)
    if limited:
        return
    if spindles is not None and spindles > 1:
        # A volume of many disks is busy as soon as one of them is. The number of busy disks is the
        # request rate times the time of one request without queueing (Little).
        alone = _alone_s(levels)
        if alone is not None:
            use = _busy_disks(alone)
            yield Resource("disk", "disk", "stations", READ_OPS, "disks", spindles, use)
            return
    yield Resource(
        "disk", "disk", "stations", disk.BUSY, "disks", spindles or 1.0, _reader(disk.BUSY)
    )


def _alone_s(levels: Sequence[Observation]) -> float | None:
    parts = [(o.per_s, time) for o in levels if (time := o.mean(OPS_TIME))]
    return min(parts)[1] / 1000 if parts else None


def _busy_disks(alone_s: float) -> Use:
    def use(o: Observation) -> float | None:
        reads, writes = o.mean(READ_OPS), o.mean(WRITE_OPS)
        return None if reads is None or writes is None else (reads + writes) * alone_s

    return use


def _network(top: Observation, given: Given) -> Iterator[Resource]:
    """The interface whose rate is limited, or those that say their speed."""
    limit = given.get("network")
    for name, rate in top.means.get("sut", {}).items():
        family, interface = split_instance(name)
        if interface is None or rate <= 0:
            continue
        if (family == QUEUE_RATE and limit) or (family == network.SPEED and not limit):
            # The limit of a lab server applies to each direction.
            for way, counter in (("sent", network.SENT), ("received", network.RECEIVED)):
                of = f"{counter[:-1]},network.interface.name={interface}}}"
                capacity = float(limit) / 8 if limit else rate
                label = f"network {way}" + ("" if limit else f" ({interface})")
                own = limit is not None
                use = _reader(of)
                yield Resource(label, "network", "rate", of, "By/s", capacity, use, own=own)


def _unlimited(payload: Payload) -> Iterator[Resource]:
    """For runs over loopback or an interface without a speed: the bytes that users moved."""
    for index, way in enumerate(("sent", "received")):

        def use(o: Observation, index: int = index) -> float | None:
            moved = payload.get(o.index)
            return moved[index] * FRAMES if moved is not None else None

        of = "read_bytes_per_s" if way == "sent" else "written_bytes_per_s"
        yield Resource(f"network {way}", "network", "rate", of, "By/s", None, use, own=True)
