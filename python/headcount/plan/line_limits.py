"""Limits of the path between users and server: latency, loss and reordering."""

import re
from collections.abc import Mapping

from headcount.errors import InputError
from headcount.fields.units import seconds

LEAST_S, MOST_S = 0.0001, 10.0
"""Below 0.1 ms, waking up a thread takes as long; above 10 s it is not a network."""
LEAST_PERCENT, MOST_PERCENT = 0.0001, 50.0
"""The minimum is one packet in a million, less than any run shows; TCP fails above the maximum."""


def time_s(text: str, what: str) -> float:
    """Read a time such as `15ms`; returns seconds. Raises InputError."""
    hint = f'{what} is "{text}"; write it like 15ms or 200us: from 0.1ms to 10s'
    try:
        value = seconds(text, what, bare=False)
    except InputError:
        raise InputError(hint) from None
    if not LEAST_S <= value <= MOST_S:
        raise InputError(hint)
    return value


def share(text: str, what: str) -> float:
    """Read a share of packets such as `0.1%`; returns it from 0 to 1. Raises InputError."""
    match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,9})?)\s*%", text.strip())
    percent = float(match[1]) if match else 0.0
    if not LEAST_PERCENT <= percent <= MOST_PERCENT:
        raise InputError(f'{what} is "{text}"; write it like 0.1% or 1%: from 0.0001% to 50%')
    return percent / 100


def check_line(
    limits: Mapping[str, str], where: str = "", add: str = "--limit latency=15ms"
) -> None:
    """Check that readable limits fit together; raises InputError.

    `where` begins the error, and `add` is how a latency is given there.
    """
    for name, why in (
        ("jitter", "it says by how much the latency varies"),
        ("reorder", "a packet overtakes those that are under way"),
    ):
        if name in limits and "latency" not in limits:
            raise InputError(f"{where}the limit {name} needs the limit latency: {why}; add {add}")
    if "jitter" not in limits:
        return
    latency, jitter = limits["latency"], limits["jitter"]
    if time_s(jitter, "the limit jitter") > time_s(latency, "the limit latency"):
        raise InputError(
            f'{where}the limit jitter is "{jitter}", more than the latency, {latency}: no packet '
            "arrives before it was sent; write at most the latency"
        )
