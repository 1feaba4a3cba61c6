"""The diagnosis in sentences."""

from headcount.analyse.diagnosis.decide import Decision
from headcount.analyse.diagnosis.ruled_out import NAMES
from headcount.analyse.diagnosis.sign import Sign
from headcount.bundle.diagnosis import Limit
from headcount.text import count, duration, significant

HEADS: dict[tuple[Limit, str | None], str] = {
    ("generator", None): "The load generator, not the server",
    ("cpu", "quota"): "A CPU quota",
    ("cpu", "all cores"): "The CPU, all cores of it",
    ("cpu", "neighbour"): "Other programs on its machine, which take the CPU it needs",
    ("cpu", "stolen"): "The hypervisor, which takes the CPU it needs",
    ("cpu", "bound to some cores"): "The CPUs that it is bound to, while others are idle",
    ("thread", "one thread"): "One thread of it, which has no time left",
    ("thread", "a few threads"): "A few threads of it, which have no time left",
    ("memory", "as disk"): "Too little memory, though it looks like the disk",
    ("memory", "pressure"): "Too little memory",
    ("memory", "killed"): "Too little memory, for which the kernel ends its processes",
    ("disk", "read"): "The disk, reading",
    ("disk", "write"): "The disk, writing",
    ("disk", "read and write"): "The disk, reading and writing",
    ("disk", None): "The disk",
    ("network", "sending"): "The network, sending",
    ("network", "receiving"): "The network, receiving",
}


def sentence(decision: Decision, *, broke: str | None, why_unknown: str) -> str:
    """What stops the server, in a sentence; `broke` is what broke a criterion, if anything did."""
    if decision.limit == "none":
        if broke is not None:
            return (
                "Nothing that is full: throughput still grew with the users, and the response time "
                f"is its own, not that of a queue ({broke})."
            )
        return "Nothing yet: throughput still grew with the users at the largest level."
    if decision.limit == "unknown" or decision.sign is None:
        return f"Not known: {why_unknown}."
    sign = decision.sign
    joint = ""
    if decision.joint:
        joint = ", and " + " and ".join(NAMES[other.limit] for other in decision.joint)
        joint += " with it"
    because = f": {sign.figures[0].sentence}" if sign.figures else ""
    return f"{head(sign)}{joint}{because}."


def head(sign: Sign) -> str:
    """What limits, without the figures."""
    sized = sign.size is not None
    if sign.limit == "pool":
        noun = "worker" if sign.size == 1 else "workers"
        return f"A pool of about {count(sign.size)} {noun}" if sized else "A pool of workers"
    if sign.limit == "lock":
        each = f", {duration(sign.size)} for each scenario" if sized else ""
        return f"Something that is done one at a time{each}"
    if sign.limit == "refusal":
        let_in = f", and lets in about {count(sign.size)}" if sized else ""
        return f"Refusals: it turns users away instead of serving them slowly{let_in}"
    found = HEADS.get((sign.limit, sign.detail)) or HEADS.get((sign.limit, None))
    text = found or NAMES[sign.limit].capitalize()
    if sign.limit == "cpu" and sign.detail == "quota" and sized:
        text += f" of {significant(sign.size)} CPUs"
    return text


def candidate_text(sign: Sign) -> str:
    """What a candidate is, and its figures."""
    figures = "; ".join(figure.sentence for figure in sign.figures)
    return f"{NAMES[sign.limit]}: {figures}" if figures else NAMES[sign.limit]
