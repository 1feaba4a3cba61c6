"""Options about who plays the users: how many agents, where, and from which addresses."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from headcount.cli.options import ADVANCED

if TYPE_CHECKING:
    from headcount.plan.resolve import Overrides

Agents = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        min=1,
        help="Play the users by this many agents, each a process of its own, and add up what they "
        "measure.",
        rich_help_panel=ADVANCED,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ray://HEAD:PORT",
        help="Play them on machines of this Ray cluster, one agent on each.",
        rich_help_panel=ADVANCED,
    ),
]
UsersPerAgent = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Most users that one agent plays.",
        rich_help_panel=ADVANCED,
    ),
]
EqualUsers = Annotated[
    bool,
    typer.Option(
        "--equal-users",
        help="Give each agent as many users as the others, however fast its machine is.",
        rich_help_panel=ADVANCED,
    ),
]
LocalIps = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESSES",
        help="Let users connect from these addresses of the load generator's machine, in turn: "
        "10.0.0.11-10.0.0.20, or 10.0.1.0/28. The server sees a client at each address, and each "
        "has its own ports.",
        rich_help_panel=ADVANCED,
    ),
]


class AgentOptions(Protocol):
    """The options of a verb that plays load."""

    @property
    def agents(self) -> int | None:
        """How many."""

    @property
    def cluster(self) -> str | None:
        """Where they are."""

    @property
    def users_per_agent(self) -> str | None:
        """Most users of one."""

    @property
    def equal_users(self) -> bool:
        """Whether the speed of their machines does not count."""

    @property
    def local_ips(self) -> str | None:
        """The addresses that users connect from."""


def with_agents(overrides: "Overrides", asked: AgentOptions) -> "Overrides":
    """The same, with these options. Raises InputError."""
    from headcount.cli.running import number, parts

    return replace(
        overrides,
        agents=asked.agents,
        cluster=asked.cluster,
        users_per_agent=number(asked.users_per_agent, "--users-per-agent"),
        equal_users=asked.equal_users,
        local_ips=parts(asked.local_ips),
    )
