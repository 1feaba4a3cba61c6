"""Pages with what belongs to them, as nginx's own log says that users fetched them."""

import contextlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.lab.web import WebServer
from processes import Headcount, wait_for
from web_server import Asked, asked, serving

PAGE = """<!doctype html><title>Shop</title><base href="/static/">
<link rel=stylesheet href=a.css><link rel=icon href=b.ico><script src="c.js?v=1"></script>
<link rel=stylesheet href=https://cdn.test/d.css><link rel=canonical href=never>
<img src=e.png srcset="f.png 480w, never.png 960w"><img src=g.png><img src=g.png>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><img src=h.png><img src=i.png>
<noscript><img src=never.png></noscript>"""
NAMES = ("a.css", "b.ico", "c.js", "f.png", "g.png", "h.png", "i.png")
RESOURCES = [f"/static/{name}".replace("c.js", "c.js?v=1") for name in NAMES]


WAYS = {
    "http": {},
    "tls": {"tls": "on"},
    "h2-tls": {"tls": "on", "http2": "on"},
    "h2": {"http2": "on"},
}
ASKED = -3600.0
"""Changed in the future: so that users ask each time, however long a test takes."""
NEVER = "resources = 'embedded', cache = false"


def fill(server: WebServer, age_s: float = ASKED) -> None:
    """Put the page and its resources there, last changed so long ago."""
    folder = server.data / "static"
    folder.mkdir()
    for page in ("shop", "end"):
        (server.data / f"{page}.html").write_text(PAGE, "utf-8")
    for number, name in enumerate(NAMES):
        (folder / name).write_bytes(b"x" * 3000 * (number + 1))
        changed_s = time.time() - age_s
        os.utime(folder / name, (changed_s, changed_s))


@contextlib.contextmanager
def shop(folder: Path, *, age_s: float = ASKED, **settings: str) -> Iterator[WebServer]:
    # One process, so that its log is in the order of the answers.
    settings = {"workers": "1", "access_log": "on", **settings}
    with serving("nginx", folder / "cache", **settings) as server:
        fill(server, age_s)
        yield server


def trust(server: WebServer) -> list[str]:
    """How users reach it."""
    options = [f"verify_certificates={server.authority}"] if server.authority else []
    if server.settings["http2"] == "on":
        options.append("http2=on")
    return [word for option in options for word in ("--client", option)]


def workload(folder: Path, *steps: str) -> str:
    """A file with two scenarios of these steps; the second has a last request of its own."""
    scenarios = ""
    for name, end in (
        ("first", ""),
        ("second", '{ name = "end", op = "get", path = "/end.html" }'),
    ):
        lines = ",\n  ".join([*steps, *([end] if end else [])])
        scenarios += f"""
[[scenarios]]
name = "{name}"
weight = 1
limit = "5s"
steps = [
  {lines},
]
"""
    path = folder / "shop.toml"
    path.write_text(
        f"""
name = "shop"
title = "A shop"
protocol = "http"
criteria = ["errors<1%"]
pace = {{ kind = "closed", time = {{ draw = "fixed", mean = "1s" }} }}
run = {{ duration = "2s" }}
{scenarios}
""",
        "utf-8",
    )
    return str(path)


def page(keys: str, name: str = "page") -> str:
    return f'{{ name = "{name}", op = "get", path = "/shop.html", {keys} }}'


def fetched(server: WebServer) -> list[Asked]:
    """What nginx was asked for, without the request for `/` before a run."""
    return [one for one in asked(server) if one.path != "/"]


def log_to_end(server: WebServer) -> list[Asked]:
    """What nginx was asked for until the end of the second scenario: others may have begun."""
    wait_for(lambda: any(one.path == "/end.html" for one in fetched(server)))
    log = fetched(server)
    return log[: [one.path for one in log].index("/end.html")]


def counts(log: list[Asked]) -> Counter[tuple[str, int]]:
    return Counter((one.path, one.status) for one in log if one.path != "/shop.html")


def each(status: int, times: int = 1) -> Counter[tuple[str, int]]:
    return Counter({(path, status): times for path in RESOURCES})


@pytest.mark.parametrize("way", WAYS)
def test_a_page_is_fetched_as_a_browser_does(
    headcount: Headcount, tmp_path: Path, way: str
) -> None:
    with shop(tmp_path, **WAYS[way]) as server:
        file = workload(tmp_path, page(NEVER), page(NEVER, "again"))
        done = headcount.run("try", file, "--target", server.url, "--json", *trust(server))
        assert done.code == 0, done.out + done.err
        log = log_to_end(server)
    # In each scenario the user knows nothing at first, and then asks whether it is still so.
    assert counts(log) == each(200, 2) + each(304, 2)
    assert [one.path for one in log].count("/shop.html") == 4
    connections = Counter(one.connection for one in log)
    if "h2" in way:
        assert len(connections) == 1
        assert {one.version for one in log} == {"HTTP/2.0"}
    else:
        assert len(connections) == 6
    step = next(one for one in done.json if one.get("step") == "page")
    document, *loads, left_out = step["exchanges"]
    assert document["path"] == "/shop.html"
    assert [one["resource"] for one in loads] == list(RESOURCES)
    sizes = {one.path: one.body_bytes for one in log if one.status == 200}
    for one in loads:
        assert (one["status"], one["received_bytes"]) == (200, sizes[one["resource"]])
        assert 0 < one["took_ms"] <= step["took_ms"]
    assert left_out["left_out"] == {"cdn.test": 1}


