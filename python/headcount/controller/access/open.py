"""From a plan to the access to its target."""

from dataclasses import replace
from importlib import import_module

from headcount.controller.access.access import Access
from headcount.controller.access.secrets import Secrets
from headcount.lab import Server
from headcount.plan import gate
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.plan.reached import others, reached
from headcount.protocols.registry import protocol_of
from headcount.protocols.target import Target


def lab_access(plan: Plan, server: Server) -> Access:
    """Connect to a lab server, with the credentials that it was started with."""
    protocol = protocol_of(targets.parse(plan.target).protocol)
    access: Access = import_module(protocol.access).of_lab(plan, server)
    return access


def allowed_target(plan: Plan, target: Target) -> Target:
    """The target with the addresses to which load may go: its own and those of other servers.

    Of its own, one that accepts connections is the first: most protocols use only that one. If
    `[client]` sends connections elsewhere, those are the target's addresses, and its name is not
    resolved.
    """
    owner = plan.authorised_by
    also = {
        (host, port): gate.allowed("the server", host, port, owner) for host, port in others(plan)
    }
    host, port = reached(target, plan.client)
    what = "the target" if host == target.host else f"{host}, where connections go (connect),"
    own = gate.answering_first(gate.allowed(what, host, port, owner))
    return replace(target, addresses=own, others=also)


def target_access(plan: Plan, target: Target, secrets: Secrets) -> Access:
    """Connect to a server that the user names, if load is allowed there."""
    module = import_module(protocol_of(target.protocol).access)
    access: Access = module.of_target(plan, target, secrets)
    return access
