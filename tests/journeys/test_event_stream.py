"""Users of event streams, in a real Flask application: directly, and behind nginx with HTTP/2."""

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import flask
import pytest

import wsgi_site
from processes import Headcount
from proxy_site import proxied

NEWS = (
    'id: 1\nevent: price\ndata: {"sku": "chair",\ndata: "price": 42}\n\n',
    ": nothing to say\r\n\r\nid: 2\rdata: hello\rdata: world\r\r",
    "id: 3\nevent: price\ndata: {}\n\n",
    "id: 4\nevent: end\ndata: over\n\n",
)
"""Each connection brings two of them, and ends."""

WORKLOAD = """
name = "news"
title = "People who follow prices"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "60s" } }
run = { duration = "2s" }

[variables]
at = { choice = ["north"] }

[[scenarios]]
name = "follow"
weight = 1
limit = "10s"
steps = [
  { name = "open", op = "sse-connect", path = "/news?shop={at}", headers = { X-Shop = "{at}" } },
  { name = "price", op = "sse-receive", event = "price", capture = { sku = { json = "$.sku" } } },
  { name = "buy", op = "get", path = "/buy/{sku}" },
  { name = "words", op = "sse-receive", check = [{ contains = "hello\\nworld" }] },
  { name = "end", op = "sse-receive", until = [{ contains = "over" }] },
  { name = "close", op = "sse-close" },
]
"""


@dataclass
class Site:
    """What the application has seen.

    Attributes:
        streams: Of each stream that was opened, the last event that the user has.
        bought: What was bought while a stream was open.

    """

    streams: list[str] = field(default_factory=list)
    bought: list[str] = field(default_factory=list)
    held: threading.Event = field(default_factory=threading.Event)

    def application(self) -> flask.Flask:
        """The application."""
        app = flask.Flask("news")

        @app.get("/news")
        def news() -> flask.Response:
            assert flask.request.headers["Accept"] == "text/event-stream"
            assert flask.request.headers["X-Shop"] == flask.request.args["shop"] == "north"
            last = flask.request.headers.get("Last-Event-ID", "")
            self.streams.append(last)
            first = int(last or 0)

            def events() -> Iterator[str]:
                yield "retry: 20\n\n"
                yield from NEWS[first : first + 1]
                if not first:
                    self.held.wait(30)
                yield from NEWS[first + 1 : first + 2]

            return flask.Response(events(), mimetype="text/event-stream")

        @app.get("/buy/<sku>")
        def buy(sku: str) -> str:
            self.bought.append(sku)
            self.held.set()
            return "bought"

        @app.get("/page")
        def page() -> str:
            return "<h1>no stream</h1>"

        @app.get("/over")
        def over() -> flask.Response:
            return flask.Response(status=204)

        return app


@pytest.fixture
def site() -> Site:
    return Site()


def tried(
    headcount: Headcount, folder: Path, text: str, url: str, *options: str
) -> tuple[int, str]:
    workload = folder / "news.toml"
    workload.write_text(text, "utf-8")
    done = headcount.run("try", str(workload), "--target", url, *options)
    return done.code, " ".join((done.out + done.err).split())


@pytest.mark.parametrize("way", ["direct", "http", "h2"])
def test_a_user_follows_a_stream(
    headcount: Headcount, site: Site, tmp_path: Path, way: str
) -> None:
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(wsgi_site.served(site.application()))
        if way != "direct":
            url = stack.enter_context(proxied(url, http2=way == "h2"))
        options = ("--client", "http2=on") if way == "h2" else ()
        code, shown = tried(headcount, tmp_path, WORKLOAD, url, *options)
    assert code == 0, shown
    assert site.bought == ["chair"]
    # The server ended the stream after two events: the user came back for the others.
    assert site.streams[:2] == ["", "2"]
    assert 'price: {"sku": "chair", "price": 42}' in shown
    assert "{sku} = chair" in shown
    assert "end: over" in shown


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/page", 'GET /page: the reply is of type "text/html; charset=utf-8", not text/event'),
        ("/over", "GET /over: status 204 No Content instead of 200"),
        ("/nowhere", "GET /nowhere: status 404 Not Found instead of 200"),
    ],
)
def test_what_is_not_a_stream_is_shown(
    headcount: Headcount, site: Site, tmp_path: Path, path: str, sentence: str
) -> None:
    with wsgi_site.served(site.application()) as url:
        text = WORKLOAD.replace("/news?shop={at}", path)
        code, shown = tried(headcount, tmp_path, text, url)
    assert code != 0
    assert sentence in shown


def test_a_check_of_an_event_fails_the_step(
    headcount: Headcount, site: Site, tmp_path: Path
) -> None:
    with wsgi_site.served(site.application()) as url:
        text = WORKLOAD.replace("hello\\nworld", "good-bye")
        code, shown = tried(headcount, tmp_path, text, url)
    assert code != 0
    assert "check failed: the body contains" in shown or "good-bye" in shown


def test_many_users_follow(headcount: Headcount, site: Site, tmp_path: Path) -> None:
    site.held.set()
    with wsgi_site.served(site.application()) as url:
        workload = tmp_path / "news.toml"
        workload.write_text(WORKLOAD, "utf-8")
        options = ("--users", "5", "--duration", "2s", "--settle", "1s", "--think", "0.1s")
        done = headcount.run(
            "run", str(workload), "--target", url, "--no-trial", *options, "--json"
        )
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    scenario = levels[0]["scenarios"][0]
    assert scenario["failed"] == 0, done.out + done.err
    assert scenario["completed"] > 5
