"""The names of users of a web server, and how they speak to it: `[client]` for HTTP."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from headcount.plan.fields import Checked, Pattern, Strict, Switch, trusted
from headcount.plan.pattern import NUMBER

HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)")
"""A header's name is a token (RFC 9110, 5.6.2)."""
APART = " | "
"""Between two headers: no header that a client sends holds it."""


def _colonless(text: str) -> str:
    if ":" in re.sub(NUMBER, "", text):
        raise ValueError(f'it is "{text}"; a user name cannot have a colon (RFC 7617)')
    return text


def _headers(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    found: dict[str, str] = {}
    for part in value.split(APART) if value else []:
        match = HEADER.fullmatch(part.strip())
        if match is None:
            raise ValueError(
                f'it holds "{part}"; write headers like "Accept-Language: de | X-Test: 1"'
            )
        found[match[1]] = match[2]
    return found


class HttpClient(Strict):
    """The names of users of a web server, and how they speak to it."""

    user: Annotated[Pattern, AfterValidator(_colonless)] = Field(
        default="", description="Names of the users, if the server asks for them; {n} is the number"
    )
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    keep_alive: Switch = Field(default=True, description="Whether to keep connections open")
    http2: Switch = Field(default=False, description="Whether to use HTTP/2 instead of HTTP/1.1")
    receive_buffer: int = Field(
        default=0, ge=0, le=65_536, description="Most bytes of one read; 0: as many as are useful"
    )
    accept_gzip: Switch = Field(default=False, description="Whether to accept compressed answers")
    verify: Checked = Field(
        default=1.0, description="Share of the answers whose contents are checked"
    )
    verify_certificates: str = Field(
        default="on",
        min_length=1,
        description="Whether certificates must be trusted, or the file that trusts them",
    )
    resume_tls: Switch = Field(default=False, description="Whether to resume TLS sessions")
    cookies: Switch = Field(default=True, description="Whether users keep cookies")
    user_agent: str = Field(default="", description="The User-Agent header")
    headers: Annotated[dict[str, str], BeforeValidator(_headers)] = Field(
        default_factory=dict, description="Headers of all requests"
    )

    def engine_form(self) -> dict[str, Any]:
        """The options as the engine reads them, without whom and where."""
        values = self.model_dump(exclude={"user", "verify_certificates", "user_agent"})
        values["verify_certificates"] = trusted(self.verify_certificates)
        return values | ({"user_agent": self.user_agent} if self.user_agent else {})
