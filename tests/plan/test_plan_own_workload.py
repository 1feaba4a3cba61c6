"""A workload of the user's own needs no more than what users do, and how it is judged."""

from pathlib import Path

from headcount import workloads

FILE = """
name = "status-page"
title = "A status page"
protocol = "http"
criteria = ["p95<=200ms", "errors<1%"]

[pace]
kind = "closed"
time = { draw = "exponential", mean = "2s" }

[run]
duration = "5s"

[[scenarios]]
name = "look"
weight = 100
limit = "200ms"
steps = [{ name = "get", op = "get", path = "/" }]
"""


def test_it_re_creates_nothing_and_has_no_sources(tmp_path: Path) -> None:
    file = tmp_path / "status-page.toml"
    file.write_text(FILE, "utf-8")
    found = workloads.load(str(file))
    assert (found.original, found.sources, found.deviations) == (None, [], [])
    assert found.description == ""


def test_an_original_is_named_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "status-page.toml"
    for given, expected in (("WebBench 5.0", "WebBench 5.0"), ("nothing", None), ("", None)):
        file.write_text(f'recreates = "{given}"{FILE}', "utf-8")
        assert workloads.load(str(file)).original == expected
