"""Bodies of GET, DELETE and OPTIONS, as searches and batch deletions of some applications need."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import caddy
import quic_site
import upload_site
from processes import Headcount

QUERY = '{"q":{"title":"Dune"}}'
WORKLOAD = """
name = "searches"
title = "Searches"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }
run = { duration = "2s", settle = "1s", ramp = "0s" }

[[scenarios]]
name = "search"
weight = 1
limit = "10s"
steps = [
  { name = "find", op = "get", path = "/upload", expect = 201, json = { q = { title = "Dune" } } },
  { name = "drop", op = "delete", path = "/upload", form = { id = "7" }, expect = 201 },
  { name = "ask", op = "options", path = "/upload", body = "what", expect = 201 },
  { name = "plain", op = "get", path = "/upload", expect = 201 },
]
"""
SENT = [QUERY, "id=7", "what", ""]


@pytest.fixture(scope="module")
def site() -> Iterator[upload_site.UploadSite]:
    with upload_site.served() as site:
        yield site


@pytest.fixture
def workload(tmp_path: Path) -> str:
    file = tmp_path / "searches.toml"
    file.write_text(WORKLOAD, "utf-8")
    return str(file)


def digests(bodies: list[str]) -> list[str]:
    return [hashlib.sha256(body.encode()).hexdigest() for body in bodies]


def test_an_application_gets_them(
    headcount: Headcount, site: upload_site.UploadSite, workload: str
) -> None:
    done = headcount.run("try", workload, "--target", site.inner_url)
    assert done.code == 0, done.out + done.err
    entries = site.seen()
    site.forget()
    assert [one["method"] for one in entries] == ["GET", "DELETE", "OPTIONS", "GET"]
    assert [one["sha256"] for one in entries] == digests(SENT)
    lengths = [one["Content-Length"] for one in entries]
    assert lengths == [str(len(QUERY)), "4", "4", None]
    kinds = [one["Content-Type"] for one in entries]
    assert kinds[:2] == ["application/json", "application/x-www-form-urlencoded"]
    assert kinds[3] is None


def test_over_http2(
    headcount: Headcount, site: upload_site.UploadSite, workload: str, tmp_path: Path
) -> None:
    with caddy.before(site.inner_url, tmp_path / "caddy") as server:
        options = ("--target", server.url, "--client", "http2=on", *server.trust)
        done = headcount.run("try", workload, *options)
        versions = {proto for proto, path, _ in server.requests() if path == "/upload"}
    assert done.code == 0, done.out + done.err
    entries = site.seen()
    site.forget()
    assert versions == {"HTTP/2.0"}
    assert [one["sha256"] for one in entries] == digests(SENT)


def test_over_http3(headcount: Headcount, workload: str, tmp_path: Path) -> None:
    with quic_site.served(tmp_path / "quic") as server:
        done = headcount.run("try", workload, "--target", server.url, *server.trust)
        entries = [one for one in server.seen() if one["path"] == "/upload"]
    assert done.code == 0, done.out + done.err
    assert [one["sha256"] for one in entries] == digests(SENT)
    assert [one["length"] for one in entries] == [str(len(QUERY)), "4", "4", None]
