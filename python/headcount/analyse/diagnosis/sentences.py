"""The diagnosis in sentences."""

from headcount.analyse.diagnosis.decide import Decision
from headcount.analyse.diagnosis.ruled_out import NAMES
from headcount.analyse.diagnosis.sign import Sign
from headcount.bundle.diagnosis import Limit
from headcount.text import count, duration, significant

HEADS: dict[tuple[Limit, str | None], str] = {
    ("generator", None): "The load generator, not the server",
    ("cpu", "quota"): "A CPU quota",
    ("cpu", "all cores"): "The CPU, all cores",
    ("cpu", "neighbour"): "Other programs on the machine, which use its CPU",
    ("cpu", "stolen"): "The hypervisor, which takes its CPU (steal)",
    ("cpu", "bound to some cores"): "The CPUs it is pinned to, while others are idle",
    ("thread", "one thread"): "One busy thread",
    ("thread", "a few threads"): "A few busy threads",
    ("memory", "as disk"): "Too little memory, which shows as disk reads",
    ("memory", "pressure"): "Too little memory",
    ("memory", "killed"): "Too little memory: the kernel kills its processes",
    ("disk", "read"): "The disk, reading",
    ("disk", "write"): "The disk, writing",
    ("disk", "read and write"): "The disk, reading and writing",
    ("disk", None): "The disk",
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


def sentence(decision: Decision, *, broke: str | None, why_unknown: str) -> str:
    """What stops the server, in a sentence; `broke` is the criterion that broke, if any."""
    if decision.limit == "none":
        if broke is not None:
            return (
                "No resource is full: throughput still grew with the users, and the response time "
                f"does not come from queueing ({broke})."
            )
        return "No limit reached: throughput still grew with the users at the largest level."
    if decision.limit == "unknown" or decision.sign is None:
        return f"Cannot tell: {why_unknown}."
    sign = decision.sign
    joint = ""
    if decision.joint:
        joint = ", together with " + " and ".join(NAMES[other.limit] for other in decision.joint)
    because = f": {sign.figures[0].sentence}" if sign.figures else ""
    return f"{head(sign)}{joint}{because}."


def head(sign: Sign) -> str:
    """What limits, without the figures."""
    sized = sign.size is not None
    if sign.limit == "pool":
        noun = "worker" if sign.size == 1 else "workers"
        return f"A pool of about {count(sign.size)} {noun}" if sized else "A pool of workers"
    if sign.limit == "lock":
        each = f", {duration(sign.size)} each" if sized else ""
        return f"A serial section: one scenario at a time{each}"
    if sign.limit == "refusal":
        accepted = f", and accepts about {count(sign.size)}" if sized else ""
        return f"Refusals: it rejects users instead of serving them slowly{accepted}"
    found = HEADS.get((sign.limit, sign.detail)) or HEADS.get((sign.limit, None))
    text = found or NAMES[sign.limit].capitalize()
    if sign.limit == "cpu" and sign.detail == "quota" and sized:
        text += f" of {significant(sign.size)} CPUs"
    return text


def candidate_text(sign: Sign) -> str:
    """What a candidate is, and its figures."""
    figures = "; ".join(figure.sentence for figure in sign.figures)
    return f"{NAMES[sign.limit]}: {figures}" if figures else NAMES[sign.limit]
