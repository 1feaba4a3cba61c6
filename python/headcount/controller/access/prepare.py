"""Makes the data set of any target, and explains the server's refusal if it refuses."""

from collections.abc import Iterator
from contextlib import contextmanager

from headcount.analyse.failures import explained_message
from headcount.controller.access.access import Access, Divisible, Prepared, Progress
from headcount.controller.access.pair import PairAccess
from headcount.errors import InputError, SystemLimitError, TargetError
from headcount.generator.makers import Makers
from headcount.plan.agents import Agents


@contextmanager
def made_by(access: Access, agents: Agents | None, target: str) -> Iterator[None]:
    """Within the block agents make data that belong to one user each; without any, this process.

    `target` is the plan's.

    Raises InputError if the access has no such data, and what agents raise that do not start.
    """
    if agents is None:
        yield
        return
    parts = access.parts() if isinstance(access, PairAccess) else [access]
    divisible = [one for one in parts if isinstance(one, Divisible)]
    if not divisible:
        raise InputError(
            "all users have the same data on this target, or it is a folder of this machine: one "
            "agent makes it, so leave out --agents"
        )
    with Makers(agents, target) as makers:
        for one in divisible:
            one.make = makers.make
        yield


def prepare(access: Access, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
    """Make the data of the first `users` users, or make sure that they exist.

    Raises what the access raises, with the meaning of the server's message and what to do.
    """
    try:
        return access.prepare(users, on_progress, verify=verify)
    except (InputError, SystemLimitError, TargetError) as error:
        # An access that knows better advice has raised its own error from the engine's.
        if error.__cause__ is not None:
            raise
        raise type(error)(explained_message(str(error))) from error
