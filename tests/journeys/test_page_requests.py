"""What users send for the resources of a page, as a Flask application sees it."""

from dataclasses import dataclass, field
from pathlib import Path

import flask
import pytest

import wsgi_site
from processes import Headcount

PAGE = """<!doctype html><link rel=stylesheet href=/kept.css><script src=/moved.js></script>
<link rel=stylesheet href=/fleeting.css><img src=/abroad.png><img src=/guarded.png>"""
MOVED = {"moved.js": "static/new.js", "abroad.png": "//cdn.test/a.png", "form": "shop/page"}
AGAIN = "/abroad.png /cookie /fleeting.css /guarded.png /moved.js /shop/page /static/new.js"
WORKLOAD = """
name = "own-page"
title = "A page of one's own"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "60s" } }
run = { duration = "2s" }

[variables]
language = { choice = ["nl"] }

[[scenarios]]
name = "visit"
weight = 1
limit = "10s"

[[scenarios.steps]]
name = "page"
op = "get"
path = "/shop/page"
headers = { X-Language = "{language}", Accept = "text/html" }
resources = "embedded"

[[scenarios.steps]]
name = "again"
op = "get"
path = "/shop/page"
resources = "embedded"

[[scenarios.steps]]
name = "cookie"
op = "get"
path = "/cookie"
check = [{ contains = "b=2" }]
"""


@dataclass
class Site:
    """What was asked for, with the headers."""

    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def application(self) -> flask.Flask:
        """The application."""
        app = flask.Flask("page")

        @app.before_request
        def note() -> None:
            if flask.request.path != "/":
                self.asked.append((flask.request.path, dict(flask.request.headers)))

        @app.get("/shop/page")
        def page() -> flask.Response:
            answer = flask.Response(PAGE, mimetype="text/html")
            answer.set_cookie("a", "1")
            return answer

        @app.get("/kept.css")
        def kept() -> flask.Response:
            return flask.Response("p {}", headers={"Cache-Control": "public, max-age=600"})

        @app.get("/fleeting.css")
        def fleeting() -> flask.Response:
            answer = flask.Response("p {}", headers={"Cache-Control": "no-store", "ETag": '"1"'})
            answer.set_cookie("b", "2")
            return answer

        @app.get("/static/new.js")
        def new() -> flask.Response:
            answer = flask.Response("1", headers={"Cache-Control": "no-cache"})
            answer.set_etag("v7")
            return answer.make_conditional(flask.request)

        @app.route("/<any('moved.js', 'abroad.png', 'form'):name>", methods=["GET", "POST"])
        def moved(name: str) -> flask.Response:
            return flask.Response(status=302, headers={"Location": MOVED[name]})

        @app.get("/guarded.png")
        def guarded() -> tuple[str, int]:
            login = flask.request.authorization
            is_known = login is not None and (login.username, login.password) == ("ada", "sesame")
            return ("png", 200) if is_known else ("who?", 403)

        @app.get("/cookie")
        def cookie() -> str:
            return flask.request.headers.get("Cookie", "")

        return app


@pytest.fixture
def shown(headcount: Headcount, tmp_path: Path) -> tuple[Site, str]:
    """The site after a visit, and what the visitor saw."""
    site, workload = Site(), tmp_path / "page.toml"
    workload.write_text(WORKLOAD, "utf-8")
    password = {"HEADCOUNT_PASSWORD": "sesame"}
    with wsgi_site.served(site.application()) as url:
        client = ("--user", "ada", "--client", "headers=Referer: https://search.test/")
        done = headcount.run("try", str(workload), "--target", url, *client, **password)
    assert done.code == 0, done.out + done.err
    return site, done.out


def test_requests_for_resources_have_the_headers_of_browsers(shown: tuple[Site, str]) -> None:
    site, out = shown
    first = dict(site.asked[:7])
    assert first["/shop/page"]["Referer"] == "https://search.test/"
    resources = {path: headers for path, headers in first.items() if path != "/shop/page"}
    assert len(resources) == 6
    for path, headers in resources.items():
        assert headers["Referer"].endswith("/shop/page"), path
        assert "search.test" not in headers["Referer"], path
        assert headers["Authorization"].startswith("Basic "), path
        assert headers["X-Language"] == "nl", path
        assert headers["Accept"] == "*/*", path
        assert "a=1" in headers["Cookie"], path
        assert "If-None-Match" not in headers, path
    assert "+ left out: 1 of cdn.test" in out


def test_users_follow_the_cache_headers(shown: tuple[Site, str]) -> None:
    site, out = shown
    again = site.asked[7:]
    assert sorted(path for path, _ in again) == AGAIN.split()
    headers = dict(again)
    assert headers["/static/new.js"]["If-None-Match"] == '"v7"'
    assert "If-None-Match" not in headers["/fleeting.css"]
    assert "+ /kept.css  in the user's cache" in out
    assert "+ /moved.js  304, " in out


def test_a_form_brings_the_resources_of_the_page_it_leads_to(
    headcount: Headcount, tmp_path: Path
) -> None:
    site, workload = Site(), tmp_path / "page.toml"
    sent = WORKLOAD.partition('[[scenarios.steps]]\nname = "again"')[0]
    sent = sent.replace('op = "get"\npath = "/shop/page"', 'op = "post"\npath = "/form"')
    workload.write_text(sent, "utf-8")
    password = {"HEADCOUNT_PASSWORD": "sesame"}
    with wsgi_site.served(site.application()) as url:
        to = ("--target", url, "--user", "ada")
        done = headcount.run("try", str(workload), *to, **password)
    assert done.code == 0, done.out + done.err
    (first, _), (second, _), *resources = site.asked
    assert (first, second) == ("/form", "/shop/page")
    expected = {*AGAIN.split(), "/kept.css"} - {"/shop/page", "/cookie"}
    assert sorted(path for path, _ in resources) == sorted(expected)
    assert all(headers["Referer"].endswith("/shop/page") for _, headers in resources)
