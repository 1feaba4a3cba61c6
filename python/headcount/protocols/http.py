"""HTTP: web servers and applications."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from headcount.errors import InputError
from headcount.fields.mistakes import read_table
from headcount.fields.model import Checked, Pattern, Switch
from headcount.fields.pattern import NUMBER
from headcount.protocols.oauth2 import OAuth2
from headcount.protocols.pages import Pages
from headcount.protocols.protocol import Protocol, Scheme, Table
from headcount.protocols.target import Place, Target
from headcount.protocols.tls_keys import TLS_KEYS, TlsKeys

HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)")
"""A header's name is a token (RFC 9110, 5.6.2)."""
APART = " | "
"""Separates two headers: no header that a client sends contains it."""


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


def connect_place(text: str) -> tuple[str, int | None]:
    """Host and port of an address such as 10.0.0.5:8443; None where it has no port."""
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?", text)
    port = int(match[2]) if match is not None and match[2] else None
    if match is None or (port is not None and not 0 < port < 65_536):
        raise ValueError(f'it is "{text}"; write an address like 10.0.0.5:8443 or [::1]:8443')
    return match[1].strip("[]"), port


def _connect(text: str) -> str:
    if text:
        connect_place(text)
    return text


class HttpClient(TlsKeys):
    """The names of users of a web server, and how they speak to it."""

    user: Annotated[Pattern, AfterValidator(_colonless)] = Field(
        default="", description="Names of the users, if the server asks for them; {n} is the number"
    )
    auth: Literal["basic", "digest"] = Field(
        default="basic",
        description="How users with a name prove who they are: the password with each request, or "
        "an answer to the server's challenge",
    )
    clear_password: Switch = Field(
        default=False, description="Whether the password may go to other machines without TLS"
    )
    connect: Annotated[str, AfterValidator(_connect)] = Field(
        default="",
        description="Where connections go, as host:port, instead of to the target's host",
    )
    server_name: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9._:-]{0,253}$",
        description="The name that TLS asks for (SNI) and the certificate must be for",
    )
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    keep_alive: Switch = Field(default=True, description="Whether to keep connections open")
    http2: Switch = Field(default=False, description="Whether to use HTTP/2 instead of HTTP/1.1")
    http3: Switch = Field(default=False, description="Whether to use HTTP/3, over QUIC")
    receive_buffer: int = Field(
        default=0, ge=0, le=65_536, description="Most bytes of one read; 0: as many as are useful"
    )
    accept_gzip: Switch = Field(default=False, description="Whether to accept compressed answers")
    verify: Checked = Field(
        default=1.0, description="Share of the answers whose contents are checked"
    )
    resume_tls: Switch = Field(default=False, description="Whether to resume TLS sessions")
    cookies: Switch = Field(default=True, description="Whether users keep cookies")
    new_visitors: Switch = Field(
        default=False, description="Whether each scenario is a new visitor's, without cookies"
    )
    user_agent: str = Field(default="", description="The User-Agent header")
    headers: Annotated[dict[str, str], BeforeValidator(_headers)] = Field(
        default_factory=dict, description="Headers of all requests"
    )

    def engine_form(self) -> dict[str, Any]:
        """The options as the engine reads them, without whom and where."""
        apart = {"user", "auth", "clear_password", "user_agent", "connect", "server_name"}
        values = self.model_dump(exclude={*apart, *TLS_KEYS})
        values |= self.tls_form()
        own = {"user_agent": self.user_agent, "server_name": self.server_name}
        own |= {"auth": self.auth} if self.auth != "basic" else {}
        return values | {key: text for key, text in own.items() if text}


def http_client(given: Mapping[str, str]) -> HttpClient:
    """The `[client]` table of a plan for HTTP; raises InputError with every mistake in it."""
    client = read_table(HttpClient, given, "[client]")
    if client.http2 and client.http3:
        raise InputError(
            "[client] has http2 = on and http3 = on, but users speak one version; "
            "remove one of them"
        )
    for key, version in (("http2", "HTTP/2"), ("http3", "HTTP/3")):
        if getattr(client, key) and not client.keep_alive:
            raise InputError(
                f"[client] has {key} = on and keep_alive = off, but {version} keeps its "
                "connections; remove one of them (if the workload has keep_alive = off: "
                "--client keep_alive=on)"
            )
    return client


def _connects(given: Mapping[str, str]) -> tuple[str, int | None] | None:
    connect = http_client(given).connect
    return connect_place(connect) if connect else None


def _fits(target: Target, given: Mapping[str, str], _server: Mapping[str, str]) -> None:
    if target.lab is not None and http_client(given).connect:
        raise InputError(
            f"[client] has connect, and {target.text} is started by Headcount, which knows its "
            "address; remove connect, or give the server's name as the target"
        )


def _place(text: str, path: str, _form: str) -> Place:
    if not re.fullmatch(r"[!$%&'()*+,\-./0-9:;=@A-Z_a-z~]*", path):
        raise InputError(
            f'the target "{text}": after the host comes a plain path, without spaces, ? or #; '
            "queries belong to the steps of the workload"
        )
    return Place()


PROTOCOL = Protocol(
    name="http",
    form="http://host/path",
    schemes={"http": Scheme(80), "https": Scheme(443, is_tls=True)},  # RFC 9110, 4.2
    labs={
        "apache": "headcount.lab.apache:ApacheServer",
        "nginx": "headcount.lab.nginx:NginxServer",
        "ha-web": "headcount.lab.ha_web:HaWebServer",
    },
    access="headcount.controller.access.http",
    usual_workload="web-static",
    place=_place,
    client=http_client,
    tables={
        "pages": Table(Pages, "A tree of pages"),
        "oauth2": Table(OAuth2, "Access tokens of users"),
    },
    has_logins=True,
    log_on="named",
    connects=_connects,
    fits=_fits,
    is_clean=True,
)
