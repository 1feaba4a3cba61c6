"""Where secrets come from: a file, the environment, or the person at the terminal."""

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headcount.errors import InputError
from headcount.secret_text import learn

if TYPE_CHECKING:
    from headcount.cli.logins import Rows
    from headcount.controller.access import Secrets
    from headcount.plan.plan import Plan
    from headcount.protocols.target import Target


def secrets_for(
    plan: "Plan",
    token_file: Path | None,
    password_file: Path | None,
    rows: "Rows | None" = None,
) -> "Secrets":
    """The secrets that the plan's target needs; asks at the terminal for a missing password.

    `rows`: the names and passwords of users, where each has its own.
    """
    from headcount.cli.logins import secrets_with
    from headcount.controller.access import Secrets
    from headcount.plan import target as targets

    token = secret(token_file, "token", "HEADCOUNT_TOKEN")
    password = secret(password_file, "password", "HEADCOUNT_PASSWORD")
    target = targets.parse(plan.target)
    if rows is not None or plan.logins is not None:
        return secrets_with(Secrets(token=token), plan, rows)
    if password is None and target.lab is None and _has_users(plan, target):
        password = _ask(target)
    second = secret(None, "password", "HEADCOUNT_SECOND_PASSWORD")
    return Secrets(token=token, password=password, second_password=second)


def _has_users(plan: "Plan", target: "Target") -> bool:
    """Whether the target's users log on with a password."""
    from headcount.protocols.registry import protocol_of

    wanted = protocol_of(target.protocol).log_on
    return wanted == "all" or (wanted == "named" and "user" in plan.client)


def secret(file: Path | None, what: str, variable: str) -> str | None:
    """A secret from a file or, without one, from an environment variable."""
    from headcount.plan.secrets import environment_value

    if file is None:
        found = environment_value(variable) or None
        learn(found)
        return found
    try:
        text = file.read_text("utf-8-sig").rstrip("\r\n")  # editors of Windows write the mark
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the {what} file {file} cannot be read: {error}") from error
    if not text:
        raise InputError(f"the {what} file {file} is empty; write the {what} into it")
    learn(text)
    return text


def _ask(target: "Target") -> str:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            f"{target.text} needs the password of its users, and there is no terminal to ask at: "
            "set HEADCOUNT_PASSWORD, or give --password-file"
        )
    question = f"Password of the users of {target.text}: "
    try:
        # getpass turns echo off before it asks, so that typing ahead is neither shown nor lost.
        password = getpass.getpass(question)
    except EOFError:
        password = ""
    if not password:
        raise InputError(f"no password was given; {target.text} needs the password of its users")
    return password
