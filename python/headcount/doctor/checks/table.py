"""All checks, in the order in which they run."""

from collections.abc import Callable, Mapping

from headcount.doctor.checks import (
    clock,
    counters,
    cpu,
    engine,
    groups,
    handles,
    namespaces,
    programs,
    rights,
    space,
)
from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome

CHECKS: Mapping[str, Callable[[Machine], Outcome]] = {
    "user": rights.user,
    "load engine": engine.engine,
    "loopback": engine.loopback,
    "open files": handles.open_files,
    "local ports": handles.local_ports,
    "folders": space.folders,
    "memory": space.memory_available,
    "CPUs": cpu.count_of_cpus,
    "CPU clock": cpu.governor,
    "clock": clock.clock,
    "real-time policy": rights.real_time,
    "control groups": groups.control_groups,
    "network namespaces": namespaces.network,
    "delay line": namespaces.line,
    "user namespaces": namespaces.user,
    "io_uring": engine.ring,
    "processes": counters.other_processes,
    "kernel counters": counters.kernel_counters,
    "lab servers": programs.lab_servers,
    "other programs": programs.helpers,
    # These end the time over which the machine is watched.
    "timers": clock.timers,
    "neighbours": cpu.neighbours,
    "steal": cpu.steal,
}
"""The checks, by the name under which their results are shown."""
