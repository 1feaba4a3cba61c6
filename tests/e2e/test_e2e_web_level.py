"""Levels of web-static and web-cgi20 on real servers, against what nginx itself says of them."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recomputed import read_log, read_series

from headcount.bundle.reader import load
from headcount.lab.web import WebServer
from headcount.report.course import connections_per_s, mean_ms, moved_per_s
from processes import Ended, Headcount, wait_for
from web_server import Asked, asked, fill, serving

pytestmark = pytest.mark.e2e

LEVELS = (1, 3, 6)
LENGTH_S, SHORT_S = 5, 2
"""A rate has an interval from five seconds on, and only such rates show where they flatten out.
Levels are as long only with `make proof`: the rules for finding that point are tested elsewhere."""
STEPS = ("connect", "first-byte", "last-byte", "disconnect")
SAMPLE = 20
"""Pages looked at before a run: of each of ten classes one of the first and the last folder."""


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("web"))
    yield command
    command.close()


@pytest.fixture(scope="module")
def server(headcount: Headcount, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Somebody's server, which has the pages and logs each request."""
    with serving("nginx", tmp_path_factory.mktemp("nginx"), access_log="on") as server:
        fill(headcount, server, "web-static", "--scale", "0.2")
        yield server


@pytest.fixture(scope="module")
def ended(headcount: Headcount, server: WebServer, proof: bool) -> Ended:
    ended = headcount.run(
        *("run", "web-static", "--target", server.url, "--scale", "0.2", "--seed", "5"),
        *("--levels", ",".join(map(str, LEVELS)), "--ramp", "0s", "--think", "2ms", "--json"),
        *("--duration", f"{LENGTH_S if proof else SHORT_S}s"),
    )
    assert ended.code in (0, 4), ended  # a busy machine may make a level invalid
    return ended


@pytest.fixture(scope="module")
def bundle(ended: Ended, headcount: Headcount) -> Path:
    assert ended.json["cost"]["levels"] == len(LEVELS)
    return headcount.bundles()[-1]


@pytest.fixture(scope="module")
def log(bundle: Path, server: WebServer) -> list[Asked]:
    """What nginx was asked for in the run; it writes a line after the answer."""
    completed = sum(second["scenarios"]["static"]["completed"] for second in read_series(bundle))
    pages = [one for one in asked(server) if one.status == 200]
    wait_for(lambda: len([one for one in asked(server) if one.status == 200]) >= completed)
    return pages


@pytest.fixture(scope="module")
def before(bundle: Path) -> int:
    """Pages that were asked for before the first level: the sample, and the trial of one user."""
    events = [json.loads(line) for line in (bundle / "events.ndjson").read_bytes().splitlines()]
    (trial,) = [event for event in events if event["event"] == "trial"]
    assert trial["played"] == trial["completed"] + 1
    return SAMPLE + int(trial["played"])


@pytest.fixture(scope="module")
def levels(bundle: Path) -> list[dict[str, Any]]:
    levels = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert isinstance(levels, list)
    return levels


def test_every_request_is_one_that_nginx_answered(
    bundle: Path, log: list[Asked], before: int
) -> None:
    series = read_series(bundle)
    completed = sum(second["scenarios"]["static"]["completed"] for second in series)
    failed = sum(second["scenarios"]["static"]["failed"] for second in series)
    assert failed == 0
    assert completed == len(log) - before
    moved = sum(second["scenarios"]["static"]["read_bytes"] for second in series)
    first = log[:before]
    assert moved == sum(one.body_bytes for one in log) - sum(one.body_bytes for one in first)


def test_every_request_has_a_connection_of_its_own(log: list[Asked]) -> None:
    assert {one.nth_of_connection for one in log} == {1}
    assert len({one.connection for one in log}) == len(log)
    assert {one.version for one in log} == {"HTTP/1.1"}


