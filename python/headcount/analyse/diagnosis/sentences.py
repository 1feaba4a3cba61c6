"""The diagnosis in sentences."""

from collections.abc import Callable, Mapping

from headcount.analyse.diagnosis.decide import Decision
from headcount.analyse.diagnosis.evidence.reported import SETTINGS
from headcount.analyse.diagnosis.limit_names import NAMES
from headcount.analyse.diagnosis.sign import Sign, address_of
from headcount.bundle.diagnosis import Limit
from headcount.text import count, duration, plural, significant

HEADS: dict[tuple[Limit, str | None], str] = {
    ("generator", None): "The load generator, not the server",
    ("cpu", "quota"): "A CPU quota",
    ("cpu", "all cores"): "The CPU, all cores",
    ("cpu", "neighbour"): "Other programs on the machine, which use its CPU",
    ("cpu", "stolen"): "The hypervisor, which takes its CPU (steal)",
    ("cpu", "bound to some cores"): "The CPUs it is pinned to, while others are idle",
    ("cpu", "garbage collection"): "The garbage collector: while it works, all users wait",
    ("thread", "one thread"): "One busy thread",
    ("thread", "a few threads"): "A few busy threads",
    ("memory", "as disk"): "Too little memory, which shows as disk reads",
    ("memory", "pressure"): "Too little memory",
    ("memory", "killed"): "Too little memory: the kernel kills its processes",
    ("disk", "read"): "The disk, reading",
    ("disk", "write"): "The disk, writing",
    ("disk", "read and write"): "The disk, reading and writing",
    ("disk", None): "The disk",
    ("thread", "one process"): "One busy process, whose threads take turns on a core",
    ("delay", "computing"): "Nothing is full, but each scenario computes long at any load",
    ("delay", "waiting"): "Nothing is full, but each scenario waits long at any load",
    ("delay", "acknowledgement"): (
        "Nothing is full, but each scenario waits for delayed acknowledgements of TCP"
    ),
    ("delay", "loss"): "Nothing is full, but the network loses packets",
    ("delay", "latency"): "Nothing is full, but users and server are far apart",
    ("delay", None): "Nothing is full, but each scenario takes long at any load",
    ("pause", "garbage collection"): "Pauses of the garbage collector, in which all users wait",
    ("pause", None): "Pauses in which all users wait",
    ("pause", "stopped"): "Pauses: something stops the server's processes",
    ("network", "sending"): "The network, sending",
    ("network", "receiving"): "The network, receiving",
    ("errors", "request"): "Requests that the server does not accept",
    ("errors", "login"): "Log-ins that the server refuses",
    ("errors", "application"): "Errors of the application",
    ("errors", "space"): "A full disk, quota or mailbox",
    ("errors", "data"): "Wrong or lost data",
    ("errors", "connection"): "Broken connections, whatever the load",
    ("errors", "tls"): "TLS connections that fail",
    ("errors", "timeout"): "Requests without an answer, whatever the load",
    ("errors", "protocol"): "Answers that do not follow the protocol",
    ("errors", "turned-away"): "The server turns users away, whatever the load",
    ("errors", None): "Errors",
}

LOCKS = {
    "row": "A row that all transactions change",
    "advisory": "An advisory lock of the application",
    "relation": "A lock on a whole table",
    "database": "A lock in the database behind it",
    "file": "A lock on a file",
    "monitor": "A monitor of the Java program (synchronized)",
}
REFUSALS = {
    "rate": "A rate limit, which refuses what exceeds it",
    "descriptors": "No free file descriptor: the server cannot accept more connections",
    "backlog": "The accept queue is too short: the kernel drops new connections",
}


NO_PROGRAMS: Mapping[str, str] = {}


