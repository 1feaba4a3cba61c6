"""Servers that answer wrongly: the run says so, in the server's words, and blames no hardware."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from broken_site import serving

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
    ("redirect", 1): ("request", "status 302"),
    ("missing", 1): ("request", "status 404"),
    ("forbidden", 1): ("request", "status 403"),
    ("error", 1): ("application", "status 500"),
    ("error", 10): ("application", "status 500"),
    ("rate", 2): ("turned-away", "status 429"),
    ("broken", 3): ("connection", "closed"),
}
"""Written before any of them was run."""


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
    with serving(way, one_in) as target:
        ended = headcount.run(
            *("run", shop, "--target", target, "--levels", "4,12", "--settle", "0s", "--json")
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
