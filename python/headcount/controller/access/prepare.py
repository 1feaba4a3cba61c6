"""The data set of any target, made; and what its server's refusal means, if it refuses."""

from headcount.analyse.failures import explained_message
from headcount.controller.access.access import Access, Prepared, Progress
from headcount.errors import InputError, SystemLimitError, TargetError


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
