"""From a workload and the options of the command line to a plan."""

import os
import secrets
from dataclasses import dataclass, field
from typing import Any

from headcount.errors import InputError
from headcount.fields.units import MOST_USERS, size_bytes
from headcount.plan import target as targets
from headcount.plan.cost import Cost
from headcount.plan.disclosure import Disclosure
from headcount.plan.levels import parse_ladder
from headcount.plan.pace import think_of
from headcount.plan.plan import Plan, StacksWanted, validate
from headcount.plan.reached import is_here
from headcount.plan.rules import criteria_of
from headcount.plan.variables import most_users
from headcount.plan.workload import Workload
from headcount.protocols.program import LoadFile
from headcount.protocols.target import Target
from headcount.secret_text import redacted

MOST_FILES = 100_000
"""Files of one kind in a tree."""
OPTIONS = {
    "server": "set",
    "limits": "limit",
    "lines": "line",
    "sources": "source",
    "views": "view",
    "trial": "no-trial",
}
"""Options of the command line whose name differs from that of the override."""
SEARCHED = ("quick", "budget", "soak", "start_users", "max_users")
"""Options that only a search has."""


@dataclass(frozen=True)
class Overrides:
    """What the command line changes in a workload; None keeps it."""

    users: int | None = None
    levels: str | None = None
    search: bool = False
    duration: str | None = None
    ramp: str | None = None
    settle: str | None = None
    think: str | None = None
    pace: str | None = None
    compress: float | None = None
    seed: int | None = None
    criteria: list[str] = field(default_factory=list)
    rule: str | None = None
    cost: Cost | None = None
    disclosure: Disclosure | None = None
    workload_sha256: str | None = None
    workers: int | None = None
    scale: float | None = None
    authorised_by: str | None = None
    quick: bool = False
    budget: str | None = None
    soak: str | None = None
    start_users: int | None = None
    max_users: int | None = None
    server: dict[str, str] = field(default_factory=dict)
    limits: dict[str, str] = field(default_factory=dict)
    lines: dict[str, dict[str, str]] | None = None
    client: dict[str, str] = field(default_factory=dict)
    shares: int | None = None
    loadfile: LoadFile | None = None
    workspace: str | None = None
    sources: list[str] = field(default_factory=list)
    views: list[str] = field(default_factory=list)
    stacks: StacksWanted = "auto"
    agents: int | None = None
    users_per_agent: int | None = None
    equal_users: bool = False
    cluster: str | None = None
    local_ips: list[str] = field(default_factory=list)
    moments: str | None = None
    trial: bool | None = None


def resolve(workload: Workload, target: str, overrides: Overrides) -> Plan:
    """The plan of a run; raises InputError with what is wrong and how to write it."""
    mode, levels = _levels(workload, overrides)
    parsed = targets.parse(target)
    settings = _settings(parsed, overrides, workload)
    usual_scale = workload.run.lab_scale if parsed.lab is not None else 1.0
    values: dict[str, Any] = {
        "target": target,
        "mode": mode,
        "levels": levels,
        "seed": secrets.randbits(32) if overrides.seed is None else overrides.seed,
        "workers": _workers(parsed, settings["client"], overrides),
        "agents": _agents(overrides),
        "scale": usual_scale if overrides.scale is None else overrides.scale,
        "authorised_by": redacted(overrides.authorised_by) if overrides.authorised_by else None,
        "rule": overrides.rule,
        "disclosure": overrides.disclosure,
        "workload_sha256": overrides.workload_sha256,
        "cost": overrides.cost,
        "limits": overrides.limits,
        "lines": overrides.lines,
        "sources": overrides.sources,
        "views": overrides.views,
        "local_ips": overrides.local_ips or None,
        "stacks": overrides.stacks,
        "moments": overrides.moments,
        "trial": overrides.trial,
        **settings,
        "search": _search(overrides),
        "workload": _workload(workload, overrides, is_lab=parsed.lab is not None),
    }
    return _with_rows(validate(Plan, values, "the plan"))


