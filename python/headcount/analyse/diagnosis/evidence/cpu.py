"""Signs that the server had too little CPU: a quota, full cores, or others that used it."""

from dataclasses import dataclass, replace

from headcount.analyse.diagnosis.evidence import locks, software
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, ramp, threshold
from headcount.bundle.diagnosis import Figure
from headcount.text import share, significant

HOST = "system.cpu.utilization"
COUNT = "system.cpu.logical.count"
STOLEN = "system.cpu.utilization{cpu.mode=steal}"
NOBODYS = (STOLEN, *(f"{HOST}{{cpu.mode={mode}}}" for mode in ("interrupt", "softirq")))
"""CPU time that no program used: interrupts, or time that was stolen."""
BUSIEST = "system.cpu.utilization.busiest"
FOREIGN = "system.cpu.foreign"
OWN = "process.cpu.utilization"
COLLECTION = "process.cpu.garbage_collection"
JVM = "jvm.gc.share"
BEHIND = "upstream.cpu.utilization"
BEHIND_DELAY = "upstream.cpu.run_delay"
GROUP = "cgroup.cpu.utilization"
LIMIT = "cgroup.cpu.limit"
THROTTLED = "cgroup.cpu.throttled"
DELAY = "process.cpu.run_delay"
BUSIEST_THREAD = "process.cpu.busiest_thread"
RUNNABLE = "process.threads.runnable"
BLOCKED = "process.threads.blocked"
ALL_IO = "cgroup.pressure{resource=io,kind=full}"
PRESSURE = "cgroup.pressure{resource=cpu,kind=some}"
HOST_PRESSURE = "system.linux.pressure{resource=cpu,kind=some}"


@dataclass(frozen=True, slots=True)
class Cores:
    """Who used how many CPUs of the server's machine; None if unknown."""

    there: float | None
    host: float | None
    server: float | None
    generator: float | None
    foreign: float | None


def cores(level: Observation) -> Cores:
    """Who used the CPUs; the rest of the host's use belongs to other programs.

    The use of servers behind it on the same machine counts as the server's, because its users cause
    it. Interrupts and stolen time are nobody's. The use of the server's control group is never that
    of others; it includes processes that came and went.
    """
    there, busy = level.mean(COUNT), level.mean(HOST)
    host = busy * there if busy is not None and there else None
    server = level.mean(GROUP, OWN)
    here = level.of_generator(OWN)
    foreign = level.mean(FOREIGN)
    if host is not None and there and server is not None and here is not None:
        nobodys = sum(level.mean(name) or 0.0 for name in NOBODYS) * there
        rest = max(host - nobodys - server - here - (level.of_line(OWN) or 0.0), 0.0)
        if foreign is None or (level.mean(GROUP) is not None and rest < foreign):
            foreign = rest
    behind = level.mean(BEHIND) or 0.0
    if foreign is not None and server is not None and behind:
        behind = min(behind, foreign)
        server, foreign = server + behind, foreign - behind
    return Cores(there, host, server, here, foreign)


def waiting(level: Observation) -> tuple[float, str] | None:
    """How much the server waited for CPU, from 0 to 1, and the counter that shows it."""
    pressure = level.mean(PRESSURE)
    delay = level.mean(DELAY)
    if pressure is not None:
        return pressure, PRESSURE
    if delay is not None:
        runnable = level.mean(RUNNABLE)  # 0: no thread was ever seen to want a CPU
        at_all = 1.0 if runnable is None else min(runnable, 1.0)
        return min(delay / threshold("cpu.delay"), 1.0) * at_all, DELAY
    pressure = level.mean(HOST_PRESSURE)
    return None if pressure is None else (pressure, HOST_PRESSURE)


def wanted(level: Observation) -> float | None:
    """CPU that the server's threads used or waited for, in cores; None if not observed.

    The smaller of two estimates counts. The waiting time of threads is too large if many wake at
    once; the number of ready threads is too large if taking the sample wakes them. If one thread
    always has a core to itself, the others wait for that thread, and want no more CPU than they
    use.
    """
    used, delay = level.mean(GROUP, OWN), level.mean(DELAY)
    busiest = level.mean(BUSIEST_THREAD)
    if used is not None and busiest is not None and busiest >= threshold("thread.busy.high"):
        return used
    runnable = level.mean(RUNNABLE)
    if used is None or delay is None:
        return runnable
    waited = used / max(1 - delay, 0.01)
    return waited if runnable is None else min(waited, runnable)


def _wanted_behind(level: Observation) -> float:
    """CPU that programs behind the server on its machine used or waited for, in cores."""
    used, delay = level.mean(BEHIND) or 0.0, level.mean(BEHIND_DELAY) or 0.0
    return used / max(1 - delay, 0.01)


