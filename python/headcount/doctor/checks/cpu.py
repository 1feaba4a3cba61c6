"""Processors, and who else uses them."""

from headcount.analyse.neighbours import SHARE
from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, ok
from headcount.text import plural, share, significant

STEADY = "performance"
VARYING = ("powersave", "ondemand", "conservative", "schedutil", "userspace")
"""Frequency governors that change the clock with the load (cpufreq.rst)."""


def count_of_cpus(machine: Machine) -> Outcome:
    """How many CPUs the generator and a lab server share."""
    limits = machine.own_limits
    usable = limits.usable_cpus or machine.cpu.logical
    if usable is None:
        return limited("not readable", "The diagnosis cannot see whether CPUs are full.")
    cores = min(usable, limits.cpu_limit) if limits.cpu_limit is not None else usable
    quota = limits.cpu_limit is not None and limits.cpu_limit < usable
    bound = f", limited to {significant(limits.cpu_limit)} by a quota" if quota else ""
    read = f"{plural('CPU', usable)}{bound}" + (
        f", {machine.cpu.model}" if machine.cpu.model else ""
    )
    if cores < 2:
        return limited(
            read,
            "The load generator and a lab server compete for it.",
            "use 2 CPUs or more, or measure a server on another machine: --target http://SERVER",
        )
    return ok(read, "The load generator and lab servers share them.")


def governor(machine: Machine) -> Outcome:
    """Whether the clock frequency of the CPUs is constant."""
    policy = machine.cpu.governor
    if policy is None:
        return ok("no frequency policy is visible", "The hardware or the hypervisor decides.")
    if policy in VARYING:
        return limited(
            f"governor {policy}",
            "CPUs are slower at low load, so small levels have longer response times.",
            machine.as_root(f"cpupower frequency-set -g {STEADY}"),
        )
    return ok(f"governor {policy}", "The clock does not depend on the load.")


def neighbours(machine: Machine) -> Outcome:
    """CPU that other programs use now."""
    used = machine.moment.others
    if used is None:
        return limited(
            "/proc/stat is not readable", "The diagnosis cannot see how busy the CPUs are."
        )
    programs = [f"{name} {cores:.1f}" for name, cores in machine.moment.programs]
    busiest = f" (cores: {', '.join(programs)})" if programs else ""
    read = f"other programs use {share(used)} of the CPUs{busiest}"
    if used > SHARE:
        return limited(
            read,
            "A lab server gets less, so its measured capacity is too low.",
            "end them, or wait until headcount watch shows free CPUs",
        )
    return ok(read, "The machine is quiet.")


def steal(machine: Machine) -> Outcome:
    """CPU that the hypervisor gives to others now."""
    stolen = machine.moment.stolen
    if stolen is None:
        return ok("not known", "The kernel does not count it.")
    read = f"the hypervisor takes {share(stolen)} of the CPU time"
    if stolen > SHARE:
        return limited(
            read,
            "Other virtual machines slow this one down, so measured capacities are too low.",
            "use a machine with dedicated CPUs, or measure when its host is quiet",
        )
    return ok(read, "That is too little to matter.")