def option_of(override: str) -> str:
    """The command line's option for an override."""
    return f"--{OPTIONS.get(override, override).replace('_', '-')}"


def check_searched(workload: Workload, overrides: Overrides) -> None:
    """Refuse options of a search where nothing is searched: they would change nothing."""
    if _levels(workload, overrides)[0] == "search":
        return
    given = _search(overrides)
    option = next((key for key in SEARCHED if given.get(key)), None)
    if option is None:
        return
    why = f'"{workload.name}" has a ladder: add --search'
    if overrides.users is not None or overrides.levels is not None:
        other = "--levels" if overrides.users is None else "--users"
        why = f"{other} says which levels to run: leave out one of them"
    raise InputError(f"{option_of(option)} is for a search, and {why}")


def _with_rows(plan: Plan) -> Plan:
    """The plan, with its search bounded by the rows of a file; raises InputError."""
    found = most_users(plan.workload.variables or {})
    if found is None:
        return plan
    rows, file = found
    first = int(plan.client.get("first_user", "0"))
    wanted = max(plan.levels, default=1)
    if wanted > rows - first:
        whose = f", the first user has row {first + 1:,}" if first else ""
        each = f"each of {wanted:,} users" if wanted > 1 else "each user"
        raise InputError(
            f"{file} has {rows:,} rows{whose}, and {each} needs one of its own; add rows, use "
            'fewer users, or let them share: order = "in-turn"'
        )
    most = min(plan.search.max_users, rows - first)
    search = plan.search.model_copy(
        update={"max_users": most, "start_users": min(plan.search.start_users, most)}
    )
    return plan.model_copy(update={"search": search}) if plan.mode == "search" else plan


def _settings(
    target: Target, overrides: Overrides, workload: Workload
) -> dict[str, dict[str, str]]:
    """The tables of the lab server and of the client; both need the shares."""
    server, client = dict(overrides.server), {**workload.client, **overrides.client}
    if overrides.shares is not None:
        if target.protocol != "smb":
            raise InputError(f"--shares is for file servers; {target.text} has no shares")
        client["shares"] = str(overrides.shares)
        if target.lab is not None:
            server["shares"] = str(overrides.shares)
    return {"server": server, "client": client}


def _levels(workload: Workload, overrides: Overrides) -> tuple[str, list[int]]:
    asked = [overrides.users is not None, overrides.levels is not None, overrides.search]
    if sum(asked) > 1:
        raise InputError("--users, --levels and --search exclude each other; give one of them")
    if overrides.users is not None:
        if not 1 <= overrides.users <= MOST_USERS:
            raise InputError(f"--users is {overrides.users}; it must be from 1 to {MOST_USERS:,}")
        return "level", [overrides.users]
    if overrides.levels is not None:
        return "ladder", parse_ladder(overrides.levels)
    if workload.run.ladder and not overrides.search:
        return "ladder", list(workload.run.ladder)
    return "search", []


def _search(overrides: Overrides) -> dict[str, Any]:
    wanted = {
        "quick": overrides.quick,
        "budget": overrides.budget,
        "soak": overrides.soak,
        "start_users": overrides.start_users,
        "max_users": overrides.max_users,
        "official": overrides.duration,
    }
    return {key: value for key, value in wanted.items() if value is not None}


def _workload(workload: Workload, overrides: Overrides, *, is_lab: bool) -> dict[str, Any]:
    values = workload.model_dump(mode="json", exclude_none=True)
    if overrides.criteria and overrides.rule is not None:
        raise InputError("--criteria and --rule exclude each other; give one of them")
    if overrides.criteria:
        values["criteria"] = overrides.criteria
    if overrides.rule is not None:
        values["criteria"] = criteria_of(workload.rules, overrides.rule, workload.name)
    if (pace := _pace(workload, overrides)) is not None:
        values["pace"] = pace
    values["run"] |= _run(workload, overrides, is_lab=is_lab)
    if overrides.loadfile is not None:
        values |= _with_loadfile(workload, values, overrides.loadfile)
    if overrides.workspace is not None:
        values["tree"]["static_files"] = _workspace_files(workload, overrides.workspace)
    return values


