"""Keys of `[client]` for the certificates that users trust over TLS, and those that they show."""

import os
from typing import Any, Self

from pydantic import Field, model_validator

from headcount.fields.model import Strict, Switch, trusted


class IdentityKeys(Strict):
    """The certificate that users show to a server that asks for one."""

    certificate: str = Field(
        default="", description="PEM file of the certificate that users show, if they have one"
    )
    key: str = Field(
        default="", description="PEM file of its key; by default that of the certificate"
    )

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if self.key and not self.certificate:
            raise ValueError(
                "it has a key without its certificate; give that, too (--client certificate=FILE)"
            )
        return self

    def identity_form(self) -> dict[str, Any]:
        """The files as the engine reads them; empty if there are none."""
        values = {"certificate": self.certificate, "key": self.key}
        # Path.expanduser raises for a user who does not exist.
        expanded = os.path.expanduser
        return {name: expanded(path) for name, path in values.items() if path}


class TlsKeys(IdentityKeys):
    """Which certificates of a server are accepted, and which one users show."""

    verify_certificates: str = Field(
        default="on",
        min_length=1,
        description="Whether certificates must be trusted, or the file that trusts them",
    )
    verify_name: Switch = Field(
        default=True, description="Whether a certificate must be for the server's name"
    )

    def tls_form(self) -> dict[str, Any]:
        """The engine's options for TLS, by its own names; without those at their defaults."""
        values: dict[str, Any] = {"verify_certificates": trusted(self.verify_certificates)}
        return values | ({} if self.verify_name else {"verify_name": False}) | self.identity_form()


TLS_KEYS = frozenset(TlsKeys.model_fields)
"""The names of these keys."""
