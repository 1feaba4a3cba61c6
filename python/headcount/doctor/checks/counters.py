"""What the diagnosis can see of processes and of the kernel."""

from collections.abc import Iterator

from headcount.counters.environment.filesystem import parse_mounts
from headcount.counters.environment.reading import folders, key_values
from headcount.counters.proc import pressure, process
from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, ok

SHOWN_TO_ALL = ("hidepid=0", "hidepid=off")
"""Mount options of /proc that hide nothing (proc(5))."""


def other_processes(machine: Machine) -> Outcome:
    """Whether processes of other users can be looked into."""
    hidden = [
        option
        for mount in parse_mounts(machine.text("proc/self/mountinfo"))
        if mount.mount_point == "/proc"
        for option in mount.options
        if option.startswith("hidepid=") and option not in SHOWN_TO_ALL
    ]
    others = [process.parse_io(machine.text(f"proc/{pid}/io")) for pid in _others(machine)]
    if any(others) or not (others or hidden):
        return ok("all users' can be read", "The diagnosis sees every server on this machine.")
    return limited(
        f"/proc is mounted with {hidden[0]}" if hidden else "only this user's can be read",
        "The diagnosis sees lab servers, but not the processes of another user's server.",
        "start the container with --cap-add SYS_PTRACE"
        if machine.uid == 0
        else "run Headcount as the user of the server, or as root: sudo headcount run ...",
    )


def _others(machine: Machine) -> Iterator[int]:
    """Processes of other users."""
    for folder in folders(machine.root / "proc"):
        if folder.name.isdecimal():
            uids = key_values(machine.text(f"proc/{folder.name}/status"), ":").get("Uid", "")
            if uids and int(uids.split()[0]) != machine.uid:
                yield int(folder.name)


def kernel_counters(machine: Machine) -> Outcome:
    """What the kernel counts for the diagnosis."""
    lacking, fixes = [], []
    if not any(pressure.parse(machine.text(f"proc/pressure/{one}")) for one in pressure.RESOURCES):
        lacking.append("pressure (PSI)")
        fixes.append("boot with the kernel parameter psi=1")
    if process.parse_schedstat(machine.text("proc/self/schedstat")) is None:
        lacking.append("waiting for a CPU (schedstat)")
        fixes.append("use a kernel with CONFIG_SCHED_INFO, as distributions have")
    try:
        machine.netlink()
    except OSError:
        lacking.append("sockets (inet_diag)")
        fixes.append(machine.as_root("modprobe -a inet_diag tcp_diag"))
    if not lacking:
        return ok("pressure, schedstat, inet_diag", "The diagnosis sees what servers wait for.")
    return limited(
        f"without {', '.join(lacking)}",
        "The diagnosis is less sure of what servers wait for.",
        *fixes,
    )