def _run(workload: Workload, overrides: Overrides, *, is_lab: bool) -> dict[str, Any]:
    """What the options or a lab server change in how levels are run."""
    run = workload.run
    changed: dict[str, Any] = {}
    if is_lab:
        changed = {"compress": run.lab_compress, "settle": run.lab_settle}
    for key in ("duration", "settle", "compress", "ramp"):
        if getattr(overrides, key) is not None:
            changed[key] = getattr(overrides, key)
    return {key: value for key, value in changed.items() if value is not None}


def _pace(workload: Workload, overrides: Overrides) -> dict[str, Any] | None:
    """The pace that the options ask for; None if they keep the workload's."""
    if overrides.think is not None and overrides.pace is not None:
        raise InputError("--think (closed pace) and --pace (open pace) exclude each other")
    if overrides.pace is not None:
        return {"kind": "open", "time": think_of(overrides.pace, "--pace")}
    if overrides.think is None:
        return None
    if all(scenario.pause is not None for scenario in workload.scenarios):
        raise InputError(
            f'every scenario of "{workload.name}" has a pause of its own, so --think would '
            "change nothing; --compress makes all pauses shorter"
        )
    return {"kind": "closed", "time": think_of(overrides.think, "--think")}


def _with_loadfile(
    workload: Workload, values: dict[str, Any], loadfile: LoadFile
) -> dict[str, Any]:
    """The program and, of the scenarios, those whose operation is in the load file."""
    if workload.program is None or workload.program.kind != "load-file":
        raise InputError(
            f'--loadfile is for workloads that play one, such as replay; "{workload.name}" does not'
        )
    played = [
        {**scenario, "weight": loadfile.operations[scenario["name"]]}
        for scenario in values["scenarios"]
        if loadfile.operations.get(scenario["name"])
    ]
    program = loadfile.program.model_dump(mode="json", exclude_none=True)
    return {"program": program, "scenarios": played}


def _workspace_files(workload: Workload, workspace: str) -> int:
    """How many files of the workload's size fill a workspace."""
    if workload.program is None or workload.program.kind != "disk-mix" or workload.tree is None:
        raise InputError(f'--workspace is for disk-mix; "{workload.name}" has no workspace')
    size = size_bytes(workload.tree.median_size)
    files = round(size_bytes(workspace, "--workspace") / size)
    if not 1 <= files <= MOST_FILES:
        raise InputError(
            f"--workspace is {workspace}; it must be from {size} bytes (1 file) to {MOST_FILES:,} "
            "such files"
        )
    return files


def _workers(target: Target, client: dict[str, str], overrides: Overrides) -> int:
    """The number asked for; else half of the cores if the server shares this machine, or all.

    Agents on this machine share these cores.
    """
    if overrides.workers is not None:
        return overrides.workers
    cores = len(os.sched_getaffinity(0))
    own = cores // 2 if is_here(target, client) else cores
    sharing = overrides.agents if overrides.agents and overrides.cluster is None else 1
    return max(1, own // sharing)


def _agents(overrides: Overrides) -> dict[str, Any] | None:
    """Who plays the users, if it is not one process."""
    if overrides.agents is None:
        given = {
            "users-per-agent": overrides.users_per_agent,
            "equal-users": overrides.equal_users or None,
            "cluster": overrides.cluster,
        }
        for option in (name for name, value in given.items() if value is not None):
            raise InputError(f"--{option} belongs to --agents NUMBER")
        return None
    if overrides.cluster is not None and overrides.workers is not None:
        raise InputError(
            "--workers is for this machine: on a cluster, each agent has a thread for each of its "
            "machine's CPUs; give `cpus` in the hosts file, or --num-cpus to `ray start`"
        )
    values = {
        "number": overrides.agents,
        "most_users": overrides.users_per_agent,
        "equal_users": overrides.equal_users or None,
        "cluster": overrides.cluster,
    }
    return {key: value for key, value in values.items() if value is not None}
