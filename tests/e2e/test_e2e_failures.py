"""Servers that answer wrongly: the run says so, in the server's words, and blames no hardware."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from broken_site import serving
from headcount.bundle import reader
from headcount.errors import ExitCode
from processes import Headcount

pytestmark = pytest.mark.e2e

WORKLOAD = """\
name = "shop"
title = "A shop"
protocol = "http"
recreates = "nothing"
description = "People look at a page."
sources = []
deviations = []
criteria = ["p95<=10s", "errors<1%"]

[pace]
kind = "closed"
time = { draw = "exponential", mean = "100ms" }

[run]
duration = "2s"

[[scenarios]]
name = "look"
weight = 1
limit = "10s"
steps = [{ name = "home", op = "get", path = "/" }]
"""
EXPECTED = {
    # way and one in: cause, words of the server that must be quoted
    ("redirect", 1): ("login", "Location: /login"),
    ("missing", 1): ("request", "status 404"),
    ("forbidden", 1): ("request", "status 403"),
    ("error", 1): ("application", "hello world hello"),
    ("error", 10): ("application", "status 500"),
    ("rate", 2): ("turned-away", "Retry-After: 7"),
    ("broken", 3): ("connection", "closed"),
}
"""Written before any of them was run."""
ONE_REQUEST_EACH = ("--client", "keep_alive=off")
"""On kept connections, users send requests that got no answer again."""


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("failures"))
    yield command
    command.close()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("shop") / "shop.toml"
    path.write_text(WORKLOAD)
    return str(path)


@pytest.mark.parametrize(("way", "one_in"), EXPECTED)
def test_a_wrong_answer_is_explained(
    headcount: Headcount, shop: str, way: str, one_in: int
) -> None:
    cause, words = EXPECTED[way, one_in]
    client = ONE_REQUEST_EACH if way == "broken" else ()
    with serving(way, one_in) as target:
        ended = headcount.run(
            *("run", shop, "--target", target, "--levels", "4,12", "--settle", "0s", "--json"),
            *client,
        )
    assert ended.code == 1, ended
    first = ended.json["failures"][0]
    assert first["cause"] == cause
    assert words in first["message"]
    assert ended.json["diagnosis"]["limit"] == "errors"
    assert ended.json["diagnosis"]["detail"] == cause
    bundle = headcount.bundles()[-1]
    for verb in ("show", "diagnose"):
        shown = " ".join(headcount.run(verb, str(bundle)).out.split())
        assert "What failed" in shown
        assert words in shown
        assert "cores" not in shown
    page = (bundle / "report.html").read_text("utf-8")
    assert words in page.partition("</section>")[0], "not on the first screen"


def test_a_server_that_works_has_no_failures(headcount: Headcount, shop: str) -> None:
    with serving("well") as target:
        ended = headcount.run(
            *("run", shop, "--target", target, "--users", "4", "--settle", "0s", "--json")
        )
    assert ended.code == 0, ended
    assert ended.json["failures"] == []
    assert "What failed" not in headcount.run("show", str(headcount.bundles()[-1])).out


def test_requests_that_were_sent_again_are_no_failures_but_are_said(
    headcount: Headcount, shop: str
) -> None:
    """Two requests get an answer, the third none, and again: half of those are sent again."""
    with serving("broken", 3) as target:
        ended = headcount.run(
            *("run", shop, "--target", target, "--users", "1", "--settle", "0s", "--json")
        )
    assert ended.code == 0, ended
    assert ended.json["failures"] == []
    (doubt,) = (text for text in ended.json["flags"] if "sent these again" in text)
    assert "with 1 user, " in doubt
    (level,) = reader.load(headcount.bundles()[-1]).levels
    sent, again = level.requests["GET"], level.requests["RESENT"]
    assert f"{again / sent:.0%} of the requests" in doubt
    assert abs(again - sent / 2) <= 1  # one of a pair may be outside the measured part


def test_a_search_is_refused_where_one_user_alone_fails(headcount: Headcount, shop: str) -> None:
    with serving("redirect") as target:
        ended = headcount.run("run", shop, "--target", target, "--quick")
    assert ended.code == ExitCode.UNREACHABLE, ended.err
    message = " ".join(ended.message.split())
    assert "a single user fails at every scenario (100% of what users do)" in message
    assert "Location: /login" in message


def test_a_budget_without_time_for_a_level_is_refused(headcount: Headcount, shop: str) -> None:
    with serving("well") as target:
        ended = headcount.run("run", shop, "--target", target, "--budget", "20s")
    assert ended.code == ExitCode.BAD_INPUT, ended.err
    assert "--budget 20s is too short for even one level" in " ".join(ended.message.split())
