"""Clock and timers: what response times are measured with."""

from itertools import pairwise
from statistics import median

from headcount.counters.environment.reading import first_line
from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, ok
from headcount.text import duration

SOURCE = "sys/devices/system/clocksource/clocksource0"
READS = 2_000
SLOW_NS = 1_000
"""A slower reading goes through the kernel to a device, such as HPET. Others take some 50 ns, plus
as much again for Python."""
PERCENTILE = 0.99
"""The percentile of timer lateness, as in the check of every level."""
LATE_MS = 1.0
"""Lateness of timers on a quiet machine, at most."""


def clock(machine: Machine) -> Outcome:
    """The clock's source, how long a reading takes, and whether it ever runs backwards."""
    source = first_line(machine.root / SOURCE / "current_clocksource")
    moments = [machine.clock_ns() for _ in range(READS)]
    steps = [later - earlier for earlier, later in pairwise(moments)]
    cost_ns = median(steps)
    read = f"{source or 'source not readable'}, {duration(cost_ns / 1e6)} a reading"
    if min(steps) < 0:
        return limited(
            f"{read}, runs backwards",
            "Response times are wrong.",
            "use another machine: the clock of this one is broken",
        )
    if cost_ns > SLOW_NS:
        return limited(
            read,
            "Reading the clock costs the load generator CPU, so it plays fewer users.",
            *_faster(machine, source),
        )
    return ok(read, "Response times are much longer.")


def _faster(machine: Machine, source: str | None) -> list[str]:
    """Commands that select a clock source read without the kernel, or advice if there is none."""
    offered = (first_line(machine.root / SOURCE / "available_clocksource") or "").split()
    quick = [one for one in offered if one != source and (one == "tsc" or "clock" in one)]
    if not quick:
        return ["use a machine whose clock source is tsc, kvm-clock or arch_sys_counter"]
    place = f"/{SOURCE}/current_clocksource"
    return [f"echo {quick[0]} | {machine.as_root(f'tee {place}')}"]


def timers(machine: Machine) -> Outcome:
    """How late timers are now, with the policy that the generator's threads would have."""
    late = sorted(machine.moment.lateness_ms)
    if not late:
        return limited("no timer was seen", "How late the load generator would be is not known.")
    worst_ms = late[min(round(len(late) * PERCENTILE), len(late) - 1)]
    how = "real-time" if machine.moment.real_time else "without real-time policy"
    read = f"1% of timers are over {duration(max(worst_ms, 0))} late ({how})"
    if worst_ms > LATE_MS:
        return limited(
            read,
            "Response times are longer by as much, and are given as ranges.",
            "end other programs, allow the real-time policy, or use a machine of its own",
        )
    return ok(read, "Response times are as exact.")
