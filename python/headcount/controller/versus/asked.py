"""What the user asks for on one side of a comparison."""

from dataclasses import dataclass

from headcount.controller.access import Secrets
from headcount.counters.proc.named import NOBODY, Named
from headcount.plan.plan import Plan


@dataclass(frozen=True)
class SideAsked:
    """A side's plan, its secrets, and the user's description of its server."""

    plan: Plan
    secrets: Secrets
    named: Named = NOBODY
