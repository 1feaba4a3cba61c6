"""A lab server on a processor of its own, with its data set, as a target of the engine."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from bench.gate.process import apart
from headcount.controller.access.access import Access
from headcount.controller.access.http import of_lab as http_access
from headcount.controller.access.smb import of_lab as smb_access
from headcount.lab.nginx import NginxServer
from headcount.lab.samba import SambaServer
from headcount.plan.plan import Plan, engine_plan, validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload

PAGES = {"k1": "1KiB", "k16": "16KiB", "k128": "128KiB"}
"""Classes of pages, each of one file."""
NO_PAUSE = {"draw": "fixed", "mean": "0s"}

Steps = list[dict[str, Any]]


@dataclass(frozen=True)
class Played:
    """What the engine needs: the plan and the target, both JSON."""

    plan: str
    target: str


def _plan(
    protocol: str,
    table: Mapping[str, Any],
    steps: Steps,
    client: Mapping[str, str],
    think: Mapping[str, str],
) -> Plan:
    """The plan of `headcount run` for a workload of one scenario."""
    named = [{"name": f"{at}-{step['op']}", **step} for at, step in enumerate(steps)]
    workload = {
        "name": "gate",
        "title": "A step of the gate",
        "description": "What one operation costs.",
        "protocol": protocol,
        "criteria": ["errors<1%"],
        "pace": {"kind": "closed", "time": dict(think)},
        "run": {"duration": "60s", "ladder": [1]},
        "client": dict(client),
        **table,
        "scenarios": [
            {"name": "once", "title": "Once", "weight": 1, "limit": "60s", "origin": "ours"}
            | {"steps": named}
        ],
    }
    lab = "nginx" if protocol == "http" else "samba"
    overrides = Overrides(users=1, seed=1, workers=1, scale=1.0, stacks="off")
    return resolve(validate(Workload, workload, "the gate's workload"), f"lab:{lab}", overrides)


def _played(plan: Plan, access: Access, users: int) -> Played:
    access.prepare(users, _silent)
    return Played(engine_plan(plan), access.engine_target())


def _silent(done: int, users: int) -> None:
    """Ignore progress."""
    del done, users


@contextmanager
def nginx() -> Iterator[NginxServer]:
    """nginx on the first processor; what is started meanwhile is on the others."""
    settings = {"workers": "1", "file_cache": "100", "keepalive_requests": "1000000000"}
    with apart() as leave:
        server = NginxServer(settings)
        leave()
        try:
            yield server
        finally:
            server.stop()


def pages(
    server: NginxServer,
    page: str,
    client: Mapping[str, str],
    think: Mapping[str, str] = NO_PAUSE,
) -> Played:
    """Plays one of its pages, without checking the contents, as peers do not check them either."""
    classes = [{"name": name, "percent": 1, "sizes": [size]} for name, size in PAGES.items()]
    table = {"pages": {"directories": [""], "classes": classes}}
    plan = _plan("http", table, [{"op": "get", "page": [page]}], {"verify": "off", **client}, think)
    return _played(plan, http_access(plan, server), 1)


@contextmanager
def samba(*, is_apart: bool = True) -> Iterator[SambaServer]:
    """smbd on the first processor; what is started meanwhile is on the others.

    With `is_apart` off both may use all processors.
    """
    with apart() if is_apart else nullcontext(_stay) as leave:
        server = SambaServer({})
        leave()
        try:
            yield server
        finally:
            server.stop()


def files(
    server: SambaServer,
    steps: Steps,
    users: int,
    client: Mapping[str, str],
    think: Mapping[str, str] = NO_PAUSE,
) -> Played:
    """What plays steps on four files of 64 KiB that each user has."""
    tree = {"folders": 1, "static_files": 4, "volatile_files": 1, "new_files": 1}
    tree |= {"shared_files": 1}
    sizes = {"median_size": "64KiB", "sigma": 0.0, "most_size": "64KiB"}
    plan = _plan("smb", {"tree": tree | sizes}, steps, client, think)
    return _played(plan, smb_access(plan, server), users)


def _stay() -> None:
    """Stay on all processors."""


def port_of(address: str) -> str:
    """The port of an address."""
    return address.rpartition(":")[2]


def root_folder(played: Played) -> Played:
    """The same with users whose folder is the share's own, as smbtorture's."""
    return Played(played.plan, json.dumps({**json.loads(played.target), "folder": ""}))
