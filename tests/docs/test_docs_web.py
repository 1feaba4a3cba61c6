"""The guide to web servers: its workload is valid, and a server answers its requests."""

import json
import tomllib
from pathlib import Path

import pytest
from pages import blocks, text

from headcount import workloads
from headcount._engine import Engine
from headcount.plan.plan import engine_plan
from headcount.plan.resolve import Overrides, resolve
from headcount.protocols.http import http_client
from processes import Headcount
from web_server import asked, serving

GUIDE = text("web-servers.md")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (example,) = blocks(GUIDE, "toml")
    path = tmp_path / "shop.toml"
    path.write_text(example, "utf-8")
    return path


def test_the_engine_takes_the_workload(shop: Path) -> None:
    plan = resolve(workloads.load(str(shop)), "http://127.0.0.1:9/", Overrides(seed=1, workers=1))
    assert plan.client == {"headers": "Accept-Language: en"}
    target = {"url": plan.target, **http_client(plan.client).engine_form()}
    engine = Engine(engine_plan(plan), "http", json.dumps(target))
    steps = [step for scenario in plan.workload.scenarios for step in scenario.steps]
    assert sorted(engine.step_names) == sorted(step.name for step in steps)
    engine.close()
    assert {step.op for step in steps} == {"get", "post", "put"}


def test_a_custom_list_of_requests_is_played(tmp_path: Path) -> None:
    """The example's first scenario, at a server that knows its paths."""
    values = tomllib.loads(blocks(GUIDE, "toml")[0])
    lines = [
        *('name = "mine"', 'title = "Mine"', 'protocol = "http"', 'recreates = "nothing"'),
        *('description = "Two paths."', "sources = []", "deviations = []"),
        f"criteria = {json.dumps(values['criteria'])}",
        '[pace]\nkind = "closed"\ntime = { draw = "fixed", mean = "5ms" }',
        '[run]\nduration = "2s"\nsettle = "0s"',
        '[[scenarios]]\nname = "look"\nweight = 1\nlimit = "1s"\nsteps = [',
        '{ name = "home", op = "get", path = "/" },',
        '{ name = "search", op = "get", path = "/search?q=chair", expect = [200, 404] } ]',
    ]
    path = tmp_path / "mine.toml"
    path.write_text("\n".join(lines), "utf-8")
    headcount = Headcount(tmp_path / "home")
    with serving("nginx", tmp_path / "cache", access_log="on") as server:
        (server.data / "index.html").write_text("welcome")
        ended = headcount.run(
            *("run", str(path), "--target", server.url, "--users", "2", "--ramp", "0s", "--json")
        )
        assert ended.code in (0, 4), ended
        paths = {one.path for one in asked(server)}
    headcount.close()
    assert paths == {"/", "/search?q=chair"}
    (level,) = json.loads((headcount.bundle / "levels.json").read_bytes())["levels"]
    assert level["total"]["failed"] == 0
    assert {step["name"] for step in level["steps"]} == {"home", "search"}


def test_prepare_says_that_there_is_nothing_to_prepare(shop: Path, tmp_path: Path) -> None:
    headcount = Headcount(tmp_path / "home")
    ended = headcount.run("prepare", str(shop), "--folder", str(tmp_path / "pages"))
    headcount.close()
    assert ended.code == 2
    assert "--folder is for workloads with [pages]" in ended.message
