"""`--logins FILE`: the users of a site, each with a password of its own."""

import stat
from dataclasses import replace
from pathlib import Path

from headcount.cli.console import err
from headcount.controller.access import Secrets
from headcount.errors import InputError
from headcount.plan.plan import Plan
from headcount.plan.target import parse
from headcount.plan.variables import rows_of
from headcount.protocols.registry import protocol_of, protocols

COLUMNS = ("username", "password")
"""What the header line of the file must have; other columns do not matter."""
EACH = "{n}"
"""The pattern of user names in a plan whose users are rows of a file."""
Rows = tuple[tuple[str, str], ...]


def logins_of(path: Path) -> Rows:
    """The names and passwords of a file, in its order; raises InputError that names the line."""
    columns, rows = rows_of(path, "the file of --logins")
    for column in COLUMNS:
        if column not in columns:
            raise InputError(
                f"{path} has no column {column}; its first line must be username,password"
            )
    places = [columns.index(column) for column in COLUMNS]
    found: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        name, password = (row[place] for place in places)
        if not name or not password:
            raise InputError(f"{path}: row {number} has no {COLUMNS[bool(name)]}; write one")
        if name in found:
            raise InputError(f'{path}: row {number} names "{name}" again; each user needs a row')
        found[name] = password
    if path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        err.print(
            f"warning: others on this machine may read {path}, which holds passwords: "
            f"chmod 600 {path}",
            markup=False,
        )
    return tuple(found.items())


def named_plan(plan: Plan, path: Path | None) -> tuple[Plan, Rows | None]:
    """The plan with the users of a file, and its rows; without a file, the same plan and None."""
    if path is None:
        return plan, None
    rows = logins_of(path)
    return with_logins(plan, rows, path), rows


def with_logins(plan: Plan, rows: Rows, path: Path) -> Plan:
    """The plan of users who are rows of a file.

    A search ends where the rows do. Raises InputError where levels need more rows, or where the
    target has users of its own.
    """
    target = parse(plan.target)
    protocol = protocol_of(target.protocol)
    if target.lab is not None:
        raise InputError(f"--logins is for a server of yours; {plan.target} makes its own users")
    if not protocol.has_logins:
        known = ", ".join(one.form for one in protocols().values() if one.has_logins)
        raise InputError(f"--logins is for targets like {known}; {plan.target} has other users")
    if plan.logins is None and "user" in plan.client:
        raise InputError("--logins and --user exclude each other: both name the users; give one")
    if int(plan.client.get("first_user", "0")):
        raise InputError("--logins begins with the first row; leave out first_user")
    most = max(plan.levels, default=1)
    if most > len(rows):
        raise InputError(
            f"{path} has {len(rows):,} rows, and each of {most:,} users needs one; add rows, or "
            "use fewer users"
        )
    search = plan.search
    if plan.mode == "search":
        most = min(search.max_users, len(rows))
        start = min(search.start_users, most)
        search = search.model_copy(update={"max_users": most, "start_users": start})
    client = {**plan.client, "user": EACH}
    changed = {"search": search, "client": client, "logins": len(rows)}
    return plan.model_copy(update=changed)


def check_same_users(plan: Plan, rows: int) -> None:
    """Raise InputError unless a resumed run gets as many rows as it began with."""
    if plan.logins is None:
        raise InputError("this run's users do not come from a file: leave out --logins")
    if rows != plan.logins:
        raise InputError(
            f"the file of --logins has {rows:,} rows, and the run began with {plan.logins:,}: give "
            "the same file again"
        )


def secrets_with(secrets: Secrets, plan: Plan, rows: Rows | None) -> Secrets:
    """The secrets with the users' logins; raises InputError if the plan needs rows and has none."""
    if rows is None:
        if plan.logins is not None:
            raise InputError("this plan's users come from a file: give it again with --logins FILE")
        return secrets
    return replace(secrets, logins=rows)
