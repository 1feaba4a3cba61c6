"""The real servers and loads on which limits are injected.

A stage is a lab server with a load that asks one thing of it: small answers (CPU), large
files (disk, memory, network), writes that must be on the disk, statements that compute.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headcount.plan.plan import Plan, validate

LEVELS = (1, 4, 16, 64)
LEVEL_S = 4
SHORT_LEVELS = (1, 8, 64)
SHORT_LEVEL_S = 2
RAMP_S = 0.5
WEIGHT = "1000"
"""Of the server's group beside other programs of the machine, so that the injected limit binds."""


Steps = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Stage:
    """A server with a load.

    `data` are the workload's tables of its data set; `file_bytes` how much the server reads at
    random, if it reads files.
    """

    name: str
    server: str
    protocol: str
    steps: Steps
    data: Mapping[str, Any]
    settings: Mapping[str, str] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    file_bytes: int = 0
    scale: float = 1.0


def _web(name: str, size: str, files: int, content: str = "binary") -> Mapping[str, Any]:
    classes = [{"name": "f", "percent": 100, "sizes": [size], "files": files, "content": content}]
    return {"pages": {"directories": [name], "classes": classes}}


GET: Steps = [{"name": "get", "op": "get", "page": "static"}]
FREE = {"cookies": "off", "verify": "off"}
FILE: Steps = [
    {"name": "open", "op": "open", "path": {"file": "library", "class": "data"}},
    {"name": "read", "op": "read", "from": "start", "chunk_bytes": 65536},
    {"name": "close", "op": "close"},
]
NEW_FILE: Steps = [
    {
        "name": "open",
        "op": "open",
        "path": {"file": "new"},
        "how": "replace-or-create",
        "access": "all",
    },
    {"name": "write", "op": "write"},
    {"name": "flush", "op": "flush"},
    {"name": "close", "op": "close"},
]


def _library(size: str, files: int) -> Mapping[str, Any]:
    one = {"name": "data", "content": "compressed", "size": size, "files": files, "uploads": 0}
    return {"library": {"classes": [one]}}


TREE = {
    "tree": {
        "folders": 2,
        "static_files": 1,
        "volatile_files": 1,
        "new_files": 8,
        "shared_files": 1,
        "median_size": "16KiB",
        "sigma": 0.0,
        "most_size": "16KiB",
    }
}


def _mail(size: str, inbox: int) -> Mapping[str, Any]:
    return {
        "mail": {"mix": [{"weight": 1, "text": "4KiB"}], "start": {"inbox": inbox, "size": size}}
    }


def _sql(statement: str, *parameters: str) -> list[Mapping[str, Any]]:
    one = {"name": "ask", "op": "sql", "statement": statement, "parameters": list(parameters)}
    return [one]


ROWS = 20_000


def _documents(rows: int, body: str) -> Mapping[str, Any]:
    return {"discussion": {"documents": rows, "categories": 20, "body_size": body, "people": 1000}}


SMALL_DB = _documents(100, "1KiB")
MAIL_SET = {"users": "100", "front": "lmtp", "log": "off"}

