"""Agents: the machines, or processes, that play a plan's users together."""

from pydantic import Field

from headcount.fields.model import Strict, Users

MOST_AGENTS = 10_000


class Agents(Strict):
    """Who plays the users, where it is not one process."""

    number: int = Field(ge=1, le=MOST_AGENTS, description="How many agents")
    most_users: Users | None = Field(
        default=None, description="Of one agent: a level that needs more is refused"
    )
    equal_users: bool = Field(
        default=False, description="Each plays as many, however fast its machine is"
    )
    cluster: str | None = Field(
        default=None, description="Where they are; without it, processes of this machine"
    )