def sentence(
    decision: Decision,
    *,
    broke: str | None,
    why_unknown: str,
    is_goal: bool = False,
    most_time: str | None = None,
    programs: Mapping[str, str] = NO_PROGRAMS,
) -> str:
    """What stops the server, in a sentence.

    `broke` is the criterion that broke, if any, and `is_goal` whether it is on throughput or a
    counter; `most_time` says where a scenario spends most of its time, if known; `programs` are
    those at the addresses of other servers.
    """
    if decision.limit == "none":
        if broke is not None and is_goal:
            return f"No resource is full, but a goal was missed: {broke}."
        if broke is not None:
            return (
                "No resource is full: throughput still grew with the users, and the response time "
                f"does not come from queueing ({broke})."
            )
        grew = "No limit reached: throughput still grew with the users at the largest level"
        return f"{grew}; {most_time}." if most_time else f"{grew}."
    if decision.limit == "unknown" or decision.sign is None:
        return f"Cannot tell: {why_unknown}."
    sign = decision.sign
    joint = ""
    if decision.joint:
        joint = ", together with " + " and ".join(NAMES[other.limit] for other in decision.joint)
    because = f": {sign.figures[0].sentence}" if sign.figures else ""
    return f"{_with_program(head(sign), sign, programs)}{joint}{because}."


def _with_program(text: str, sign: Sign, programs: Mapping[str, str]) -> str:
    """The text with the program before its address: `pgbouncer at 127.0.0.1:6432`."""
    address = address_of(sign)
    if address is None or address not in programs:
        return text
    return text.replace(address, f"{programs[address]} at {address}", 1)


def head(sign: Sign) -> str:
    """The limit in words, without the figures."""
    if sign.limit in OWN_HEADS:
        return OWN_HEADS[sign.limit](sign)
    found = HEADS.get((sign.limit, sign.detail)) or HEADS.get((sign.limit, None))
    text = found or NAMES[sign.limit].capitalize()
    if sign.limit == "cpu" and sign.detail == "quota" and sign.size is not None:
        text += f" of {significant(sign.size)} CPUs"
    return text


def _pool(sign: Sign) -> str:
    """A pool of workers, of places inside the program, or of connections to another server."""
    what = "worker"
    if sign.detail in SETTINGS and sign.size is not None:
        one, several = SETTINGS[sign.detail]
        return f"A pool of {count(sign.size)} {one if sign.size == 1 else several} ({sign.detail})"
    if sign.detail is not None and sign.detail.startswith("connections"):
        what = "connection"
    elif sign.detail is not None:
        what = "place"
    where = ""
    if what == "connection":
        where = (sign.detail or "").removeprefix("connections")
    elif what == "place":
        where = f" {sign.detail}"
    if sign.size is None:
        return f"A pool of {what}s{where}"
    return f"A pool of about {plural(what, sign.size)}{where}"


def _lock(sign: Sign) -> str:
    each = f", {duration(sign.size)} each" if sign.size is not None else ""
    if sign.detail is not None:
        return f"{LOCKS[sign.detail]}: one scenario at a time{each}"
    return f"A serial section: one scenario at a time{each}"


def _limiter(sign: Sign) -> str:
    rate = f" of about {significant(sign.size)} scenarios/s" if sign.size is not None else ""
    return f"A rate limit{rate}"


def _upstream(sign: Sign) -> str:
    text = f"Another server, {sign.detail}, which it waits for"
    if sign.size is None:
        return text
    if sign.size_unit == "ms":
        return f"{text} and which serves one scenario at a time, {duration(sign.size)} each"
    return f"{text} and which serves about {plural('scenario', round(sign.size))} at a time"


def _refusal(sign: Sign) -> str:
    if sign.detail == "rate" and sign.size is not None:
        return f"A rate limit, which refuses more than about {significant(sign.size)} scenarios/s"
    if sign.detail is not None:
        return REFUSALS[sign.detail]
    accepted = ""
    if sign.size is not None and sign.size_unit == "{scenario}":
        accepted = f", and serves about {plural('scenario', round(sign.size))} at a time"
    elif sign.size is not None:
        accepted = f", and accepts about {count(sign.size)}"
    return f"Refusals: it rejects users instead of serving them slowly{accepted}"


OWN_HEADS: Mapping[Limit, Callable[[Sign], str]] = {
    "pool": _pool,
    "lock": _lock,
    "limiter": _limiter,
    "upstream": _upstream,
    "refusal": _refusal,
}
"""Limits whose head has its own figure or name."""


def candidate_text(sign: Sign) -> str:
    """A candidate with its figures."""
    figures = "; ".join(figure.sentence for figure in sign.figures)
    return f"{NAMES[sign.limit]}: {figures}" if figures else NAMES[sign.limit]
