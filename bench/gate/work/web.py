"""Getting a page over HTTP/1.1, beside wrk, h2load and k6, all with one thread."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.gate.item import OURS, Item, Metric, Sides
from bench.gate.player import Order, play
from bench.gate.process import MeasureError, marginal_us, missing, use
from bench.gate.work.server import nginx, pages
from bench.tools import FOLDER

CONNECTIONS = 64
SECONDS = 2
STARTS_SLOWLY = {"k6"}
"""Peers whose start costs much: a run of a second is subtracted from one of a second more."""
INSTALL = {
    "wrk": "apt install wrk",
    "h2load": "apt install nghttp2-client",
    "k6": "go install go.k6.io/k6@latest, which `make bench` does",
}


def _found(pattern: str, output: str) -> float:
    found = re.search(pattern, output, re.MULTILINE)
    if found is None:
        raise MeasureError(f"it printed no number of requests: {output[-200:]}")
    return float(found[1])


def _wrk(url: str, script: Path, *, keep: bool, seconds: float) -> tuple[float, float]:
    del script
    command = ["wrk", "-t1", "--timeout", "30s", "-c", str(CONNECTIONS), "-d", f"{seconds:g}s"]
    ran = use([*command, *([] if keep else ["-H", "Connection: close"]), url])
    if "Non-2xx" in ran.output:
        raise MeasureError(f"wrk got errors: {ran.output[-200:]}")
    return ran.cpu_s, _found(r"^ *(\d+) requests in ", ran.output)


def _h2load(url: str, script: Path, *, keep: bool, seconds: float) -> tuple[float, float]:
    del script, keep
    ran = use(["h2load", "--h1", "-t1", "-c", str(CONNECTIONS), "-D", f"{seconds:g}", url])
    return ran.cpu_s, _found(r"^status codes: (\d+) 2xx", ran.output)


def _k6(url: str, script: Path, *, keep: bool, seconds: float) -> tuple[float, float]:
    text = f"import http from 'k6/http';\nexport default () => {{ http.get('{url}'); }};\n"
    script.write_text(text, "utf-8")
    summary = script.with_suffix(".json")
    command = ["k6", "run", "--quiet", "--no-usage-report", "--discard-response-bodies"]
    command += ["--summary-export", str(summary), "--vus", str(CONNECTIONS)]
    command += ["--duration", f"{seconds:g}s", *([] if keep else ["--no-connection-reuse"])]
    ran = use([*command, script])
    requests = json.loads(summary.read_text("utf-8"))["metrics"]["http_reqs"]["count"]
    return ran.cpu_s, float(requests)


PEERS = {"wrk": _wrk, "h2load": _h2load, "k6": _k6}


@dataclass(frozen=True)
class _Case:
    page: str
    keep: bool


@contextmanager
def _page(case: _Case) -> Iterator[Sides]:
    _find_built()
    absent = missing(INSTALL)
    if not case.keep:
        absent["h2load"] = "h2load cannot open a connection for each request"
    with ExitStack() as stack:
        server = stack.enter_context(nginx())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        client = {"keep_alive": "on" if case.keep else "off"}
        played = pages(server, case.page, client)
        order = Order(played.plan, "http", played.target, CONNECTIONS, SECONDS)
        takes: dict[str, Callable[[], Mapping[str, float]]] = {OURS: partial(play, order)}
        url = f"{server.url}/{case.page}-0000.html"
        for name, run in PEERS.items():
            if name not in absent:
                takes[name] = partial(
                    _peer, name, partial(run, url, folder / "k6.js", keep=case.keep)
                )
        yield Sides(takes, absent)


def _peer(name: str, run: Callable[..., tuple[float, float]]) -> Mapping[str, float]:
    def timed(seconds: float) -> tuple[float, float]:
        return run(seconds=seconds)

    if name in STARTS_SLOWLY:
        return {"CPU": marginal_us(timed, 1, 1 + SECONDS)}
    cpu_s, requests = timed(SECONDS)
    return {"CPU": 1e6 * cpu_s / max(requests, 1)}


def _find_built() -> None:
    """Put the programs that `make bench` built on the PATH."""
    folder = str(FOLDER / "bin")
    if folder not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], folder])


def _item(name: str, title: str, page: str, *, keep: bool) -> Item:
    metrics = (Metric(name="CPU", unit="µs"),)
    return Item(name, title, metrics, partial(_page, _Case(page, keep)))


ITEMS = (
    _item("http-1k", "GET of 1 KB, 64 kept connections", "k1", keep=True),
    _item("http-16k", "GET of 16 KB, 64 kept connections", "k16", keep=True),
    _item("http-128k", "GET of 128 KB, 64 kept connections", "k128", keep=True),
    _item("http-close", "GET of 1 KB, a connection each", "k1", keep=False),
)
