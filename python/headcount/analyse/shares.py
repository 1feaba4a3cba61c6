"""What shares, connections and open files cost, compared with 1998. Pure functions."""

from collections.abc import Sequence

from headcount.analyse.costs import LOGON_TERMS, MEMORY_TERMS, NET_USE_TERMS, Fit, Holding, fit
from headcount.analyse.rules import nineties
from headcount.bundle.shares import CostFigure, CostFit, SharesPoint
from headcount.text import duration, storage

STUDY = "NT 4.0, 1998"
ORIGINAL = {
    "share": f"about {nineties.SHARE_BYTES} bytes paged",
    "connection": f"about {nineties.CONNECTION_PAGED_BYTES} bytes paged and "
    f"{nineties.CONNECTION_NONPAGED_BYTES} nonpaged",
    "net_use": f"about {nineties.RESOURCE_PAGED_BYTES} bytes paged and "
    f"{nineties.RESOURCE_NONPAGED_BYTES} nonpaged",
}
"""Figures of the study: Microsoft Consulting Services, Windows NT Server 4.0 Enterprise File Server
Scalability and Performance (1998), "File Shares and Sessions Analysis"."""

NAMES = {
    "base": "the server itself",
    "share": "a share",
    "connection": "a connection",
    "share_of_connection": "share x connection",
    "net_use": "a net use",
    "first_file": "a first open file",
    "open_file": "an open file",
}
PHRASES = {
    "share": "A share",
    "connection": "A connection (TCP, session and its first net use)",
    "share_of_connection": "Each share, once more for each connection,",
    "net_use": "A further net use (connection to a share)",
    "first_file": "The first open file of a connection, beside what each costs,",
    "open_file": "An open file",
}
PROCESSES = (
    "Processes: memory of the server's processes and of the files they map for writing (Samba's "
    "databases), shared pages split between them (PSS), and their page tables."
)
KERNEL = (
    "Kernel: SUnreclaim, KernelStack and TCP buffers of the whole machine; on loopback, both ends "
    "of each connection, and the use of other programs."
)
COUNTED = [PROCESSES, KERNEL]
NOT_COUNTED = [
    "Programs and libraries: they are loaded once and shared with other processes that use them.",
    "The page cache: files read or written, except those mapped for writing.",
    "Slab memory that the kernel can free (names and inodes of files); the client's own memory.",
]
NOT_OBSERVED = (
    "The server's memory is visible only on its own machine, so only the capacity is measured; "
    "for a server on this machine, give --pid"
)
NOT_RESTARTED = (
    "The server was not restarted for each series of points: what it keeps from earlier ones "
    "counts in later ones"
)
CPU = (("logon-cpu", "a logon", "connection"), ("net-use-cpu", "a further net use", "net_use"))
"""Fits of CPU time: the name of each, and the terms that it needs."""
FORMULAS = {
    "processes": "memory = base + share * S + connection * C + share_of_connection * S * C + "
    "net_use * U + first_file * C1 + open_file * F",
    "logon-cpu": "CPU time = connection * C + share_of_connection * S * C",
    "net-use-cpu": "CPU time = net_use * U + share_of_net_use * S * U",
}
FORMULAS["kernel"] = FORMULAS["processes"]
LETTERS = (
    "S shares, C connections, U net uses beyond the first of each connection, C1 connections with "
    "open files, F open files"
)


def fits(points: Sequence[SharesPoint]) -> tuple[list[CostFit], list[str]]:
    """The costs in the processes' and the kernel's memory and in CPU time, and doubts."""
    found, doubts = [], []
    memory = _fit(points, [point.process_bytes for point in points], MEMORY_TERMS)
    if memory is None:
        doubts.append(
            "too few points to separate the costs: give more numbers of shares, connections, net "
            "uses or open files, or repeat each (--repeats 2)"
        )
    else:
        found.append(_record("processes", "bytes", memory))
    parts = [point for point in points if point.kernel_bytes is not None]
    kernel = _fit(parts, [point.kernel_bytes or 0.0 for point in parts], MEMORY_TERMS)
    if kernel is not None and len(parts) == len(points):
        found.append(_record("kernel", "bytes", kernel))
    began = [point for point in points if point.logon_cpu_s is not None]
    cpu = _fit(began, [point.logon_cpu_s or 0.0 for point in began], LOGON_TERMS)
    if cpu is not None:
        found.append(_record("logon-cpu", "s", cpu))
    used = [point for point in points if point.net_use_cpu_s is not None]
    cpu = _fit(used, [point.net_use_cpu_s or 0.0 for point in used], NET_USE_TERMS)
    if cpu is not None:
        found.append(_record("net-use-cpu", "s", cpu))
    return found, doubts


def _fit(
    points: Sequence[SharesPoint], amounts: Sequence[float], terms: Sequence[str]
) -> Fit | None:
    held = [
        Holding(point.shares, point.connections, point.net_uses, point.open_files)
        for point in points
    ]
    return fit(held, amounts, [point.start for point in points], terms)


def _record(of: str, unit: str, found: Fit) -> CostFit:
    costs = [
        CostFigure(
            name=cost.name,
            value=cost.value,
            low=cost.low,
            high=cost.high,
            measurable=cost.is_measurable,
            original=None if unit == "s" else ORIGINAL.get(cost.name),
        )
        for cost in found.costs
    ]
    return CostFit.model_validate(
        {
            "of": of,
            "unit": unit,
            "formula": FORMULAS[of],
            "costs": costs,
            "residuals": found.residuals,
            "starts": found.starts,
        }
    )


def amount(cost: CostFigure, unit: str) -> str:
    """A cost with its interval, or a note that it is indistinguishable from zero."""
    say = _time if unit == "s" else storage
    interval = f"[{say(cost.low)}, {say(cost.high)}]"
    if not cost.measurable:
        return f"not measurable {interval}"
    return f"{say(cost.value)} {interval}"


def _time(value_s: float) -> str:
    return duration(value_s * 1000)


def sentences(found: Sequence[CostFit]) -> list[str]:
    """Each cost in a sentence, beside that of the study where it gives one."""
    parts = []
    by: dict[str, dict[str, CostFigure]] = {
        one.of: {cost.name: cost for cost in one.costs} for one in found
    }
    for name, cost in by.get("processes", {}).items():
        if name == "base":
            continue
        verb = "costs" if cost.measurable else "is"
        text = f"{PHRASES[name]} {verb} {amount(cost, 'bytes')} here"
        kernel = by.get("kernel", {}).get(name)
        if kernel is not None and kernel.measurable:
            text += f", and {amount(kernel, 'bytes')} of the kernel's memory"
        given = ORIGINAL.get(name)
        parts.append(f"{text}; {STUDY}: {given or 'not given'}.")
    for of, one, term in CPU:
        costs = by.get(of, {})
        if term in costs:
            parts.append(f"The server's CPU time of {one}: {amount(costs[term], 's')}.")
        if f"share_of_{term}" in costs:
            more = amount(costs[f"share_of_{term}"], "s")
            parts.append(f"Each share adds to the CPU time of {one}: {more}.")
    return parts
