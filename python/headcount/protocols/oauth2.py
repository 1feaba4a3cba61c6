"""Access tokens of OAuth 2.0 (RFC 6749): how users of a web server get them."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from headcount.fields.model import Strict

_HOST = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?(/[!-\"$-~]*)?")
"""A whole address: no user, no blanks, no fragment."""
_PATH = re.compile(r"/[!-\"$-~]*")
_PLACE = re.compile(r"(?<!\{)(?:\{\{)*\{[A-Za-z_]")
"""A placeholder in a text."""
_OF_GRANTS = {
    "username": "password",
    "password": "password",
    "refresh_token": "refresh-token",
}
"""Keys that belong to one grant."""


class SecretValue(Strict):
    """A value that is in the environment, and kept nowhere."""

    secret: str = Field(min_length=1, description="The environment variable with the value")


def _url(text: str) -> str:
    if not (_PATH.fullmatch(text) or _HOST.fullmatch(text)):
        raise ValueError(
            f'it is "{text}"; write a path of the target, such as /oauth/token, or a whole '
            "address, such as https://login.example.com/oauth/token"
        )
    if _PLACE.search(text):
        raise ValueError(
            f'it is "{text}"; it is the same for all users, so placeholders are not replaced: '
            "write the address as it is"
        )
    if _HOST.fullmatch(text) and not _has_port(text):
        raise ValueError(f'it is "{text}"; the port must be from 1 to 65535')
    return text


def _has_port(text: str) -> bool:
    try:
        return urlsplit(text).port != 0
    except ValueError:
        return False


def _hidden(value: Any) -> Any:
    if isinstance(value, str) and not _PLACE.search(value):
        raise ValueError(
            'a secret does not belong in a file: write { secret = "NAME" } with the name of an '
            "environment variable, or a placeholder such as {client.secret}"
        )
    return value


Secret = Annotated[SecretValue | str, AfterValidator(_hidden)]
"""A secret of the environment, or a text with a placeholder."""


class OAuth2(Strict):
    """How users get access tokens, which go along with each request."""

    token_url: Annotated[str, AfterValidator(_url)] = Field(
        description="Where tokens come from: a path of the target, or a whole address"
    )
    grant: Literal["client-credentials", "password", "refresh-token"] = Field(
        description="What a user proves its right to a token with"
    )
    client_id: str | None = Field(
        default=None, min_length=1, description="The name of the client at the token server"
    )
    client_secret: Secret | None = Field(default=None, description="Its secret")
    auth: Literal["basic", "body"] = Field(
        default="basic", description="How the client proves who it is: by a header, or in the body"
    )
    username: str | None = Field(
        default=None, min_length=1, description='With grant = "password": the user\'s name'
    )
    password: Secret | None = Field(
        default=None, description='With grant = "password": the user\'s password'
    )
    refresh_token: Secret | None = Field(
        default=None, description='With grant = "refresh-token": the first one'
    )
    scope: str | None = Field(default=None, min_length=1, description="What the token is to allow")
    audience: str | None = Field(default=None, min_length=1, description="Whom it is for")
    share: Literal["user", "all"] = Field(
        default="user", description="Whether each user has a token, or all users share one"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_login(cls, values: Any) -> Any:
        """The name and the password of a user are those of its log-in."""
        if not isinstance(values, Mapping) or values.get("grant") != "password":
            return values
        return {"username": "{username}", "password": "{password}", **values}

    @model_validator(mode="after")
    def _consistent(self) -> "OAuth2":
        for key, grant in _OF_GRANTS.items():
            if getattr(self, key) is not None and self.grant != grant:
                raise ValueError(f'{key} belongs to grant = "{grant}"; remove it')
        if self.grant == "client-credentials" and self.client_id is None:
            raise ValueError('grant = "client-credentials" needs client_id')
        if self.grant == "refresh-token" and self.refresh_token is None:
            raise ValueError(
                'grant = "refresh-token" needs refresh_token: { secret = "NAME" }, or a '
                "placeholder for a column of a file with one for each user"
            )
        if self.client_secret is not None and self.client_id is None:
            raise ValueError("client_secret needs client_id")
        if self.share == "all" and self.grant == "password":
            raise ValueError(
                'share = "all" is for clients: with grant = "password" each user has one'
            )
        return self

    @property
    def server(self) -> tuple[str, str, int] | None:
        """Address, host and port of a token server that is not the target; None if it is."""
        if self.token_url.startswith("/"):
            return None
        parts = urlsplit(self.token_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return f"{parts.scheme}://{parts.netloc}", parts.hostname or "", port

    @property
    def path(self) -> str:
        """The path on its server, with the query."""
        if self.token_url.startswith("/"):
            return self.token_url
        rest = self.token_url.partition("://")[2]
        return rest[rest.index("/") :] if "/" in rest else "/"

    @property
    def text(self) -> str:
        """Where tokens come from and whose they are, for people."""
        whose = "each user has one" if self.share == "user" else "all users share one"
        return f"access tokens of {self.token_url} ({self.grant}): {whose}"
