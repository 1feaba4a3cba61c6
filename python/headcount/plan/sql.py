"""As whom users log on to a database, and how: `[client]` for PostgreSQL."""

from typing import Any, Literal

from pydantic import Field

from headcount.plan.fields import Strict, Switch


class SqlClient(Strict):
    """As whom users log on to a database, and how they speak to it. Each has a connection."""

    user: str = Field(
        default="headcount",
        pattern=r"^[^{}\x00]{1,63}$",
        description="The role as which all users log on; it owns the schema",
    )
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first")
    sslmode: Literal["disable", "prefer", "require", "verify-full"] = Field(
        default="prefer", description="Whether connections are encrypted, in libpq's words"
    )
    root_certificates: str = Field(
        default="", description="A file (PEM) with the authority that verify-full trusts"
    )
    verify: Switch = Field(default=True, description="Whether data read is checked")

    def engine_form(self) -> dict[str, Any]:
        """The options as the engine reads them, without the server."""
        values = self.model_dump(exclude={"root_certificates"})
        roots = self.root_certificates
        return values | ({"root_certificates": roots} if roots else {})
