"""How users log on to a database and speak to it: `[client]` for PostgreSQL."""

from typing import Any, Literal

from pydantic import Field

from headcount.plan.fields import Strict, Switch


class SqlClient(Strict):
    """How users log on to a database and speak to it. Each has a connection."""

    user: str = Field(
        default="headcount",
        pattern=r"^[^{}\x00]{1,63}$",
        description="Role with which all users log on, and which owns the schema",
    )
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    sslmode: Literal["disable", "prefer", "require", "verify-full"] = Field(
        default="prefer", description="Whether to encrypt connections, as in libpq"
    )
    root_certificates: str = Field(
        default="", description="PEM file with the authority that verify-full trusts"
    )
    verify: Switch = Field(default=True, description="Whether to check the data read")

    def engine_form(self) -> dict[str, Any]:
        """The options as the engine reads them, without the server."""
        values = self.model_dump(exclude={"root_certificates"})
        roots = self.root_certificates
        return values | ({"root_certificates": roots} if roots else {})