STAGES = {
    stage.name: stage
    for stage in (
        Stage("nginx-small", "nginx", "http", GET, _web("s", "1KiB", 20), client=FREE),
        Stage(
            *("nginx-zip", "nginx", "http", GET, _web("z", "24KiB", 20, "text")),
            settings={"gzip": "on"},
            client={**FREE, "accept_gzip": "on"},
        ),
        Stage("nginx-big", "nginx", "http", GET, _web("b", "256KiB", 800), {}, FREE, 800 << 18),
        Stage("apache-small", "apache", "http", GET, _web("s", "1KiB", 20), client=FREE),
        Stage("apache-big", "apache", "http", GET, _web("b", "256KiB", 800), {}, FREE, 800 << 18),
        Stage("samba-small", "samba", "smb", FILE, _library("4KiB", 50)),
        Stage("samba-big", "samba", "smb", FILE, _library("256KiB", 600), file_bytes=600 << 18),
        Stage("samba-write", "samba", "smb", NEW_FILE, TREE),
        Stage(
            *("app-cpu", "app", "app"),
            [{"name": "compute", "op": "processor", "rounds": 400}],
            {"data": {"file_size": "64KiB", "io_range": "64KiB"}},
        ),
        Stage(
            *("app-reply", "app", "app"),
            [{"name": "reply", "op": "server-client", "reply_bytes": 16384}],
            {"data": {"file_size": "64KiB", "io_range": "64KiB"}},
        ),
        Stage(
            *("app-read", "app", "app", [{"name": "read", "op": "read", "bytes": 32768}]),
            {"data": {"file_size": "4MiB", "io_range": "4MiB"}},
            file_bytes=64 << 22,
        ),
        Stage(
            *("app-write", "app", "app", [{"name": "write", "op": "write", "bytes": 16384}]),
            {"data": {"file_size": "1MiB", "io_range": "1MiB"}},
            settings={"write_mode": "dsync"},
        ),
        Stage(
            *("mail-fetch", "mail", "mail", [{"name": "fetch", "op": "fetch", "what": "body"}]),
            _mail("60KB", 4),
            settings=MAIL_SET,
        ),
        Stage(
            *("mail-append", "mail", "mail", [{"name": "append", "op": "append", "bytes": 20000}]),
            _mail("4KB", 1),
            settings={**MAIL_SET, "fsync": "always"},
        ),
        Stage(
            *("sql-cpu", "postgresql", "sql"),
            _sql("SELECT sum(i * i) FROM generate_series(1, 20000) i"),
            SMALL_DB,
        ),
        Stage(
            *("sql-wide", "postgresql", "sql"),
            _sql("SELECT repeat('headcount ', 5000)"),
            SMALL_DB,
        ),
        Stage(
            *("sql-read", "postgresql", "sql"),
            _sql(
                "SELECT count(body) FROM headcount.documents WHERE id = ANY("
                "SELECT $1::bigint + n FROM generate_series(0, 15) n) AND body > ''",
                f"{{random:1..{ROWS - 16}}}",
            ),
            _documents(ROWS, "7KiB"),
            settings={"shared_buffers_mib": "16"},
            file_bytes=ROWS * 8192,
        ),
        Stage(
            *("sql-write", "postgresql", "sql"),
            _sql(
                "UPDATE headcount.people SET mail = repeat('m', 500) WHERE id = $1",
                "{random:1..999}",
            ),
            SMALL_DB,
        ),
    )
}


def plan(
    stage: Stage,
    *,
    seed: int,
    levels: Sequence[int] = LEVELS,
    level_s: int = LEVEL_S,
    think_s: float = 0.0,
    settle_s: float = 0.0,
    settings: Mapping[str, str] | None = None,
    limits: Mapping[str, str] | None = None,
    steps: Sequence[Mapping[str, Any]] | None = None,
) -> Plan:
    """The plan of a short ladder on a stage; raises InputError if it is wrong."""
    limit = "10s"
    workload = {
        "name": stage.name,
        "title": stage.name,
        "protocol": stage.protocol,
        "recreates": "nothing",
        "description": "A load of the injection harness.",
        "sources": [],
        "deviations": [],
        "criteria": ["errors<1%"],
        "pace": {"kind": "closed", "time": {"draw": "exponential", "mean": f"{think_s}s"}}
        if think_s
        else {"kind": "closed", "time": {"draw": "fixed", "mean": "0s"}},
        "run": {"duration": f"{level_s}s", "ramp": f"{RAMP_S}s", "settle": f"{settle_s}s"},
        "client": dict(stage.client),
        "scenarios": [
            {
                "name": "ask",
                "weight": 1,
                "limit": limit,
                "steps": [dict(step) for step in steps or stage.steps],
            }
        ],
        **stage.data,
    }
    values = {
        "target": f"lab:{stage.server}",
        "mode": "ladder",
        "levels": list(levels),
        "seed": seed,
        "workers": 1,
        "scale": stage.scale,
        "server": {**stage.settings, **(settings or {})},
        "limits": {"cpu-weight": WEIGHT, **(limits or {})},
        "client": dict(stage.client),
        "workload": workload,
    }
    return validate(Plan, values, f"the plan of {stage.name}")
