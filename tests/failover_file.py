"""Outages as a failover records them."""

from headcount.analyse.outage.spread import spreads
from headcount.bundle.failover import Failover, Outage
from headcount.failover.answer import sentence

WRITES = {
    "acknowledged": 4000,
    "unanswered": 4,
    "unanswered_kept": 1,
    "gone": 12,
    "gone_from_s": 0.1,
    "gone_to_s": 3.2,
    "stale": 2,
    "stale_to_s": 5.0,
}
STATES = [
    {"at_s": 0.0, "node": "node1", "state": "primary"},
    {"at_s": 0.0, "node": "node2", "state": "standby"},
    {"at_s": 0.7, "node": "node2", "state": "primary"},
]


def outage(level: int, served_s: float | None = 1.0, **changed: object) -> Outage:
    values = {
        "level": level,
        "injected_s": 10.0,
        "watched_s": 20.0,
        "fault_took_s": 0.01,
        "rate_per_s": 100.0,
        "silent_s": 0.8,
        "silence_began_s": 0.1,
        "answered_s": 0.9,
        "served_s": served_s,
        "restored_s": 1.2,
        "lost": 10,
        "late": 3,
        "log_ons": 10,
        "users_lost": 0,
        "outcome": "measured",
    }
    return Outage.model_validate({**values, **changed})


def failover(*outages: Outage) -> Failover:
    found = spreads(outages)
    return Failover(
        at="2026-11-27T00:00:00.000+00:00",
        target="lab:ha-web",
        workload="web-static",
        users=50,
        fault="kill the first node (SIGKILL)",
        recover="start the first node again",
        options=["--fault", "kill"],
        planned=False,
        wanted=len(outages),
        allowed=0.05,
        slot_s=0.01,
        outages=list(outages),
        spreads=found,
        ending="finished",
        sentence=sentence(outages, found),
    )


def complete_failover() -> Failover:
    """A failover with every part of its record."""
    invalid = {"outcome": "invalid", "reasons": ["users were not served before the fault"]}
    late = outage(2, None, answered_s=None, restored_s=None, doubts=["the generator was full"])
    first = outage(1, noticed_s=0.2, taken_over_s=0.7, writes=WRITES, states=STATES)
    return failover(first, late, outage(3, **invalid))