def test_the_step_sets_the_number_of_connections(headcount: Headcount, tmp_path: Path) -> None:
    with shop(tmp_path) as server:
        file = workload(tmp_path, page("resources = 'embedded', connections = 2"))
        assert headcount.run("try", file, "--target", server.url).code == 0
        log = log_to_end(server)
    assert len({one.connection for one in log}) == 2
    # A user asks again in the next scenario, too, unless the step forgets.
    assert counts(log) == each(200) + each(304)


@pytest.mark.parametrize(("cache", "times"), [("true", 1), ("false", 2)])
def test_an_old_resource_stays_in_the_cache(
    headcount: Headcount, tmp_path: Path, cache: str, times: int
) -> None:
    with shop(tmp_path, age_s=30 * 86_400) as server:
        keys = f"resources = 'embedded', cache = {cache}"
        file = workload(tmp_path, page(keys), page(keys, "again"))
        done = headcount.run("try", file, "--target", server.url)
        assert done.code == 0, done.out + done.err
        log = log_to_end(server)
    assert counts(log) == each(200, times)
    assert "+ /static/a.css  200, 3,000 bytes" in done.out
    assert "+ /static/a.css  in the user's cache" in done.out
    assert "+ left out: 1 of cdn.test" in done.out


@pytest.mark.parametrize("way", ["h2", "http"])
def test_a_server_may_end_connections_after_a_few_requests(
    headcount: Headcount, tmp_path: Path, way: str
) -> None:
    with shop(tmp_path, keepalive_requests="3", **WAYS[way]) as server:
        file = workload(tmp_path, page(NEVER))
        done = headcount.run("try", file, "--target", server.url, *trust(server))
        assert done.code == 0, done.out + done.err
        log = log_to_end(server)
    assert counts(log) == each(200, 2)
    assert max(one.nth_of_connection for one in log) <= 3


def test_paths_of_a_list_have_values(headcount: Headcount, tmp_path: Path) -> None:
    with shop(tmp_path) as server:
        keys = 'resources = ["/static/a.css", "/static/{name}.png"], cache = false'
        steps = ("{ set = { name = 'e' } }", page(keys))
        (server.data / "static" / "e.png").write_bytes(b"e")
        done = headcount.run("try", workload(tmp_path, *steps), "--target", server.url)
        assert done.code == 0, done.out + done.err
        log = log_to_end(server)
    assert counts(log) == Counter({("/static/a.css", 200): 2, ("/static/e.png", 200): 2})


@pytest.mark.parametrize("way", ["h2", "http"])
def test_a_missing_resource_fails_the_step(headcount: Headcount, tmp_path: Path, way: str) -> None:
    with shop(tmp_path, **WAYS[way]) as server:
        for name in ("g.png", "i.png"):
            (server.data / "static" / name).unlink()
        file = workload(tmp_path, page(NEVER))
        done = headcount.run("try", file, "--target", server.url, *trust(server))
        log = fetched(server)
    assert done.code != 0
    sentence = "its resource /static/g.png: status 404 Not Found; and another one"
    assert sentence in " ".join(done.out.split()), done.out
    # All others came nevertheless, as in a browser.
    assert {one.path for one in log} == {*RESOURCES, "/shop.html"}


def test_a_run_counts_what_nginx_counts(headcount: Headcount, tmp_path: Path) -> None:
    with shop(tmp_path) as server:
        file = workload(tmp_path, page(NEVER))
        options = ("--users", "3", "--duration", "2s", "--settle", "1s", "--think", "0.2s")
        done = headcount.run("run", file, "--target", server.url, "--no-trial", *options, "--json")
        bundle = Path(done.json["bundle"])
        log = fetched(server)
    lines = (bundle / "series.ndjson").read_bytes().splitlines()
    scenarios = [one for line in lines for one in json.loads(line)["scenarios"].values()]
    assert not any(one["failed"] for one in scenarios)
    assert sum(one["read_bytes"] for one in scenarios) == sum(one.body_bytes for one in log)
    assert len({one.connection for one in log}) == 3 * 6
    (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    completed = {one["name"]: one["completed"] for one in level["scenarios"]}
    # A user's scenario may begin before the measured part, or end after it.
    expected = 8 * completed["first"] + 9 * completed["second"]
    assert level["requests"]["GET"] == pytest.approx(expected, abs=2 * 3 * 9)
    assert expected > 100


def test_a_reply_that_is_not_html_names_no_resources(headcount: Headcount, tmp_path: Path) -> None:
    with shop(tmp_path) as server:
        step = '{ name = "page", op = "get", path = "/static/a.css", resources = "embedded" }'
        done = headcount.run("try", workload(tmp_path, step), "--target", server.url)
    assert done.code != 0
    assert "a reply of type application/octet-stream names no resources" in done.out
