"""The data set of any target, made; and what its server's refusal means, if it refuses."""

from headcount.analyse.failures import explained_message
from headcount.controller.access.access import Access, Divisible, Make, Prepared, Progress
from headcount.controller.access.pair import PairAccess
from headcount.errors import InputError, SystemLimitError, TargetError


def divide(access: Access, make: Make) -> None:
    """Have `make` make what belongs to one user each, from now on.

    Raises InputError where the access has no such data.
    """
    parts = access.parts() if isinstance(access, PairAccess) else [access]
    divisible = [one for one in parts if isinstance(one, Divisible)]
    if not divisible:
        raise InputError(
            "all users have the same data on this target, or it is a folder of this machine: one "
            "agent makes it, so leave out --agents"
        )
    for one in divisible:
        one.make = make


def prepare(access: Access, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
    """Make the data of the first `users` users, or make sure it is there.

    Raises what the access raises, with what the server's words mean and what to do.
    """
    try:
        return access.prepare(users, on_progress, verify=verify)
    except (InputError, SystemLimitError, TargetError) as error:
        # An access that knows better what to do has raised its own error from the engine's.
        if error.__cause__ is not None:
            raise
        raise type(error)(explained_message(str(error))) from error
