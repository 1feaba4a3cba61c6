"""Targets of two servers that the same users speak to: `imap://mail+postgresql://db/people`.

Settings of the second server and of its `[client]` start with its protocol: `sql.sslmode=require`.
"""

import re
from collections.abc import Mapping

from headcount.errors import InputError
from headcount.fields.model import Strict
from headcount.protocols.protocol import Protocol


def joined(first: Protocol, second: Protocol, usual_workload: str) -> Protocol:
    """The protocol of users who speak to two servers; its `[client]` is read by parts."""

    def client(_given: Mapping[str, str]) -> Strict:
        raise InputError(f"[client] of {first.name}+{second.name} is read in two parts")

    return Protocol(
        name=f"{first.name}+{second.name}",
        form=f"{first.form}+{second.form}",
        usual_workload=usual_workload,
        client=client,
        tables={**first.tables, **second.tables},
        needed=first.needed + second.needed,
        handles=first.handles + second.handles,
        log_on="all" if "all" in (first.log_on, second.log_on) else "any",
        has_transactions=second.has_transactions,
        parts=(first.name, second.name),
    )


def split_target(text: str) -> tuple[str, str] | None:
    """The two targets that a plus sign joins; None if it is one."""
    found = re.fullmatch(r"(.+?)\+((?:lab:|[a-z]+://).+)", text)
    return (found[1], found[2]) if found else None


def split_settings(
    settings: Mapping[str, str], second: str
) -> tuple[dict[str, str], dict[str, str]]:
    """The settings of the first, and those of the second, which begin with its protocol."""
    mark = f"{second}."
    first = {key: value for key, value in settings.items() if not key.startswith(mark)}
    other = {
        key.removeprefix(mark): value for key, value in settings.items() if key.startswith(mark)
    }
    return first, other
