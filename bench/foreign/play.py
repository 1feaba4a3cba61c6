"""Plays a case: starts its servers, has Headcount measure them as users do, keeps the bundle."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.foreign.address import LOOPBACK
from bench.foreign.case import Case, at_host, filled, filled_in
from bench.foreign.login import Login, login
from bench.foreign.network import Network, network
from bench.foreign.servers import KINDS
from bench.foreign.servers.start import PASSWORD, Place, end, free_port, running
from bench.foreign.surroundings import (
    BURSTS,
    folder_on_disk,
    limited,
    neighbours,
    repeated,
    stopped,
)
from bench.foreign.tools import Tools
from bench.foreign.workload import workload
from headcount.lab.squeeze.cache import forget

LEVELS = (2, 16, 64)
"""A few users, some, and many: what an impatient user tries."""
MOST_USERS = 64
"""Users who have pages of their own."""
LONGEST_S = 150.0
"""Longest time for a run: many times that of its levels."""
BUDGET = "30s"
"""Budget of a search with `--quick`."""
BARE = ("--client", "sslmode=prefer", "--client", "require_auth=scram-sha-256,password")
"""Users of databases: there is no TLS here, and pgbouncer asks for the password itself."""
USUAL_NEIGHBOURS = 2
TRUTHS = "truths.ndjson"


class PlayError(Exception):
    """A run that left no bundle."""


@dataclass(frozen=True)
class Played:
    """A played case, as recorded in `truths.ndjson`.

    Attributes:
        case: Which.
        seed: What its strengths were drawn by.
        values: The strengths, and the addresses of its servers.
        bundle: The folder of the run.
        code: What Headcount exited with.
        seconds: How long it took, from the first server's start to the last one's end.
        over_ssh: Whether servers were in a network of their own, with counters over SSH.

    """

    case: Case
    seed: int
    values: Mapping[str, str]
    bundle: Path
    code: int
    seconds: float
    over_ssh: bool = False

    def record(self) -> dict[str, Any]:
        """For a file."""
        return {
            "name": self.case.name,
            "seed": self.seed,
            "values": dict(self.values),
            "bundle": self.bundle.name,
            "code": self.code,
            "seconds": round(self.seconds, 1),
            "over_ssh": self.over_ssh,
        }


def play(
    case: Case,
    seed: int,
    keep: Path,
    tools: Tools,
    beside: bool,
    level_s: float | None = None,
    levels: Sequence[int] = LEVELS,
    over_ssh: bool = False,
) -> Played:
    """Play it, beside other programs or not, with levels of another length or its own.

    Over SSH, its servers are in a network of their own, as on another machine. Raises PlayError, or
    RuntimeError where a server does not start.
    """
    begun = time.monotonic()
    case = replace(case, level_s=level_s or case.level_s)
    keep.mkdir(parents=True, exist_ok=True)
    with scene(case, seed, tools, beside, over_ssh) as there:
        code, text, made = _measured(case, there, levels)
        if made is None:
            raise PlayError(text.strip()[-2000:])
        bundle = keep / f"{case.key}-{seed}"
        shutil.rmtree(bundle, ignore_errors=True)
        shutil.copytree(made, bundle)
    (keep / f"{bundle.name}.txt").write_text(text, "utf-8")
    seconds = time.monotonic() - begun
    played = Played(case, seed, there.values, bundle, code, seconds, over_ssh)
    with (keep / TRUTHS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(played.record()) + "\n")
    return played


@dataclass(frozen=True)
class Scene:
    """The servers of a case, started, and all that is around them.

    Attributes:
        values: The strengths, and the addresses of its servers.
        folder: For what the run needs.
        within: What runs a command in the network of the users.
        tools: The programs that the bench built.
        login: How Headcount reads the counters of another machine.

    """

    values: Mapping[str, str]
    folder: Path
    within: Sequence[str]
    tools: Tools
    login: Login | None


@contextlib.contextmanager
def scene(
    case: Case, seed: int, tools: Tools, beside: bool, over_ssh: bool = False
) -> Iterator[Scene]:
    """The servers of a case, until the end of the block, beside other programs or not."""
    with contextlib.ExitStack() as around:
        values = dict(case.draw(seed))
        folder = Path(around.enter_context(tempfile.TemporaryDirectory(prefix="hcf-")))
        folder.chmod(0o711)
        disk = around.enter_context(folder_on_disk()) if case.disk else None
        if disk is not None:
            values["disk"] = str(disk)
        wanted = {key: filled(text, values) for key, text in case.namespace.items()}
        net = around.enter_context(network(wanted, is_far=over_ssh))
        place = Around(around, folder, disk, net, tools)
        pid = _started(case, values, place)
        logged_in = _logged_in(place) if over_ssh else None
        around.enter_context(neighbours(int(filled(case.hogs, values))))
        around.enter_context(neighbours(USUAL_NEIGHBOURS if beside else 0, BURSTS))
        if disk is not None:
            # The kernel charges a control group only for pages that its own members read.
            forget(disk)
        _interrupted(case, values, pid, around)
        yield Scene(values, folder, net.users, tools, logged_in)


@dataclass(frozen=True)
class Around:
    """Where servers are started, and what ends them."""

    stack: contextlib.ExitStack
    folder: Path
    disk: Path | None
    network: Network
    tools: Tools
    ports: set[int] = field(default_factory=set)


def _started(case: Case, values: dict[str, str], around: Around) -> int:
    """Start all servers, and note their addresses; the process of the last one."""
    pid = 0
    for one in case.stack:
        component = filled_in(at_host(one, around.network.host), values)
        home = around.folder / component.name
        home.mkdir()
        port, host = free_port(around.ports), around.network.host
        place = Place(home, port, around.tools, values, MOST_USERS, host)
        start = KINDS[component.kind](component, place)
        server = around.stack.enter_context(
            running(start, component, place, around.network.servers)
        )
        around.stack.enter_context(limited(server.pid, component.group, around.disk))
        values[component.name] = start.address
        values[f"{component.name}_port"] = str(place.port)
        pid = server.pid
    return pid


def _logged_in(around: Around) -> Login:
    """Start what Headcount logs in to."""
    home = around.folder / "login"
    home.mkdir()
    port, host = free_port(around.ports), around.network.host
    place = Place(home, port, around.tools, {}, MOST_USERS, host)
    return around.stack.enter_context(login(place, around.network))


def _interrupted(
    case: Case, values: Mapping[str, str], pid: int, around: contextlib.ExitStack
) -> None:
    """Begin what stops the servers now and then, or keeps them busy."""
    if case.stop:
        each = {key: float(filled(str(text), values)) for key, text in case.stop.items()}
        around.enter_context(stopped(pid, each["every_ms"], each["for_ms"]))
    if case.every:
        address = values[case.stack[-1].name]
        statement = filled(str(case.every["statement"]), values)
        every_ms = float(case.every["ms"])
        around.enter_context(repeated(address, statement, every_ms))


def _measured(case: Case, there: Scene, levels: Sequence[int]) -> tuple[int, str, Path | None]:
    """Run Headcount; its exit code, what it printed, and its bundle."""
    values, folder = there.values, there.folder
    steps = tuple(filled(step, values) for step in case.steps)
    case = replace(case, steps=steps, more=filled(case.more, values))
    file = folder / "foreign.toml"
    client = {key: filled(text, values) for key, text in case.client.items()}
    file.write_text(workload(case, filled(case.statement, values), client), "utf-8")
    runs = folder / "runs"
    address = values[case.stack[-1].name]
    command = [*there.within, sys.executable, "-m", "headcount", "run", str(file)]
    command += ["--target", f"{case.scheme}://{address}", "--runs", str(runs)]
    command += ["--user", "shop", *BARE] if case.statement else []
    if case.quick:
        command += ["--quick", "--budget", BUDGET]
    else:
        command += ["--levels", ",".join(str(users) for users in levels)]
        command += ["--duration", f"{case.level_s:g}s", "--ramp", "1s", "--settle", "1s"]
    environment = {**os.environ, "HEADCOUNT_PASSWORD": PASSWORD, "COLUMNS": "100"}
    if not address.startswith(LOOPBACK):
        command += ["--authorised-by", "bench"]
    if there.login is not None:
        command += ["--source", there.login.source]
        environment["PATH"] = there.login.path
    group = {"cpu": filled(case.generator_cpu, values)} if case.generator_cpu else {}
    output = folder / "printed"
    with output.open("wb") as printed:
        headcount = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        with limited(headcount.pid, group, None):
            code = headcount.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        code = -1
    finally:
        end(headcount)
    made = sorted(one.parent for one in runs.glob("*/levels.json"))
    return code, output.read_text("utf-8"), made[-1] if made else None


def kept(keep: Path, cases: Mapping[str, Case]) -> list[Played]:
    """The cases played into a folder, the last play of each."""
    found = {}
    for line in (keep / TRUTHS).read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["name"] in cases:
            row |= {"case": cases[row.pop("name")], "bundle": keep / row["bundle"]}
            found[row["bundle"]] = Played(**row)
    return list(found.values())
