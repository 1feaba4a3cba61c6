"""Which knobs of a server's processes can matter, and why others are left alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult
from headcount.errors import InputError
from headcount.tune.choose import Asked, Choice, choose
from headcount.tune.host import Host
from headcount.tune.knobs.library import of_server
from headcount.tune.processes import groups
from headcount.tune.processes.competition import Competition, competition
from headcount.tune.processes.cpus import Cpus
from headcount.tune.processes.processes import (
    AFFINITY,
    CLASS,
    CPU_WEIGHT,
    IO_WEIGHT,
    LEVEL,
    NAME,
    NICE,
    Processes,
)
from headcount.tune.processes.table import table
from headcount.tune.servers.linux import scheduler_of

AUTOGROUP = "/proc/sys/kernel/sched_autogroup_enabled"
COST = f"{groups.ROOT}/io.cost.qos"
ORDERED = ("mq-deadline", "bfq")
"""Schedulers of disks that know classes; only the second knows levels and weights."""
CPU_KNOBS, DISK_KNOBS = (NICE, CPU_WEIGHT), (CLASS, LEVEL, IO_WEIGHT)


def process_choices(
    processes: Processes,
    levels: Sequence[LevelResult],
    diagnosis: Diagnosis,
    asked: Asked,
    names: Mapping[str, int],
) -> tuple[Sequence[Choice], Mapping[str, str]]:
    """All knobs that relate to the diagnosis, and the reasons why they can matter, by name.

    `levels` are of the run that was diagnosed. A knob that is asked for by its name needs no
    reason.
    """
    known = competition(" and ".join(one.name for one in processes.servers), levels)
    reasons = _reasons(known, Cpus(processes.host))
    found = []
    for one in choose(processes, of_server(NAME).knob, diagnosis, asked, names):
        name = one.knob.name
        obstacle = impossible(processes, name) or one.obstacle
        if obstacle is None and name not in {*reasons, *asked.only, *asked.allowed}:
            obstacle = _idle(name)
        found.append(replace(one, obstacle=obstacle))
    return found, reasons


def reasons_text(choices: Sequence[Choice], reasons: Mapping[str, str]) -> str | None:
    """Why trials treat processes differently; None if they do not."""
    tried = [one.knob.name for one in choices if one.server == NAME and one.obstacle is None]
    by_reason: dict[str, list[str]] = {}
    for name in tried:
        by_reason.setdefault(reasons.get(name, "you asked for it"), []).append(name)
    texts = [f"{', '.join(those)}, as {why}" for why, those in by_reason.items()]
    return f"its processes are treated otherwise, too: {'; '.join(texts)}" if texts else None


def _reasons(known: Competition, cpus: Cpus) -> Mapping[str, str]:
    found: dict[str, str] = {}
    if known.cpu is not None:
        found |= dict.fromkeys(CPU_KNOBS, known.cpu)
    if known.disk is not None:
        found |= dict.fromkeys(DISK_KNOBS, known.disk)
    if len(cpus.sockets) > 1:
        found[AFFINITY] = f"the machine has {len(cpus.sockets)} sockets, each with memory near it"
    return found


def _idle(name: str) -> str:
    if name == AFFINITY:
        return "the machine has one socket, so all of its memory is near"
    return f"no other program competes for the {'CPUs' if name in CPU_KNOBS else 'disk'}"


def impossible(processes: Processes, name: str) -> str | None:
    """Why a knob cannot have an effect on this machine, or may not be tried."""
    host = processes.host
    if host.run(["id", "-u"]).output.strip() != "0":
        return "only root may give a server priority over others"
    if name in processes.weights and not processes.weights[name]:
        return "the server has no control group of its own with such a weight"
    if name == NICE:
        return _why_not_nice(processes)
    if name in DISK_KNOBS:
        return _why_not_ordered(host, processes, name)
    return None


def _why_not_nice(processes: Processes) -> str | None:
    """Linux shares CPUs among groups first: nice values count within one (sched(7))."""
    host, pids = processes.host, processes.pids
    root = processes.roots[0].pid
    group = groups.group_of(host, root, "cpu", groups.CPU)
    if group is not None:
        alone = "its control group has only its own processes, and nice values count within one"
        return f"{alone}: {CPU_WEIGHT} is what counts" if group.is_of(pids) else None
    if _is_on(host, AUTOGROUP):
        rows = table(host)
        sessions = {rows[pid].session for pid in pids if pid in rows}
        others = {one.pid for one in rows.values() if one.session in sessions} - {*pids}
        if not others:
            return (
                "Linux shares the CPUs among sessions here (kernel.sched_autogroup_enabled), and "
                "nice values count within one"
            )
    return None


def _why_not_ordered(host: Host, processes: Processes, name: str) -> str | None:
    scheduler = scheduler_of(host, [one.pid for one in processes.roots])
    if name == IO_WEIGHT and b"enable=1" in (_content(host, COST) or b""):
        return None
    needed = ORDERED if name == CLASS else ORDERED[1:]
    if scheduler in needed:
        return None
    return (
        f"the disk's scheduler is {scheduler or 'not known'}, and only {' and '.join(needed)} "
        f"support{'s' if len(needed) == 1 else ''} this"
    )


def _is_on(host: Host, path: str) -> bool:
    return (_content(host, path) or b"").strip() == b"1"


def _content(host: Host, path: str) -> bytes | None:
    try:
        return host.read(path)
    except InputError:
        return None
