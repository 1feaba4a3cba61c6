"""An authorization server of Authlib, and an application that takes its tokens, both of Flask."""

import os
import secrets
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import flask
from authlib.integrations.flask_oauth2 import (
    AuthorizationServer,
    ResourceProtector,
    current_token,
)
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6749.errors import InvalidGrantError
from authlib.oauth2.rfc6750 import BearerTokenValidator

import wsgi_site

CLIENT, SECRET = "load-tester", "s3cret-of.the_client"
"""Without signs that forms encode: Authlib takes those of the header as they are."""
LIFE_S = 2.0
"""How long tokens live."""


class Client(ClientMixin):
    """The only client."""

    def get_client_id(self) -> str:
        """Its name."""
        return CLIENT

    def get_allowed_scope(self, scope: str | None) -> str:
        """All scopes."""
        return scope or ""

    def check_client_secret(self, client_secret: str) -> bool:
        """Whether it is its secret."""
        return client_secret == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        """Whether it may authenticate this way."""
        return endpoint == "token" and method in ("client_secret_basic", "client_secret_post")

    def check_grant_type(self, grant_type: str) -> bool:
        """Whether it may use this grant."""
        return grant_type in ("client_credentials", "password", "refresh_token")


class Token(TokenMixin):
    """A token that was given."""

    def __init__(self, values: dict[str, Any], user: str, life_s: float) -> None:
        self.access: str = values["access_token"]
        self.refresh: str | None = values.get("refresh_token")
        self.user = user
        self.scope: str = values.get("scope") or ""
        self.ends = time.monotonic() + life_s
        self.is_revoked_now = False

    def check_client(self, client: Client) -> bool:
        """Whether it is this client's."""
        return client.get_client_id() == CLIENT

    def get_scope(self) -> str:
        """What it allows."""
        return self.scope

    def get_expires_in(self) -> int:
        """Its life in seconds."""
        return int(LIFE_S)

    def is_expired(self) -> bool:
        """Whether its time is over."""
        return time.monotonic() > self.ends

    def is_revoked(self) -> bool:
        """Whether it was revoked."""
        return self.is_revoked_now


class TokenSite:
    """Both servers, and what they remember. Passwords are the users' names backwards.

    Attributes:
        asked: The grant of each request for a token, in order, with the user it was for.
        seen: Users of the requests that were served, and the tokens that they sent.
        refused: How many requests came without a token that is good.
        life_s: How long tokens live.

    """

    def __init__(self, life_s: float = LIFE_S) -> None:
        self.asked: list[tuple[str, str]] = []
        self.seen: list[tuple[str, str]] = []
        self.bodies: list[dict[str, str]] = []
        self.refused = 0
        self.life_s = life_s
        self._tokens: list[Token] = []
        self._lock = threading.Lock()
        self.tokens = self._token_app()
        self.app = flask.Flask("application")
        self._with_pages(self.app)
        self.both = self._token_app()
        self._with_pages(self.both)

    @property
    def access_tokens(self) -> list[str]:
        """All access tokens that were given."""
        return [token.access for token in self._tokens]

    def revoke(self) -> None:
        """Revoke all tokens that were given."""
        with self._lock:
            for token in self._tokens:
                token.is_revoked_now = True

    def first_refresh_token(self, user: str) -> str:
        """A refresh token for a user, as if it had logged on before."""
        refresh = secrets.token_hex(16)
        values = {"access_token": secrets.token_hex(16), "refresh_token": refresh}
        self._tokens.append(Token(values, user, 0))
        return refresh

    def _token_app(self) -> flask.Flask:
        app = flask.Flask("authorization")
        life_s = int(self.life_s)
        names = ("client_credentials", "password", "refresh_token")
        app.config["OAUTH2_TOKEN_EXPIRES_IN"] = dict.fromkeys(names, life_s)
        app.config["OAUTH2_SCOPES_SUPPORTED"] = ["read", "orders"]
        app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
        server = AuthorizationServer(app, query_client=self._client, save_token=self._save)
        for grant in _grants_of(self):
            server.register_grant(grant)
        app.add_url_rule("/oauth/token", "tokens", lambda: self._counted(server), methods=["POST"])
        app.post("/moved")(_moved)
        return app

    def _client(self, client_id: str) -> Client | None:
        return Client() if client_id == CLIENT else None

    def _save(self, values: dict[str, Any], request: Any) -> None:
        user = request.user or CLIENT
        with self._lock:
            self._tokens.append(Token(values, user, self.life_s))
            self.asked.append((request.payload.grant_type, user))

    def _counted(self, server: AuthorizationServer) -> flask.Response:
        self.bodies.append(dict(flask.request.form))
        found: flask.Response = server.create_token_response()
        return found

    def found(self, **wanted: str) -> Token | None:
        """The token with this access or refresh token, if it was given."""
        ((key, text),) = wanted.items()
        return next((one for one in self._tokens if getattr(one, key) == text), None)

    def _with_pages(self, app: flask.Flask) -> None:
        require = ResourceProtector()
        require.register_token_validator(_validator_of(self))

        @app.get("/orders")
        @require()
        def orders() -> dict[str, str]:
            self.seen.append((current_token.user, current_token.access))
            return {"user": current_token.user}

        @app.get("/open")
        def everybody() -> tuple[dict[str, str | None], int]:
            status = int(flask.request.args.get("status", "200"))
            return {"sent": flask.request.headers.get("Authorization")}, status

        @app.after_request
        def count(response: flask.Response) -> flask.Response:
            self.refused += response.status_code == 401 and flask.request.method == "GET"
            return response


def _moved() -> flask.typing.ResponseReturnValue:
    return flask.redirect("/oauth/token", 307)


def _grants_of(site: TokenSite) -> tuple[type[Any], ...]:
    """The grants of the client and of users, who are those of the site."""

    class Credentials(grants.ClientCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post")

    class Password(grants.ResourceOwnerPasswordCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post")

        def authenticate_user(self, username: str, password: str) -> str:
            if password != username[::-1]:
                raise InvalidGrantError(description=f"{password} is not the password")
            return username

    class Refresh(grants.RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post")
        INCLUDE_NEW_REFRESH_TOKEN = True  # each is good for one time

        def authenticate_refresh_token(self, refresh_token: str) -> Token | None:
            found = site.found(refresh=refresh_token)
            return found if found is not None and not found.is_revoked() else None

        def authenticate_user(self, credential: Token) -> str:
            return credential.user

        def revoke_old_credential(self, credential: Token) -> None:
            credential.is_revoked_now = True

    return Credentials, Password, Refresh


def _validator_of(site: TokenSite) -> BearerTokenValidator:
    class Validator(BearerTokenValidator):
        def authenticate_token(self, token_string: str) -> Token | None:
            return site.found(access=token_string)

    return Validator()


@contextmanager
def served(site: TokenSite) -> Iterator[str]:
    """Serve the application with the token server beside it; gives its address."""
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # on this machine
    with wsgi_site.served(site.both) as url:
        yield url


@contextmanager
def served_apart(site: TokenSite, tls: ssl.SSLContext | None = None) -> Iterator[tuple[str, str]]:
    """Serve the application and the token server on ports of their own; gives both addresses.

    `tls` is the token server's.
    """
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    with wsgi_site.served(site.app) as url, wsgi_site.served(site.tokens, tls) as tokens:
        yield url, tokens
