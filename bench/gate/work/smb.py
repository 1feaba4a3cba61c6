"""Operations on an SMB server: opening and closing beside smbtorture, and reading."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from bench.gate.item import OURS, Item, Metric, Sides
from bench.gate.player import Order, play
from bench.gate.process import MeasureError, marginal_us, missing, use
from bench.gate.work.server import Steps, files, port_of, root_folder, samba
from bench.smb import TARGETS_US
from headcount.lab.samba import SambaServer

TEST = "smb2.bench.path-contention-shared"
"""Opens and closes the share's folder on each connection, one request at a time, unsigned."""
CONNECTIONS = 4
READERS = 100
SHORT_S, LONG_S = 1, 4
SIGNING = {"unsigned": {"signing": "off"}, "AES-GMAC": {"signing": "required"}}
INSTALL = {"smbtorture": "apt install samba-testsuite"}
OTHER = "smbtorture, open or close"
"""smbtorture has no benchmark that reads over SMB 2 or 3."""

OPEN_AND_CLOSE: Steps = [
    {"op": "open", "path": {"file": "home"}, "access": "attributes"},
    {"op": "close"},
]
READ: Steps = [
    {"op": "open", "path": {"file": "static"}},
    {"op": "stat"},
    {"op": "read", "from": "start", "chunk_bytes": 16384},
    {"op": "close"},
]
"""Seven requests for each 64 KiB."""


@contextmanager
def _open_and_close() -> Iterator[Sides]:
    absent = missing(INSTALL)
    with samba() as server:
        played = root_folder(files(server, OPEN_AND_CLOSE, 1, SIGNING["unsigned"]))
        order = Order(played.plan, "smb", played.target, CONNECTIONS, LONG_S - SHORT_S)
        takes = {OURS: partial(play, order)}
        if not absent:
            takes["smbtorture"] = partial(_smbtorture, server)
        yield Sides(takes, absent)


def _smbtorture(server: SambaServer) -> Mapping[str, float]:
    def run(seconds: float) -> tuple[float, float]:
        command = ["smbtorture", f"//127.0.0.1/{server.share}", TEST]
        command += ["-p", port_of(server.address), "-U", f"user00000%{server.password}"]
        command += [f"--option=torture:timelimit={seconds:g}", "--option=torture:qdepth=1"]
        ran = use([*command, f"--option=torture:nprocs={CONNECTIONS}"], errors=True)
        # Its last line of figures is about the whole run: "... open[num/s=1,...] close[...]".
        rates = [
            re.findall(rf"{kind}\[num/s=([\d.]+),", ran.output)[-1:] for kind in ("open", "close")
        ]
        if not all(rates):
            raise MeasureError(f"smbtorture printed no rates: {ran.output[-200:]}")
        return ran.cpu_s, sum(float(rate[0]) for rate in rates) * seconds

    return {"CPU": marginal_us(run, SHORT_S, LONG_S)}


@contextmanager
def _read(way: str) -> Iterator[Sides]:
    with samba() as server:
        played = files(server, READ, READERS, SIGNING[way])
        seconds = LONG_S - SHORT_S
        order = Order(played.plan, "smb", played.target, READERS, seconds, 2, count="requests")
        takes = {OURS: partial(play, order)}
        absent = missing(INSTALL)
        if not absent:
            takes[OTHER] = partial(_smbtorture, server)
        yield Sides(takes, absent)


def _reads(name: str, way: str) -> Item:
    metrics = (Metric(name="CPU", unit="µs", bar=TARGETS_US[way]),)
    return Item(name, f"SMB request, 100 users read, {way}", metrics, partial(_read, way))


ITEMS = (
    Item(
        "smb-open",
        "SMB open or close, 4 connections",
        (Metric(name="CPU", unit="µs"),),
        _open_and_close,
    ),
    _reads("smb-read", "unsigned"),
    _reads("smb-read-gmac", "AES-GMAC"),
)
