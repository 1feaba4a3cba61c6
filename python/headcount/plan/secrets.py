"""Secrets that workloads name: they are in the environment, never in a file."""

import os

from headcount.errors import InputError
from headcount.secret_text import learn


def environment_value(variable: str) -> str | None:
    """The value of an environment variable, if it is set; raises InputError if it is not text."""
    value = os.environ.get(variable)
    if value is not None and any("\udc80" <= sign <= "\udcff" for sign in value):
        raise InputError(
            f"the environment variable {variable} is not UTF-8 text; set it in a UTF-8 terminal"
        )
    return value


def environment_secret(what: str, variable: str) -> str:
    """The value of a secret, which all output masks from now on; raises InputError without one.

    `what` is the workload's use for it.
    """
    value = environment_value(variable)
    if value is None:
        raise InputError(
            f"{what} is a secret in the environment variable {variable}, which is not set; set it, "
            f"for example with: export {variable}=..."
        )
    learn(value)
    return value
