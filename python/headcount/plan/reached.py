"""The machine that the load of a target actually reaches."""

from collections.abc import Mapping
from dataclasses import replace

from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.plan.tokens import token_server
from headcount.protocols.registry import protocol_of
from headcount.protocols.target import Target


def reached(target: Target, client: Mapping[str, str]) -> tuple[str | None, int | None]:
    """Host and port of connections: those of the target, unless `[client]` names others.

    Consent, the counters of this machine and the share of its cores depend on this host, not on the
    target's name. Raises InputError if `[client]` cannot be read.
    """
    if target.both is not None:
        return target.host, target.port
    place = protocol_of(target.protocol).connects(client)
    if place is None:
        return target.host, target.port
    host, port = place
    return host, target.port if port is None else port


def is_here(target: Target, client: Mapping[str, str]) -> bool:
    """Whether the load stays on this machine, as far as names show."""
    if target.both is not None or target.host is None:
        return targets.is_here(target)
    host, port = reached(target, client)
    return targets.is_here(replace(target, host=host, port=port))


def others(plan: Plan) -> list[tuple[str, int]]:
    """Host and port of the other servers that users speak to; each needs consent."""
    found = list(protocol_of(plan.protocol).others(plan.client))
    tokens = token_server(plan.workload)
    return [*found, tokens] if tokens is not None and tokens not in found else found
