"""The diagnosis in sentences."""

from headcount.analyse.diagnosis.decide import Decision
from headcount.analyse.diagnosis.sign import Sign
from headcount.analyse.diagnosis.unseen import NAMES
from headcount.bundle.diagnosis import Limit
from headcount.text import count, duration, significant

HEADS: dict[tuple[Limit, str | None], str] = {
    ("generator", None): "The load generator was the limit, not the server",
    ("cpu", "quota"): "A CPU quota stops it",
    ("cpu", "all cores"): "The CPU stops it: all cores are in use",
    ("cpu", "neighbour"): "Others on its machine take the CPU it needs",
    ("cpu", "bound to some cores"): "The CPUs that it is bound to stop it, while others are idle",
    ("thread", "one thread"): "One thread stops it: it has no time left",
    ("thread", "a few threads"): "Its few busy threads stop it: they have no time left",
    ("memory", "as disk"): "Too little memory stops it, though it looks like the disk",
    ("memory", "pressure"): "Too little memory stops it",
    ("disk", "read"): "The disk stops it, reading",
    ("disk", "write"): "The disk stops it, writing",
    ("disk", "read and write"): "The disk stops it, reading and writing",
    ("disk", None): "The disk stops it",
    ("network", "sending"): "The network stops it, sending",
    ("network", "receiving"): "The network stops it, receiving",
}


def sentence(decision: Decision, *, broke: str | None, why_unknown: str) -> str:
    """The diagnosis in a sentence; `broke` is what broke a criterion, if anything did."""
    if decision.limit == "none":
        if broke is not None:
            return (
                "The server was not saturated: throughput still grew with the users, and the "
                f"response time is its own, not that of a queue ({broke})."
            )
        return "Nothing stops it yet: throughput still grew with the users at the largest level."
    if decision.limit == "unknown":
        return f"What stops it is not known: {why_unknown}."
    sign = decision.sign
    if sign is None:
        return "What stops it is not known."
    joint = ""
    if decision.joint:
        others = " and ".join(NAMES[other.limit] for other in decision.joint)
        joint = f", together with {others}"
    because = f": {sign.figures[0].sentence}" if sign.figures else ""
    return f"{head(sign)}{joint}{because}."


def head(sign: Sign) -> str:
    """What limits, without the figures."""
    if sign.limit == "pool":
        size = f" of about {count(sign.size)}" if sign.size is not None else ""
        return f"A pool{size} workers stops it" if size else "A pool of workers stops it"
    if sign.limit == "lock":
        each = f" ({duration(sign.size)} for each scenario)" if sign.size is not None else ""
        return f"Something that is done one at a time stops it{each}"
    if sign.limit == "refusal":
        size = f": it lets in about {count(sign.size)} users" if sign.size is not None else ""
        return f"It turns users away instead of serving them slowly{size}"
    found = HEADS.get((sign.limit, sign.detail)) or HEADS.get((sign.limit, None))
    text = found or f"{NAMES[sign.limit].capitalize()} stops it"
    if sign.limit == "cpu" and sign.detail == "quota" and sign.size is not None:
        text += f": {significant(sign.size)} CPUs"
    return text


def about(sign: Sign) -> str:
    """What a candidate is, and its figures."""
    figures = "; ".join(figure.sentence for figure in sign.figures)
    return f"{NAMES[sign.limit]}: {figures}" if figures else NAMES[sign.limit]
