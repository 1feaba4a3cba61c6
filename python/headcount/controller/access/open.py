"""From a plan to the access to its target."""

from importlib import import_module

from headcount.controller.access.access import Access
from headcount.controller.access.secrets import Secrets
from headcount.lab import Server
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.protocols.registry import protocol_of


def lab_access(plan: Plan, server: Server) -> Access:
    """Speak to a lab server, with the credentials that it was started with."""
    protocol = protocol_of(targets.parse(plan.target).protocol)
    access: Access = import_module(protocol.access).of_lab(plan, server)
    return access


def target_access(plan: Plan, address: str, secrets: Secrets) -> Access:
    """Speak to somebody's server at `ip:port`."""
    target = targets.parse(plan.target)
    module = import_module(protocol_of(target.protocol).access)
    access: Access = module.of_target(plan, target, address, secrets)
    return access
