"""Plans of the servers that are tuned, and the options that give the same on a command line."""

from collections.abc import Sequence

from bench.tuning.case import Server
from headcount import workloads
from headcount.controller.lab_settings import check_lab_settings
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve


def plan_of(server: Server, seed: int) -> Plan:
    """The quick search that a tuning begins with; raises InputError for what cannot be."""
    asked = Overrides(
        search=True,
        quick=True,
        scale=server.scale,
        seed=seed,
        server=dict(server.settings),
        limits=dict(server.limits),
        client=dict(server.client),
        workload_sha256=workloads.sha256(server.played),
    )
    plan = resolve(workloads.load(server.played), server.target, asked)
    check_lab_settings(plan)
    return plan


def options_of(server: Server, seed: int) -> Sequence[str]:
    """The same for `headcount tune`."""
    words = ["--target", server.target, "--workload", server.played, "--seed", str(seed)]
    words += ["--scale", str(server.scale)] if server.scale is not None else []
    tables = {"--set": server.settings, "--limit": server.limits, "--client": server.client}
    for option, table in tables.items():
        words += [word for key, value in table.items() for word in (option, f"{key}={value}")]
    words += [word for name in server.knobs for word in ("--knob", name)]
    return [*words, *(word for name in server.allow for word in ("--allow", name))]
