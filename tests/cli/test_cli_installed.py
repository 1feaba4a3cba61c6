"""Workloads, lab servers, counters, views, exports and knobs of an installed package."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from headcount import workloads

ENTRIES = """
[headcount.workloads]
shop-quick = shop_addition

[headcount.lab_servers]
shop = shop_addition:ShopServer

[headcount.sources]
shop = shop_addition:open_source

[headcount.views]
shop = shop_addition:KIND

[headcount.exports]
shop = shop_addition:text

[headcount.knobs]
shop-nginx = shop_addition
"""
KNOBS = """
server = "nginx"
title = "nginx of the shop"

[[knob]]
name = "reset_timedout_connection"
about = "Whether a connection that times out is reset, which frees its memory at once."
limits = ["memory", "errors"]
default = "off"
words = ["on", "off"]
rules = ["on"]
where = "http"
apply = "reload"
source = "nginx.org: ngx_http_core_module"
"""
CHANGE = """
from headcount.lab.nginx import NginxServer
from headcount.tune.change import Configuration
from headcount.tune.host import ThisHost
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.registry import find
from headcount.tune.tunable import Tunable

lab = NginxServer({})
try:
    server = find(ThisHost(), lab.pids)
    knob = next(one for one in of_server("nginx").knob if one.name.startswith("reset_"))
    tunable = Tunable(ThisHost(), server, [knob], "JOURNAL", lambda: None)
    tunable.apply(Configuration({knob: knob.rules[0]}, "test"))
    print(server.setting(knob).value, find(ThisHost(), lab.pids).setting(knob).value)
    print(tunable.close(), find(ThisHost(), lab.pids).setting(knob).value)
finally:
    lab.stop()
"""
MODULE = '''
from types import SimpleNamespace

from headcount.counters.views.kinds import Kind
from headcount.lab.app import AppServer


class ShopServer(AppServer):
    """An application server under another name."""

    protocol = "app"


def open_source(address, name):
    return SimpleNamespace(address=address, name=name)


KIND = Kind("shop", "the shop's statistics", "http://HOST/PATH", lambda address: dict, lambda _: ())


def text(bundle):
    return f"{bundle.plan.workload.name} on {bundle.plan.target}\\n"
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of an installed package."""
    facts = tmp_path / "shop_addition-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-addition\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRIES)
    folder = tmp_path / "shop_addition"
    folder.mkdir()
    (folder / "__init__.py").write_text(MODULE)
    own = Path(workloads.__file__).with_name("app-server.toml").read_text("utf-8")
    shop = own.replace('name = "app-server"', 'name = "shop-quick"', 1)
    (folder / "shop-quick.toml").write_text(shop, "utf-8")
    (folder / "shop-nginx.toml").write_text(KNOBS)
    return tmp_path


def run(package: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    return subprocess.run(
        [sys.executable, *command],
        env=environment,
        cwd=package,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def lines_of(package: Path, program: str) -> list[str]:
    ended = run(package, "-c", program)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_its_workload_is_listed_and_runs_on_its_lab_server(package: Path) -> None:
    listed = run(package, "-m", "headcount", "workloads")
    assert "shop-quick" in listed.stdout, listed.stderr
    line = "run shop-quick --target lab:shop --users 2 --duration 1s --ramp 0s --json"
    ended = run(package, "-m", "headcount", *line.split())
    assert ended.returncode in (0, 4), ended.stderr  # a busy machine may make a level invalid
    assert "-shop-quick-lab-shop/report.html" in ended.stdout


def test_its_source_and_view_are_opened_by_their_addresses(package: Path) -> None:
    source = """
from headcount.counters import address
from headcount.counters.open import open_source
from headcount.counters.views.find import split_view
found = address.parse("shop://till-1:70/daily")
print(found.kind, found.place)
opened = open_source("shop://till-1:70/daily", "till")
print(opened.address, opened.name)
print(split_view("shop=http://till-1/status")[0].title)
"""
    assert lines_of(package, source) == [
        "shop till-1:70",
        "shop://till-1:70/daily till",
        "the shop's statistics",
    ]


def test_its_export_is_written_and_named_among_the_formats(
    package: Path, finished_run: Path
) -> None:
    bundle = str(finished_run)
    ended = run(package, "-m", "headcount", "export", bundle, "answer.shop")
    assert ended.returncode == 0, ended.stderr
    assert (package / "answer.shop").read_text().endswith(" on lab:app\n")
    other = run(package, "-m", "headcount", "export", bundle, "answer.till")
    assert ".shop: of an installed package" in " ".join(other.stderr.split())


def test_its_knobs_are_listed_and_tried(package: Path) -> None:
    listed = run(package, "-m", "headcount", "knobs", "nginx", "--json")
    names = {one["name"] for one in json.loads(listed.stdout)["knob"]}
    assert names >= {"reset_timedout_connection", "keepalive_timeout"}
    explained = run(package, "-m", "headcount", "knobs", "nginx", "reset_timedout_connection")
    assert "frees its memory at once" in explained.stdout, explained.stderr
    program = CHANGE.replace("JOURNAL", str(package / "journal"))
    assert lines_of(package, program) == ["off on", "None off"]


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('server = "nginx"', 'server = "lotus"', 'it is for "lotus", and there can be knobs of:'),
        (
            'server = "nginx"',
            'server = "process"',
            'it is for "process", and there can be knobs of',
        ),
        ("reset_timedout_connection", "sendfile", "nginx has sendfile already"),
        ("limits =", "limit =", 'did you mean "limits"?'),
        ("words =", "words", "Expected '='"),
    ],
)
def test_a_package_with_invalid_knobs_is_named(
    package: Path, old: str, new: str, part: str
) -> None:
    file = package / "shop_addition" / "shop-nginx.toml"
    file.write_text(file.read_text().replace(old, new))
    ended = run(package, "-m", "headcount", "knobs")
    error = " ".join(ended.stderr.split())
    assert ended.returncode == 2, ended
    assert 'the file of knobs "shop-nginx" of the package shop-addition' in error
    assert part in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("entries", "asked", "part"),
    [
        ("[headcount.workloads]\nx = shop_addition\n", "workloads show x", "no x.toml in"),
        ("[headcount.workloads]\nx = nothing_such\n", "workloads", "cannot be loaded"),
        (
            "[headcount.lab_servers]\nx = shop_addition:KIND\n",
            "run app-server -t lab:x",
            "not a type",
        ),
        ("[headcount.lab_servers]\nx = builtins:dict\n", "run app-server -t lab:x", "must be one"),
        ("[headcount.knobs]\nx = shop_addition\n", "knobs", "no x.toml in shop_addition"),
        ("[headcount.knobs]\nx = json.decoder\n", "knobs nginx", "no x.toml in json.decoder"),
    ],
)
def test_a_package_with_an_invalid_addition_is_named(
    package: Path, entries: str, asked: str, part: str
) -> None:
    (package / "shop_addition-1.0.dist-info" / "entry_points.txt").write_text(entries)
    ended = run(package, "-m", "headcount", *asked.split())
    error = " ".join(ended.stderr.split())
    assert ended.returncode == 2, ended
    assert "of the package shop-addition" in error
    assert part in error
    assert "update or remove that package" in error
    assert "Traceback" not in error