def test_requests_per_second_are_those_of_nginx(
    bundle: Path, log: list[Asked], levels: list[dict[str, Any]], before: int
) -> None:
    """By nginx's own clock, in the seconds in which a level was measured."""
    series = read_series(bundle)
    sent = log[before:]
    # The moment of the run's clock at which nginx answered the first request of a user.
    began_s = sent[0].at_s
    first = next(s for s in series if s["scenarios"]["static"]["completed"])
    offset_s = began_s - (first["t_s"] - first["seconds"])
    for level in levels:
        steady = [s for s in series if (s["level"], s["phase"]) == (level["index"], "steady")]
        start_s = steady[0]["t_s"] - steady[0]["seconds"] + offset_s
        end_s = steady[-1]["t_s"] + offset_s
        inside = [one for one in sent if start_s <= one.at_s < end_s]
        assert level["achieved_per_s"] == pytest.approx(len(inside) / (end_s - start_s), rel=0.1)
        moved = sum(one.body_bytes for one in inside) / (end_s - start_s)
        assert level["total"]["read_bytes_per_s"] == pytest.approx(moved, rel=0.1)
        assert level["requests"]["CONNECT"] == pytest.approx(len(inside), rel=0.1)


def test_the_pages_asked_for_are_mixed_as_the_workload_says(log: list[Asked], before: int) -> None:
    percent = {"b256": 8, "b512": 10, "k1": 12, "k2": 14, "k4": 14, "k8": 10, "k16": 6}
    percent |= {"k32": 3, "k64": 2, "k128": 1}
    sent = log[before:]
    for name, wanted in percent.items():
        share = wanted / sum(percent.values())
        found = sum(f"/{name}-" in one.path for one in sent) / len(sent)
        # Five standard deviations of as many draws.
        assert found == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / len(sent)))
    assert len({one.path for one in sent}) == 13 * len(percent)


def test_times_of_the_steps_are_those_of_their_histograms(
    bundle: Path, levels: list[dict[str, Any]]
) -> None:
    series, histograms = read_series(bundle), read_log(bundle / "histograms.hlog")
    for level, model in zip(levels, load(bundle).levels, strict=True):
        steady = [s for s in series if (s["level"], s["phase"]) == (level["index"], "steady")]
        start_s, end_s = steady[0]["t_s"] - steady[0]["seconds"], steady[-1]["t_s"]
        for name in STEPS:
            inside = [
                found
                for tag, at_s, found in histograms
                if tag == f"step/{name}" and start_s - 0.01 <= at_s < end_s - 0.01
            ]
            counts = [found.get_total_count() for found in inside]
            total = sum(f.get_mean_value() * n for f, n in zip(inside, counts, strict=True))
            # PyPI's mean takes the middle of each bucket of a thousandth.
            assert mean_ms(name)(model) == pytest.approx(total / sum(counts) / 1000, rel=0.01)
        length_s = sum(second["seconds"] for second in steady)
        moved = sum(second["scenarios"]["static"]["read_bytes"] for second in steady)
        assert moved_per_s(model) == pytest.approx(moved / length_s, rel=1e-3)
        connects = sum(second["steps"]["connect"]["completed"] for second in steady)
        assert connections_per_s(model) == pytest.approx(connects / length_s, rel=0.02)


def test_first_and_last_byte_take_about_as_long_as_nginx_says(
    log: list[Asked], levels: list[dict[str, Any]]
) -> None:
    """nginx counts whole milliseconds, from the first byte of the request to the last it sends."""
    steps = {step["name"]: step for step in levels[-1]["steps"]}
    ours_ms = sum(steps[name]["service"]["mean_ms"] for name in ("first-byte", "last-byte"))
    theirs_ms = sum(one.took_s for one in log) / len(log) * 1000
    assert theirs_ms <= ours_ms + 1


def test_the_answer_says_where_throughput_flattened_out_or_why_not(
    ended: Ended, bundle: Path, levels: list[dict[str, Any]]
) -> None:
    answer = ended.json
    figures = [plateau["figure"] for plateau in answer["plateaus"]]
    steady = [second["level"] for second in read_series(bundle) if second["phase"] == "steady"]
    # On a busy machine two seconds may be reported as one, or a level be invalid: two are no curve.
    valid = [one for one in levels if one["outcome"] != "invalid"]
    curve = [one for one in valid if steady.count(one["index"]) >= 5]
    assert figures == (["scenarios", "bytes"] if len(curve) == 3 else [])
    flat = [plateau for plateau in answer["plateaus"] if plateau["flattened"]]
    doubts = [flag for flag in answer["flags"] if "flatten" in flag]
    assert bool(doubts) == (len(flat) < len(figures))
    assert any("no saturation point can be found" in flag for flag in answer["flags"]) != bool(
        figures
    )
    if flat and flat[0]["figure"] == "scenarios":
        assert answer["sentence"] == answer["plateaus"][0]["sentence"]


