"""Keys of `[client]` that say whom users trust over TLS."""

from typing import Any

from pydantic import Field

from headcount.fields.model import Strict, Switch, trusted


class TlsKeys(Strict):
    """Which certificates of a server are accepted."""

    verify_certificates: str = Field(
        default="on",
        min_length=1,
        description="Whether certificates must be trusted, or the file that trusts them",
    )
    verify_name: Switch = Field(
        default=True, description="Whether a certificate must be for the server's name"
    )

    def tls_form(self) -> dict[str, Any]:
        """What the engine knows of TLS, by its own names; what is as usual is left out."""
        values: dict[str, Any] = {"verify_certificates": trusted(self.verify_certificates)}
        return values | ({} if self.verify_name else {"verify_name": False})


TLS_KEYS = frozenset(TlsKeys.model_fields)
"""Their names."""