def _longest_wait(level: Observation) -> tuple[float, str] | None:
    """How much the server, or a server behind it on its machine, waited for CPU: the larger one."""
    own, delay = waiting(level), level.mean(BEHIND_DELAY)
    if delay is None:
        return own
    behind = min(delay / threshold("cpu.delay"), 1.0) * min(_wanted_behind(level), 1.0)
    return own if own is not None and own[0] >= behind else (behind, BEHIND_DELAY)


def signs(level: Observation, seen: Saturation) -> Sign | None:
    """How surely the server wanted CPU that it did not get; None if not observed."""
    each = (_quota(level) or _held_back(level), _machine(level, seen), _pinned(level))
    found = [sign for sign in each if sign is not None]
    sign = max(found, key=lambda sign: sign.score, default=None)
    collecting = _collecting(level)
    if sign is None or collecting is None:
        return sign
    if collecting.counter == JVM and collecting.value >= threshold("jvm.gc.most"):
        # While a collection stops the program, it serves nobody, whatever else uses the CPU.
        least = threshold("jvm.gc")
        score = max(sign.score, between(collecting.value, least, threshold("jvm.gc.most")))
        figures = (collecting, *sign.figures)
        return replace(sign, detail="garbage collection", score=score, figures=figures, size=None)
    return replace(sign, figures=(*sign.figures, collecting))


def jvm_figure(level: Observation, stopped: float, when: str = "of the time") -> Figure:
    """The JVM's own counters of its garbage collector, and how full its heap is."""
    text = f"collections stopped the program for {share(stopped)} {when}, by the JVM's own count"
    used, limit = level.mean("jvm.memory.used"), level.mean("jvm.memory.limit")
    if used is not None and limit:
        text += f"; long-lived objects filled {share(min(used / limit, 1.0))} of their heap"
    return figure(level, JVM, stopped, text, threshold=threshold("jvm.gc"))


def _collecting(level: Observation) -> Figure | None:
    """The garbage collector's share of the server's CPU, if it is large."""
    stopped = level.mean(JVM)
    if stopped is not None and stopped >= threshold("jvm.gc"):
        return jvm_figure(level, stopped)
    used, collecting = level.mean(GROUP, OWN), level.mean(COLLECTION)
    if not used or collecting is None or collecting < threshold("gc.share") * used:
        return None
    text = f"its garbage collector used {share(min(collecting / used, 1.0))} of its CPU time"
    return figure(level, COLLECTION, collecting, text)


def _quota(level: Observation) -> Sign | None:
    """A control group's limit: the scheduler counts how often it throttled the group.

    A group that used up its limit could not get more, whatever the load of other programs.
    """
    throttled = level.mean(THROTTLED)
    if throttled is None:
        return None
    limit = level.mean(LIMIT)
    of = f" (limit: {significant(limit)} CPUs)" if limit is not None else ""
    text = f"its control group was throttled in {share(throttled)} of periods{of}"
    shown = figure(level, THROTTLED, throttled, text, threshold=threshold("decide.score"))
    used, score = level.mean(GROUP), throttled
    if used is not None and limit and throttled > 0:
        score = max(throttled, ramp(used / limit, "cpu.full.low", "cpu.full.high"))
    return Sign("cpu", "quota", score, (shown,), limit, "{cpu}" if limit is not None else None)


def _held_back(level: Observation) -> Sign | None:
    """Threads that are ready to run and get no CPU, while all CPUs have idle time.

    This is the effect of a quota on a group that is not observed: in a container's own namespace,
    for example, the pod's group is not visible. Threads that wake together from one disk flush also
    wait for each other; the server then waits for the disk.
    """
    busiest, delay = level.mean(BUSIEST), level.mean(DELAY)
    used, wants = level.mean(GROUP, OWN), wanted(level)
    if busiest is None or delay is None or used is None or wants is None:
        return None
    if busiest >= threshold("cpu.full.low"):
        return None
    score = ramp(delay, "cpu.held.low", "cpu.held.high") * between(wants - used, 0.5, 1.0)
    score *= 1 - _elsewhere(level)
    text = (
        f"its runnable threads waited for a CPU {share(delay)} of the time, although the server "
        f"used only {significant(used)} CPUs and no CPU was more than {share(busiest)} busy"
    )
    shown = figure(level, DELAY, delay, text, threshold=threshold("cpu.held.high"))
    return Sign("cpu", "quota", score, (shown,)) if score > 0 else None


def _pinned(level: Observation) -> Sign | None:
    """A server that waits for the CPUs it is pinned to while others are idle."""
    used, wait, busiest = cores(level), waiting(level), level.mean(BUSIEST)
    host = level.mean(HOST)
    if wait is None or busiest is None or host is None or wait[1] == HOST_PRESSURE:
        return None
    if host >= threshold("cpu.full.high") or used.there is None or used.there < 2:
        return None
    # The mean of the other CPUs: if they are nearly full too, the server is not pinned.
    rest = (host * used.there - busiest) / (used.there - 1)
    if rest >= threshold("cpu.full.low"):
        return None
    full = ramp(busiest, "cpu.full.low", "cpu.full.high")
    # Its own use only: the full core may belong to a server behind it.
    own = level.mean(GROUP, OWN)
    whole = own is not None and own >= threshold("cpu.full.low")
    score = min(full, wait[0]) if whole else 0.0
    text = (
        f"its tasks waited for a CPU {share(wait[0])} of the time while the machine used only "
        f"{share(host)} of its CPUs: the server is pinned to some of them"
    )
    return Sign("cpu", "bound to some cores", score, (_wait(level, wait, text),))


