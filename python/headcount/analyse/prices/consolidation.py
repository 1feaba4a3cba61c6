"""What fewer, larger servers save in administration, by the rule of the file-server study of 1998.

Its rule: a number of servers takes one administrator, at a yearly cost. Its example: 2,000 servers,
20 to an administrator at 100,000 dollars, become 100. That is 100 administrators before and 5
afterwards, and saves 9.5 million dollars a year; the study says "approximately $10 million", which
is the cost of all administrators before, and 9.5 rounded to whole millions.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from pydantic import Field

from headcount.analyse.prices.configuration import Configuration
from headcount.analyse.prices.fleet import Need, fleet
from headcount.bundle.level import Record
from headcount.plan.money import Exact, ceiling, product, quotient

MISLEADING = Decimal("0.01")
"""Share by which a rounded saving may be off without a note: a reader would not notice it."""
ROUND = ((Decimal(1_000_000_000), "billion"), (Decimal(1_000_000), "million"))
"""Units to which people round large sums of money, the largest first."""


@dataclass(frozen=True, slots=True)
class Administration:
    """The cost of administering servers.

    Attributes:
        servers_per_admin: Servers for which one administrator suffices, above 0.
        admin_cost: Cost of one administrator per year.
        currency: Currency of that cost.

    """

    servers_per_admin: Decimal
    admin_cost: Decimal
    currency: str = "USD"

    def admins(self, servers: int) -> int:
        """Whole administrators for so many servers."""
        return ceiling(quotient(Decimal(servers), self.servers_per_admin))

    def yearly(self, servers: int) -> Decimal:
        """Their cost per year."""
        return product(Decimal(self.admins(servers)), self.admin_cost)


class Consolidation(Record):
    """Old servers and the new ones that take their users."""

    name: str = Field(description="The new configuration's")
    replaces: int = Field(description="Old servers")
    users: int = Field(description="Of all of them together, with growth")
    usable: int = Field(description="Users for each new system")
    systems: int = Field(description="New systems, spares included")
    servers: int = Field(description="New servers: the systems, each of so many nodes")
    per_server: Exact = Field(description="Old servers for each new one")
    admins_before: int | None = Field(description="Administrators of the old servers, if stated")
    admins_after: int | None = Field(description="Of the new ones")
    yearly_before: Exact | None = Field(description="What administration costs in a year")
    yearly_after: Exact | None
    saving: Exact | None = Field(description="In a year; negative if it costs more than before")
    currency: str | None = Field(description="Of these amounts")
    amount: Exact | None = Field(description="What the new systems cost, in the price's currency")
    pays_back_years: Exact | None = Field(
        description="After how long the saving has paid for them; null where it never does"
    )


def consolidate(
    configuration: Configuration,
    replaces: int,
    need: Need,
    administration: Administration | None = None,
    nodes: int = 1,
) -> Consolidation:
    """Put the users of old servers on new systems.

    Args:
        configuration: The new system.
        replaces: Old servers, at least 1.
        need: Their users, all together, and how they are to be held.
        administration: The cost of administration; None to leave it out.
        nodes: Servers that make up one system, such as 2 for a cluster of two.

    """
    found = fleet(configuration, need)
    servers = found.systems * nodes
    before = administration.yearly(replaces) if administration else None
    after = administration.yearly(servers) if administration else None
    saving = before - after if before is not None and after is not None else None
    paid = found.amount is not None and saving is not None and saving > 0
    return Consolidation(
        name=configuration.name,
        replaces=replaces,
        users=need.most_users,
        usable=found.usable,
        systems=found.systems,
        servers=servers,
        per_server=quotient(Decimal(replaces), Decimal(servers)),
        admins_before=administration.admins(replaces) if administration else None,
        admins_after=administration.admins(servers) if administration else None,
        yearly_before=before,
        yearly_after=after,
        saving=saving,
        currency=administration.currency if administration else None,
        amount=found.amount,
        pays_back_years=quotient(found.amount, saving) if paid else None,  # type: ignore[arg-type]
    )


def rounding(amount: Decimal) -> str | None:
    """How a sum misleads when it is rounded as people do; None if it hardly does.

    `rounded to whole millions that is 10 million, 5.3% more`: of 9.5 million.
    """
    unit, name = next((one for one in ROUND if abs(amount) >= one[0]), (None, ""))
    if unit is None:
        return None
    whole = int(quotient(amount, unit).to_integral_value(ROUND_HALF_UP))
    off = quotient(whole * unit - amount, amount)
    if abs(off) < MISLEADING:
        return None
    more = "more" if off > 0 else "less"
    return f"rounded to whole {name}s that is {whole:,} {name}, {abs(off) * 100:.1f}% {more}"