def test_the_server_is_disclosed_and_the_report_shows_the_steps(
    ended: Ended, bundle: Path, headcount: Headcount
) -> None:
    (side,) = json.loads((bundle / "environment.json").read_bytes())["sides"]
    assert side["settings"]["web server"].startswith("nginx/1.")
    assert side["settings"]["HTTP version"] == "HTTP/1.1"
    page = (bundle / "report.html").read_text("utf-8")
    assert "Steps at every level" in page
    assert "Connections /s" in page
    shown = headcount.run("show", str(bundle)).out
    assert "Mean time of each step:" in shown
    assert ended.err == ""


def test_apache_runs_cgi_programs_under_load(headcount: Headcount) -> None:
    ended = headcount.run(
        *("run", "web-cgi20", "--target", "lab:apache", "--scale", "0.2", "--seed", "5"),
        *("--users", "2", "--duration", "3s", "--ramp", "1s", "--think", "5ms", "--json"),
    )
    assert ended.code in (0, 4), ended
    (level,) = json.loads((headcount.bundles()[-1] / "levels.json").read_bytes())["levels"]
    done = {scenario["name"]: scenario for scenario in level["scenarios"]}
    assert level["faults"] == []
    share = done["cgi"]["completed"] / level["total"]["completed"]
    assert share == pytest.approx(0.2, abs=5 * math.sqrt(0.16 / level["total"]["completed"]))
    # Every page of the program has 4 KiB; of those under way at the ends one part may be counted.
    moved = level["steady_s"] * done["cgi"]["read_bytes_per_s"]
    assert moved == pytest.approx(4096 * done["cgi"]["completed"], abs=2 * 4096)
    server = level["counters"]["server"]
    assert {"web.requests", "web.workers.busy", "web.connections"} <= set(server)
    # Apache, its daemon for CGI, and its processes with threads.
    assert level["counters"]["sut"]["process.count"]["max"] >= 3
    assert headcount.servers() == []
    assert headcount.leftovers() == []


def test_the_servers_own_count_is_about_ours(headcount: Headcount) -> None:
    ended = headcount.run(
        *("run", "web-mix", "--target", "lab:nginx", "--scale", "0.05", "--seed", "5"),
        *("--users", "20", "--duration", "5s", "--ramp", "1s", "--settle", "1s"),
        *("--think", "exponential:50ms", "--json"),
    )
    assert ended.code in (0, 1, 4), ended
    (level,) = json.loads((headcount.bundles()[-1] / "levels.json").read_bytes())["levels"]
    assert level["total"]["failed"] == 0
    # nginx's figure includes Headcount's own request each second, and its seconds end elsewhere.
    rate = level["counters"]["server"]["web.requests"]["mean"]
    assert rate == pytest.approx(level["achieved_per_s"] + 1, rel=0.15)
    # Twenty users keep their connections.
    assert level["counters"]["server"]["web.connections"]["max"] >= 20
    assert level["requests"].get("CONNECT", 0) == 0


@pytest.mark.parametrize(
    ("name", "settings", "version"),
    [
        ("nginx", ("--client", "keep_alive=off"), "HTTP/1.1"),
        ("apache", ("--client", "http2=on", "--client", "keep_alive=on"), "HTTP/2"),
    ],
)
def test_tls_and_http2_are_spoken_under_load_and_disclosed(
    headcount: Headcount, name: str, settings: tuple[str, ...], version: str
) -> None:
    ended = headcount.run(
        *("run", "web-static", "--target", f"lab:{name}", "--scale", "0.2", "--users", "3"),
        *("--duration", "2s", "--ramp", "0s", "--think", "10ms", "--seed", "5", "--json"),
        *("--set", "tls=on", "--set", "http2=on", *settings),
    )
    assert ended.code in (0, 4), ended
    bundle = headcount.bundles()[-1]
    (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert level["faults"] == []
    assert level["total"]["completed"] > 0
    (side,) = json.loads((bundle / "environment.json").read_bytes())["sides"]
    assert side["settings"]["HTTP version"] == version
    assert side["settings"]["TLS"].startswith("TLSv1_3")
    assert side["settings"]["tls"] == "on"
    assert level["counters"]["server"]["web.requests"]["mean"] > 0
