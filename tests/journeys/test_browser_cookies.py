"""A Flask application over TLS that sets cookies in all the ways that browsers tell apart."""

import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import flask
import pytest

import wsgi_site
from processes import Headcount

WORKLOAD = """
name = "cookies"
title = "A log-in that lasts"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "1s" } }
run = { duration = "2s" }

[[scenarios]]
name = "stay"
weight = 1
limit = "5s"
steps = [
  { name = "log-in", op = "get", path = "/account/in" },
  { name = "look", op = "get", path = "/account/look" },
  { name = "log-out", op = "get", path = "/account/out" },
  { name = "look-again", op = "get", path = "/account/look" },
]
"""


@dataclass
class Site:
    """What the application has seen.

    Attributes:
        url: Its address.
        seen: The names of the cookies of each look.
        headers: Its whole `Cookie` headers.

    """

    url: str = ""
    seen: list[list[str]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)

    def application(self) -> flask.Flask:
        """The application."""
        app = flask.Flask("cookies")

        @app.get("/account/in")
        def log_in() -> flask.Response:
            answer = flask.Response("welcome")
            answer.set_cookie("__Host-session", "s", secure=True, httponly=True, samesite="Lax")
            answer.set_cookie("__Secure-tab", "t", secure=True, path="/account", max_age=3600)
            answer.set_cookie("__Host-narrow", "n", secure=True, path="/account")
            answer.set_cookie("widget", "w", samesite="None")
            answer.set_cookie("elsewhere", "e", domain="other.example")
            answer.set_cookie("gone", "g", max_age=0)
            answer.set_cookie("late", "l", expires="Thu, 01 Jan 2015 00:00:00 GMT")
            answer.set_cookie("other-path", "o", path="/accountant")
            return answer

        @app.get("/account/look")
        def look() -> str:
            header = flask.request.headers.get("Cookie", "")
            self.headers.append(header)
            self.seen.append([pair.partition("=")[0] for pair in header.split("; ") if pair])
            return "seen"

        @app.get("/account/out")
        def log_out() -> flask.Response:
            answer = flask.Response("bye")
            answer.delete_cookie("__Host-session", secure=True)
            return answer

        return app


@pytest.fixture(params=["https", "http"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """The application, served with a self-signed certificate or in clear."""
    found, context = Site(), None
    if request.param == "https":
        words = (
            "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out own.pem -days 2 -subj /CN=test"
        )
        words += " -addext subjectAltName=IP:127.0.0.1"
        subprocess.run(["openssl", *words.split()], cwd=tmp_path, check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / "own.pem", tmp_path / "key.pem")
    with wsgi_site.served(found.application(), context) as url:
        found.url = url.rstrip("/")
        yield found


def test_users_keep_what_a_browser_keeps(headcount: Headcount, site: Site, tmp_path: Path) -> None:
    workload = tmp_path / "cookies.toml"
    workload.write_text(WORKLOAD, "utf-8")
    trust = ("--client", f"verify_certificates={tmp_path / 'own.pem'}")
    options = trust if site.url.startswith("https") else ()
    done = headcount.run("try", str(workload), "--target", site.url, *options)
    assert done.code == 0, done.out + done.err
    # In clear, too: this machine is trusted. The longer path goes first.
    assert site.seen == [["__Secure-tab", "__Host-session"], ["__Secure-tab"]]


def test_a_cookie_header_of_the_workload_is_sent_once(
    headcount: Headcount, site: Site, tmp_path: Path
) -> None:
    workload = tmp_path / "cookies.toml"
    own = 'path = "/account/look", headers = { Cookie = "own=1" } }'
    text = WORKLOAD.replace('path = "/account/out" }', own)
    workload.write_text(text, "utf-8")
    trust = ("--client", f"verify_certificates={tmp_path / 'own.pem'}")
    options = trust if site.url.startswith("https") else ()
    consent = ("--client", "headers=Cookie: consent=yes")
    done = headcount.run("try", str(workload), "--target", site.url, *options, *consent)
    assert done.code == 0, done.out + done.err
    kept = "consent=yes; __Secure-tab=t; __Host-session=s"
    assert site.headers == [kept, "own=1", kept]
