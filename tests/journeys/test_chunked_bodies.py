"""Bodies that are sent without their length, to a real Gunicorn, nginx and Caddy."""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import caddy
import quic_site
import upload_site
from headcount.cli import run_line
from headcount.errors import ExitCode
from processes import Headcount

WORKLOAD = """
name = "uploads"
title = "Uploads"
protocol = "http"
criteria = ["errors<1%"]
pace = {{ kind = "closed", time = {{ draw = "fixed", mean = "0.1s" }} }}
run = {{ duration = "2s", settle = "1s", ramp = "0s" }}

[variables]
word = {{ choice = ["caf\u00e9"] }}

[[scenarios]]
name = "upload"
weight = 1
limit = "10s"
steps = [{steps}]
"""
REPORT = random.Random(7).randbytes(300_001)
BODIES = {
    "file": 'body_file = "report.bin"',
    "made": "body_bytes = 100000",
    "text": 'body = "{word}, {word}!"',
    "json": 'json = { word = "{word}" }',
    "empty": 'body = ""',
}


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def workload(folder: Path, more: str = "chunked = true") -> str:
    """The file: a step for each kind of body."""
    (folder / "report.bin").write_bytes(REPORT)
    steps = [
        f'{{ name = "{name}", op = "put", path = "/upload", expect = 201, {body}, {more} }}'
        for name, body in BODIES.items()
    ]
    steps.append(
        '{ name = "form", op = "post", path = "/form", expect = 201, chunked = true, '
        'multipart = { note = "{word}", report = { file = "report.bin" } } }'
    )
    file = folder / "uploads.toml"
    file.write_text(WORKLOAD.format(steps=", ".join(steps)), "utf-8")
    return str(file)


def check(entries: list[dict[str, Any]]) -> None:
    """Raise AssertionError unless all bodies came whole."""
    file, made, text, json_text, empty, form = entries
    assert file["sha256"] == digest_of(REPORT)
    assert made["bytes"] == 100_000
    assert text["sha256"] == digest_of("caf\u00e9, caf\u00e9!".encode())
    assert json_text["sha256"] == digest_of('{"word":"caf\u00e9"}'.encode())
    assert empty["bytes"] == 0
    assert form["fields"] == {"note": "caf\u00e9"}
    assert form["files"]["report"][2] == digest_of(REPORT)


@pytest.fixture(scope="module")
def site() -> Iterator[upload_site.UploadSite]:
    """One for all tests, whose nginx passes bodies on as they arrive."""
    with upload_site.served(upload_site.STREAMED) as site:
        yield site


@pytest.fixture(autouse=True)
def _forgetful(site: upload_site.UploadSite) -> None:
    site.forget()


@pytest.mark.parametrize("is_behind_nginx", [True, False])
def test_every_kind_of_body_is_sent_in_chunks(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path, is_behind_nginx: bool
) -> None:
    url = site.url if is_behind_nginx else site.inner_url
    done = headcount.run("try", workload(tmp_path), "--target", url)
    assert done.code == 0, done.out + done.err
    entries = site.seen()
    check(entries)
    if is_behind_nginx:  # which gives those a length that came at once
        assert {one["X-Framing"] for one in entries} == {"chunked"}
        entries = entries[:2]
    assert {one["Transfer-Encoding"] for one in entries} == {"chunked"}
    assert {one["Content-Length"] for one in entries} == {None}


def test_an_nginx_that_takes_a_body_first_finds_its_end(
    headcount: Headcount, tmp_path: Path
) -> None:
    with upload_site.served() as buffered:
        done = headcount.run("try", workload(tmp_path), "--target", buffered.url)
        entries = buffered.seen()
    assert done.code == 0, done.out + done.err
    check(entries)
    assert {one["X-Framing"] for one in entries} == {"chunked"}
    assert entries[0]["Content-Length"] == str(len(REPORT))


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/2.0"])
def test_many_users_send_chunked_bodies_over_tls(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path, version: str
) -> None:
    option = {"HTTP/2.0": ("--client", "http2=on")}
    with caddy.before(site.inner_url, tmp_path / "caddy") as server:
        options = ("--target", server.url, *option.get(version, ()), *server.trust)
        done = headcount.run("run", workload(tmp_path), *options, "--users", "4", "--json")
        versions = {proto for proto, path, _ in server.requests() if path == "/upload"}
    assert done.code in (0, 4), done.out + done.err
    (level,) = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert (level["faults"], versions) == ([], {version})
    large = [one for one in site.seen() if one.get("bytes") == len(REPORT)]
    assert {one["sha256"] for one in large} == {digest_of(REPORT)}
    assert {one["Content-Length"] for one in large} == {None}


def test_without_the_key_a_length_is_sent(
    headcount: Headcount, site: upload_site.UploadSite, tmp_path: Path
) -> None:
    done = headcount.run("try", workload(tmp_path, "chunked = false"), "--target", site.inner_url)
    assert done.code == 0, done.out + done.err
    entries = site.seen()
    check(entries)
    assert {one["Transfer-Encoding"] for one in entries[:-1]} == {None}
    assert entries[0]["Content-Length"] == str(len(REPORT))


def test_only_steps_with_a_body_can_be_chunked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "shop.toml"
    cases = {
        '{ name = "a", op = "get", path = "/", chunked = true }': "chunked: chunked needs a body",
        '{ name = "a", op = "ws-connect", path = "/", chunked = true }': "no such key",
        '{ name = "a", op = "put", path = "/", body = "x", chunked = "yes" }': "true or false",
    }
    for step, sentence in cases.items():
        file.write_text(WORKLOAD.format(steps=step), "utf-8")
        assert run_line(["workloads", "check", str(file)]) == ExitCode.BAD_INPUT
        printed = " ".join(capsys.readouterr().out.split())
        assert sentence in printed, printed


def test_http3_sends_no_length_either(headcount: Headcount, tmp_path: Path) -> None:
    """To aioquic: the Caddy of Debian hands on nothing that has no length."""
    with quic_site.served(tmp_path / "quic") as server:
        done = headcount.run("try", workload(tmp_path), "--target", server.url, *server.trust)
        entries = [one for one in server.seen() if one["path"] in ("/upload", "/form")]
    assert done.code == 0, done.out + done.err
    assert {one["length"] for one in entries} == {None}
    assert entries[0]["sha256"] == digest_of(REPORT)
    assert [one["bytes"] for one in entries[1:5]] == [100_000, 13, 16, 0]
    assert entries[5]["bytes"] > len(REPORT)
