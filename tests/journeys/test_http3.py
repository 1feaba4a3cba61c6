"""HTTP/3 with a real Caddy before a real site."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import flask
import pytest

import caddy
import wsgi_site
from headcount import _engine
from headcount.lab import port
from processes import Headcount

WORKLOAD = """
name = "shop"
title = "A site over HTTP/3"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }
run = { duration = "2s", settle = "1s", ramp = "0s" }

[[scenarios]]
name = "visit"
weight = 1
limit = "10s"
steps = [
  { name = "home", op = "get", path = "/", capture = { id = { json = "$.id" } } },
  { name = "upload", op = "put", path = "/files/{id}", body_bytes = 307200, expect = [201] },
  { name = "buy", op = "post", path = "/", json = { id = "{id}" }, check = [{ above = 0 }] },
  { name = "head", op = "head", path = "/" },
  { name = "leave", op = "get", path = "/leave", redirects = 1 },
]
"""

TOGETHER = """
name = "together"
title = "Several requests at a time"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }
run = { duration = "2s" }

[[setup]]
name = "open"
op = "sse-connect"
path = "/news"

[[scenarios]]
name = "visit"
weight = 1
limit = "10s"
steps = [
  { name = "page", op = "get", path = "/page", resources = "embedded" },
  { name = "news", op = "sse-receive", event = "price", check = [{ json = "$.price", above = 0 }] },
]
"""


class Site:
    """A site with a cookie, uploads and a redirect."""

    def __init__(self) -> None:
        self.uploads: list[int] = []

    def application(self) -> flask.Flask:
        """Its application."""
        app = flask.Flask("shop")
        app.secret_key = hashlib.sha256(b"shop").hexdigest()

        @app.get("/")
        def home() -> flask.Response:
            flask.session["visits"] = flask.session.get("visits", 0) + 1
            return flask.jsonify(id="o-1", text="x" * 40_000)

        @app.put("/files/<name>")
        def upload(name: str) -> tuple[str, int]:
            self.uploads.append(len(flask.request.get_data()))
            return name, 201

        @app.post("/")
        def order() -> str | tuple[str, int]:
            if flask.request.get_json() != {"id": "o-1"}:
                return "wrong order", 400
            return str(flask.session["visits"])

        @app.get("/leave")
        def leave() -> object:
            return flask.redirect("/")

        _serve_page(app)
        return app


def _serve_page(app: flask.Flask) -> None:
    """A page with nine images, and news."""

    @app.get("/page")
    def page() -> str:
        return "".join(f"<img src=/files/{number}.png>" for number in range(9))

    @app.get("/files/<name>")
    def file(name: str) -> str:
        return name * 1_000

    @app.get("/news")
    def news() -> flask.Response:
        prices = (f'event: price\ndata: {{"price": {price}}}\n\n' for price in range(1, 9))
        return flask.Response(prices, content_type="text/event-stream")


@pytest.fixture
def site() -> Iterator[tuple[Site, str]]:
    """One, and its address."""
    site = Site()
    with wsgi_site.served(site.application()) as url:
        yield site, url


@pytest.fixture
def workload(tmp_path: Path) -> str:
    """The file."""
    file = tmp_path / "shop.toml"
    file.write_text(WORKLOAD, "utf-8")
    return str(file)


def test_a_journey_is_played_over_http3(
    headcount: Headcount, site: tuple[Site, str], workload: str, tmp_path: Path
) -> None:
    shop, url = site
    with caddy.before(url, tmp_path / "caddy") as server:
        options = ("--target", server.url, "--client", "http3=on", *server.trust)
        done = headcount.run("try", workload, *options)
        assert done.code == 0, done.out + done.err
        done = headcount.run("run", workload, *options, "--users", "5", "--json")
        assert done.code in (0, 4), done.out + done.err
        requests = server.requests()
    bundle = Path(done.json["bundle"])
    (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert level["faults"] == []
    assert level["total"]["completed"] > 0
    (side,) = json.loads((bundle / "environment.json").read_bytes())["sides"]
    assert side["settings"]["HTTP version"] == "HTTP/3"
    assert side["settings"]["TLS"] == "TLSv1_3"
    ours = [(version, status) for version, path, status in requests if path != "/server-status"]
    assert {version for version, _ in ours} == {"HTTP/3.0"}
    assert {status for _, status in ours} <= {200, 201, 302}
    assert set(shop.uploads) == {300 * 1024}


def test_a_page_and_an_event_stream_share_the_connection(
    headcount: Headcount, site: tuple[Site, str], tmp_path: Path
) -> None:
    file = tmp_path / "together.toml"
    file.write_text(TOGETHER, "utf-8")
    with caddy.before(site[1], tmp_path / "caddy") as server:
        options = ("--target", server.url, "--client", "http3=on", *server.trust)
        done = headcount.run("try", str(file), *options)
        requests = server.requests()
    assert done.code == 0, done.out + done.err
    assert "+ /files/8.png  200, 5,000 bytes" in done.out
    paths = {(version, path) for version, path, _ in requests if path.startswith("/files/")}
    assert paths == {("HTTP/3.0", f"/files/{number}.png") for number in range(9)}


@pytest.mark.parametrize(
    ("option", "protocols", "part"),
    [
        ("", "h1 h2 h3", "trust it or its authority with --client verify_certificates=FILE"),
        ("AUTHORITY", "h1 h2 h3", "to trust it under another name: --client verify_name=off"),
        ("AUTHORITY", "h1 h2", "is HTTP/3 enabled there, and does a firewall let UDP"),
        ("keep_alive=off", "h1 h2", "keeps its connections"),
        ("http2=on", "h1 h2", "users speak one version"),
    ],
)
def test_obstacles_are_named(
    headcount: Headcount,
    site: tuple[Site, str],
    workload: str,
    tmp_path: Path,
    option: str,
    protocols: str,
    part: str,
) -> None:
    with caddy.before(site[1], tmp_path / "caddy", protocols) as server:
        client = server.trust[:2] if option == "AUTHORITY" else ("--client", option)
        where = ("--target", server.url, "--client", "http3=on")
        done = headcount.run("try", workload, *where, *(client if option else ()))
    assert done.code in (2, 3), done.out + done.err
    assert part in done.err, done.err


def test_a_server_that_needs_a_name_says_so(
    headcount: Headcount, site: tuple[Site, str], workload: str, tmp_path: Path
) -> None:
    with caddy.before(site[1], tmp_path / "caddy") as server:
        options = ("--client", "http3=on", *server.trust)
        where = ("--target", f"https://127.0.0.1:{server.port}/")
        done = headcount.run("try", workload, *where, *options)
        assert done.code == 3, done.out + done.err
        assert "the address with --client connect=ADDRESS:PORT" in done.err
        connect = ("--client", f"connect=127.0.0.1:{server.port}")
        where = ("--target", "https://localhost/")
        done = headcount.run("try", workload, *where, *options, *connect)
    assert done.code == 0, done.out + done.err


def test_the_address_that_answers_is_found(site: tuple[Site, str], tmp_path: Path) -> None:
    """As for a name with an IPv6 address at which nobody listens."""
    with caddy.before(site[1], tmp_path / "caddy") as server:
        options = {
            "url": server.url,
            "at": [f"127.0.0.1:{port.free()}", f"127.0.0.1:{server.port}"],
            "http3": True,
            "verify_certificates": False,
        }
        hello = json.loads(_engine.hello("http", json.dumps(options)))
    assert hello["version"] == "HTTP/3"


def test_http3_needs_https(headcount: Headcount, site: tuple[Site, str], workload: str) -> None:
    done = headcount.run("try", workload, "--target", site[1], "--client", "http3=on")
    assert done.code == 2, done.out + done.err
    assert "give an https:// address" in done.err
