"""WebSockets of servers that ask who the user is: status 401 to the handshake."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection

import chat_server
import digest_site
import token_site
from chat_server import Chat
from processes import Headcount

JOURNEY = Path(__file__).resolve().parents[2] / "examples" / "journeys" / "chat.toml"
OAUTH2 = f"""
[oauth2]
token_url = "TOKENS"
grant = "client-credentials"
client_id = "{token_site.CLIENT}"
client_secret = {{ secret = "SHOP_SECRET" }}
"""


def handshakes(chat: Chat) -> list[str]:
    """The header `Authorization` of each handshake, without the request that finds the server."""
    asked = [one for one in chat.headers if "Sec-WebSocket-Key" in one]
    return [one.get("Authorization", "") for one in asked]


@contextmanager
def asking(*schemes: str, good: str = "nothing") -> Iterator[tuple[Chat, str]]:
    """A chat that admits this header `Authorization`, and answers others with these challenges."""
    chat = Chat()

    def guard(connection: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Authorization") == good:
            return None
        answer = connection.respond(401, "who are you?\n")
        for scheme in schemes:
            answer.headers["WWW-Authenticate"] = scheme
        return answer

    chat.guard = guard
    with chat_server.served(chat) as url:
        yield chat, url


@pytest.mark.parametrize(
    ("schemes", "options", "sentence"),
    [
        (("Basic realm=a",), (), "the server asks for Basic: give users names and passwords"),
        (("Bearer",), (), "the server asks for Bearer: give users access tokens: [oauth2]"),
        (("NTLM",), (), "the server asks for NTLM: users support Basic, Digest and Bearer"),
        ((), (), "status 401 Unauthorized instead of 101, which opens a WebSocket"),
        (("Basic realm=a",), ("--user", "ada"), "user ada is not accepted: status 401"),
        (
            ('Digest realm="a", nonce="b", qop="auth"',),
            ("--user", "ada"),
            "the server asks for Digest: --client auth=digest",
        ),
        (
            ("Basic realm=a",),
            ("--user", "ada", "--client", "auth=digest"),
            "but Basic; for Basic: --client auth=basic",
        ),
    ],
)
def test_a_refused_handshake_says_how_to_log_on(
    headcount: Headcount, schemes: tuple[str, ...], options: tuple[str, ...], sentence: str
) -> None:
    with asking(*schemes) as (_, url):
        word = {"HEADCOUNT_PASSWORD": "sesame"}
        done = headcount.run("try", str(JOURNEY), "--target", url, *options, **word)
    assert done.code != 0
    assert sentence in re.sub(r"\s+", " ", done.out + done.err), done


def test_a_password_opens_the_socket(headcount: Headcount) -> None:
    with asking("Basic realm=a", good="Basic YWRhOnNlc2FtZQ==") as (chat, url):
        word = {"HEADCOUNT_PASSWORD": "sesame"}
        done = headcount.run("try", str(JOURNEY), "--target", url, "--user", "ada", **word)
    assert done.code == 0, done.out + done.err
    assert handshakes(chat) == ["Basic YWRhOnNlc2FtZQ=="]


def test_a_revoked_token_is_replaced(headcount: Headcount, tmp_path: Path) -> None:
    site = token_site.TokenSite(life_s=3600)
    chat = Chat()

    def guard(connection: ServerConnection, request: Request) -> Response | None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if len(handshakes(chat)) == 1:
            site.revoke()
        known = site.found(access=token)
        if known is not None and not known.is_revoked():
            return None
        answer = connection.respond(401, "who are you?\n")
        answer.headers["WWW-Authenticate"] = 'Bearer error="invalid_token"'
        return answer

    chat.guard = guard
    with chat_server.served(chat) as url, token_site.served(site) as tokens:
        file = tmp_path / "chat.toml"
        oauth2 = OAUTH2.replace("TOKENS", f"{tokens}oauth/token")
        file.write_text(JOURNEY.read_text("utf-8").replace("[[setup]]", oauth2 + "\n[[setup]]", 1))
        word = {"SHOP_SECRET": token_site.SECRET}
        done = headcount.run("try", str(file), "--target", url, **word)
    assert done.code == 0, done.out + done.err
    sent = handshakes(chat)
    assert [len(sent), len(set(sent)), len(site.asked)] == [2, 2, 2]


def test_a_real_apache_challenges_it(headcount: Headcount) -> None:
    """The user answers its Digest; then Apache leads the handshake to the chat."""
    chat = Chat()
    with chat_server.served(chat) as inner, digest_site.served(chat=inner) as apache:
        options = ("--target", apache.url, "--user", "user{n}", "--client", "auth=digest")
        word = {"HEADCOUNT_PASSWORD": digest_site.PASSWORD}
        done = headcount.run("try", str(JOURNEY), *options, **word)
        seen = [(path, status) for _, path, status, _ in apache.requests(2) if path == "/chat"]
        wrong = headcount.run("try", str(JOURNEY), *options, **{**word, "HEADCOUNT_PASSWORD": "no"})
    assert done.code == 0, done.out + done.err
    assert seen == [("/chat", 401), ("/chat", 101)]
    assert len(handshakes(chat)) == 1
    assert wrong.code != 0
    assert "user user0 is not accepted: status 401" in re.sub(r"\s+", " ", wrong.out)
