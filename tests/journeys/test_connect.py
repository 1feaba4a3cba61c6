"""Users who connect to another address than that of the site's name."""

import json
from collections.abc import Iterator
from pathlib import Path

import flask
import pytest

import wsgi_site
from processes import Headcount

WORKLOAD = """
name = "named"
title = "A site by its name"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }
run = { duration = "2s" }

[[scenarios]]
name = "look"
weight = 1
limit = "5s"
steps = [{ name = "home", op = "get", path = "/", check = [{ equals = "shop.invalid" }] }]
"""


@pytest.fixture
def port() -> Iterator[int]:
    """A site that answers with the name by which it was asked."""
    app = flask.Flask("named")
    app.get("/")(lambda: flask.request.host)
    with wsgi_site.served(app) as url:
        yield int(url.rstrip("/").rpartition(":")[2])


@pytest.fixture
def workload(tmp_path: Path) -> str:
    """One scenario, which checks the name."""
    file = tmp_path / "named.toml"
    file.write_text(WORKLOAD, "utf-8")
    return str(file)


def test_users_connect_to_the_address_and_keep_the_name(
    headcount: Headcount, workload: str, port: int
) -> None:
    where = ("--target", "http://shop.invalid", "--client", f"connect=127.0.0.1:{port}")
    done = headcount.run("try", workload, *where)
    assert done.code == 0, done.out + done.err
    # It is this machine, so it needs no permission, and its processes are found.
    options = ("--users", "2", "--ramp", "0s", "--settle", "0s", "--json")
    done = headcount.run("run", workload, *where, *options)
    assert done.code == 0, done.out + done.err
    environment = json.loads((Path(done.json["bundle"]) / "environment.json").read_bytes())
    at = f"127.0.0.1:{port}"
    assert environment["sides"][0]["settings"]["shop.invalid:80 is at"] == at
    assert environment["server"]["addresses"] == [at]


def test_connect_to_another_machine_needs_permission(headcount: Headcount, workload: str) -> None:
    where = ("--target", "http://127.0.0.1", "--client", "connect=192.0.2.55:8443")
    for verb in (("try",), ("run",)):
        done = headcount.run(*verb, workload, *where)
        assert done.code == 2
        assert "192.0.2.55:8443 is not this machine" in done.err
        assert "--authorised-by" in done.err