def _machine(level: Observation, seen: Saturation) -> Sign | None:
    """All CPUs of the machine in use, by the server or by others."""
    busy = level.mean(HOST)
    if busy is None:
        return None
    used, wait = cores(level), _longest_wait(level)
    full = ramp(busy, "cpu.full.low", "cpu.full.high")
    uses = 0.0
    if used.server is not None and used.there:
        uses = ramp(used.server / used.there, "cpu.full.low", "cpu.full.high")
    own = uses
    wants = wanted(level)
    if wants is not None and used.there:
        own = max(own, full * ramp(wants / used.there, "cpu.wanted.low", "cpu.wanted.high"))
    # Without a figure on waiting, the full machine is the only evidence.
    score = max(own, full * wait[0]) if wait is not None else full
    score *= 1 - _elsewhere(level)
    used_cpus = figure(
        level,
        HOST,
        busy,
        f"the machine's CPUs were {share(busy)} busy",
        threshold=threshold("cpu.full.high"),
    )
    figures = [used_cpus]
    if wait is not None:
        text = f"its tasks waited for a CPU {share(wait[0])} of the time"
        if wait[1] in (DELAY, BEHIND_DELAY):
            whose = "its" if wait[1] == DELAY else "behind it,"
            delay = level.mean(wait[1])
            text = f"{whose} runnable threads waited for a CPU {share(delay)} of the time"
        figures.append(_wait(level, wait, text))
    stolen = level.mean(STOLEN) or 0.0
    if stolen >= threshold("cpu.stolen") and uses < 1:
        text = f"the hypervisor gave {share(stolen)} of the CPU time to others"
        figures.insert(0, figure(level, STOLEN, stolen, text, threshold=threshold("cpu.stolen")))
        return Sign("cpu", "stolen", score, tuple(figures))
    if is_shared(used):
        foreign = used.foreign or 0.0
        text = f"other programs used {significant(foreign)} of {significant(used.there)} CPUs"
        limit = threshold("cpu.foreign") * (used.there or 0.0)
        named = figure(level, FOREIGN, foreign, text, threshold=limit, side="sut", unit="{cpu}")
        score *= ramp(_delayed(level, seen), "neighbour.low", "neighbour.high")
        return Sign("cpu", "neighbour", score, (named, *figures))
    return Sign("cpu", "all cores", score, tuple(figures))


def _elsewhere(level: Observation) -> float:
    """Share of time in which every task waits for I/O, so that none wants a CPU.

    Without a control group: the blocked share of the threads that are not idle.
    """
    stalled = level.mean(ALL_IO)
    if stalled is not None:
        return min(stalled, 1.0)
    blocked, runnable = level.mean(BLOCKED), level.mean(RUNNABLE)
    if blocked is None or runnable is None or blocked + runnable <= 0:
        return 0.0
    return blocked / (blocked + runnable)


def _delayed(level: Observation, seen: Saturation) -> float:
    """Share of the scenarios being served that wait for a CPU, by Little's law.

    The threads of a server that hardly computes wait long for a CPU on a busy machine, but that is
    little of a scenario's time. If the server reports that its threads wait for a lock, only the
    holder can wait for a CPU. 1 if unknown.
    """
    used, wants, under_way = level.mean(GROUP, OWN), wanted(level), level.under_way
    if used is None or wants is None or not under_way:
        return 1.0
    used, wants = used + (level.mean(BEHIND) or 0.0), wants + _wanted_behind(level)
    served = min(under_way, software.places_of(level, seen).effective or under_way)
    # Pressure is the share of time in which at least one task waits.
    delayed = min(max(wants - used, level.mean(PRESSURE) or 0.0) / served, 1.0)
    return delayed * (1 - locks.lock_share(level))


def is_shared(used: Cores) -> bool:
    """Whether programs other than server and generator used a relevant part."""
    if used.foreign is None or not used.there:
        return False
    return used.foreign >= threshold("cpu.foreign") * used.there


def _wait(level: Observation, wait: tuple[float, str], text: str) -> Figure:
    counter = wait[1]
    value = level.mean(counter)
    is_delay = counter in (DELAY, BEHIND_DELAY)
    limit = threshold("cpu.delay") if is_delay else threshold("decide.score")
    return figure(level, counter, wait[0] if value is None else value, text, threshold=limit)
