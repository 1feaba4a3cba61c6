"""Targets of two servers that the same users speak to: `imap://mail+postgresql://db/people`.

Settings of the second server and of how it is spoken to bear its protocol: `sql.sslmode=require`.
"""

import re
from collections.abc import Mapping

from headcount.errors import InputError

PAIRS = {"mail+sql": ("mail", "sql")}
"""Protocols of two servers, and of each."""


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


def check_pair(protocols: str, text: str) -> None:
    """Raise InputError unless the protocols of two targets go together."""
    if protocols not in PAIRS:
        raise InputError(
            f'the target "{text}" joins {protocols.replace("+", " and ")}, which no workload '
            f"combines; possible: {', '.join(PAIRS)}"
        )
