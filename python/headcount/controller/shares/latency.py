"""The experiment with latencies: the same load over a shorter and a longer path, and its memory."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from headcount import __version__
from headcount.analyse import latency as analysis
from headcount.bundle.files import replace
from headcount.bundle.latency import LatencyFile, LatencyPoint
from headcount.bundle.writer import new_folder, now
from headcount.controller import run as controller
from headcount.controller.access import Secrets
from headcount.controller.listener import Listener
from headcount.controller.shares.memory_watch import MemoryWatch
from headcount.controller.sut import connect
from headcount.errors import InputError, SystemLimitError
from headcount.generator.handles import ensure_handles
from headcount.plan.plan import Plan, validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload

FILE = "latency.json"
SHORTEST = "0.1ms"
"""The shortest possible line, for a latency of 0. Without a line users would be on loopback, whose
packets have other sizes and take other memory."""
RAMP = "2s"
CRITERIA = ["errors<1%"]
"""Limits far above any latency, because response times grow with it; that is not a failure here."""
PAGES = {
    "directories": 1,
    "classes": [{"name": "k128", "percent": 100, "sizes": ["128KiB"]}],
}
Outcome = Literal["finished", "interrupted"]


@dataclass(frozen=True)
class Load:
    """What the users of a lab server do.

    Attributes:
        workload: Its name.
        pace: When each user's scenarios are due, whether or not the last one has ended.
        settle: Time until all users are connected: that of the longest pause.
        text: The load for people.

    """

    workload: str
    pace: str
    settle: str
    text: str


LOADS = {
    "lab:samba": Load(
        "file-copy",
        "uniform:2s..8s",
        "8s",
        "file-copy: each user copies a file of 64 KB or 1 MB from or to the server in blocks of "
        "16 KB, every 5 s on average",
    ),
    "lab:nginx": Load(
        "web-mix",
        "uniform:0.5s..1.5s",
        "3s",
        "web-mix with pages of 128 KB: each user fetches one over a connection that is kept, "
        "every second on average",
    ),
}
"""By target. Paces are so slow that a latency of 100 ms leaves users idle most of the time."""


@dataclass(frozen=True)
class LatencyExperiment:
    """What the user asks for.

    Attributes:
        workload: The workload of the target's load.
        target: One of `LOADS`.
        latencies: As written, by seconds.
        users: How many there are, each with a connection.
        repeats: How often each latency is played.
        duration: How long memory is read, as written.

    """

    workload: Workload
    target: str
    latencies: dict[float, str]
    users: int
    repeats: int
    duration: str
    seed: int
    runs: Path
    server: dict[str, str] = field(default_factory=dict)
    client: dict[str, str] = field(default_factory=dict)


def prepared(workload: Workload) -> Workload:
    """The workload as it is played: that of web pages has only large ones."""
    values = workload.model_dump(mode="json", exclude_none=True)
    if "pages" not in values:
        return workload
    values |= {"pages": PAGES, "title": f"Pages of 128 KB ({workload.name})"}
    deviations = [*workload.deviations, "All pages are of 128 KB, in one directory."]
    return validate(Workload, {**values, "deviations": deviations}, f"workload {workload.name}")


def order(latencies: Sequence[float], repeats: int, seed: int) -> list[tuple[int, float]]:
    """Repeats and latencies in the order in which they are played, drawn within each repeat."""
    drawn = random.Random(seed)
    found = []
    for repeat in range(repeats):
        found += [(repeat, one) for one in drawn.sample(sorted(latencies), len(latencies))]
    return found


def latency_plan(experiment: LatencyExperiment, repeat: int, latency_s: float) -> Plan:
    """The plan of one start; users do the same at each latency of a repeat."""
    overrides = Overrides(
        users=experiment.users,
        duration=experiment.duration,
        ramp=RAMP,
        settle=LOADS[experiment.target].settle,
        pace=LOADS[experiment.target].pace,
        seed=experiment.seed + repeat,
        criteria=CRITERIA,
        server=experiment.server,
        client=experiment.client,
        limits={"latency": experiment.latencies[latency_s] if latency_s else SHORTEST},
        stacks="off",
    )
    return resolve(prepared(experiment.workload), experiment.target, overrides)


class LatencyRun:
    """The running experiment; what was measured is on disk after each start of the server.

    Attributes:
        folder: Where that is stored; None before there is anything.

    """

    def __init__(self, experiment: LatencyExperiment, secrets: Secrets) -> None:
        """Check in advance what can be: the options, and what this machine allows."""
        self.folder: Path | None = None
        self._experiment = experiment
        self._secrets = secrets
        self._points: list[LatencyPoint] = []
        self._programs: dict[str, str] = {}
        self._started_at = now()
        controller.check_engine()
        plan = latency_plan(experiment, 0, min(experiment.latencies))
        ensure_handles(plan.protocol, experiment.users, plan.local_ips)

    def measure(self, listener: Listener, on_point: Callable[[LatencyPoint], None]) -> LatencyFile:
        """Play all latencies. Ctrl-C ends it early: the answer is what was measured until then.

        Raises HeadcountError on errors; starts that were measured are kept.
        """
        experiment = self._experiment
        for repeat, latency_s in order(
            list(experiment.latencies), experiment.repeats, experiment.seed
        ):
            try:
                point = self._play(repeat, latency_s, listener)
            except KeyboardInterrupt:
                point = None
            if point is None:
                if not self._points:
                    raise KeyboardInterrupt
                return self._keep("interrupted")
            self._points.append(point)
            self._keep("interrupted")
            on_point(point)
        return self._keep("finished")

    def _play(self, repeat: int, latency_s: float, listener: Listener) -> LatencyPoint | None:
        """One start of the server; None if Ctrl-C came."""
        experiment = self._experiment
        plan = latency_plan(experiment, repeat, latency_s)
        with connect(plan, self._secrets) as sut:
            if sut.squeeze is None or sut.squeeze.link is None:
                raise SystemLimitError("the run has no network of its own to slow down")
            watch = MemoryWatch(sut.pids or [], sut.squeeze.link.address, listener)
            try:
                folder, verdict = controller.play(plan, experiment.runs, sut, watch)
            finally:
                watch.close()
            self._programs = {**sut.access.programs, **sut.lab_programs}
        result = watch.result
        if verdict.outcome == "interrupted" or result is None or watch.before is None:
            return None
        processes, sockets = watch.samples
        return LatencyPoint(
            repeat=repeat,
            latency_s=latency_s,
            bundle=str(folder),
            users=experiment.users,
            outcome=result.outcome,
            reasons=result.reasons,
            offered_per_s=result.offered_per_s,
            achieved_per_s=result.achieved_per_s,
            round_trip_s=watch.round_trip_s,
            before=watch.before,
            during=watch.during(),
            samples=processes,
            socket_samples=sockets,
        )

    def _keep(self, outcome: Outcome) -> LatencyFile:
        """Write what is known now."""
        costs = analysis.costs(self._points)
        known = LatencyFile(
            headcount=__version__,
            started_at=self._started_at,
            target=self._experiment.target,
            programs=self._programs,
            workload=LOADS[self._experiment.target].text,
            outcome=outcome,
            counted=analysis.COUNTED,
            points=self._points,
            costs=costs,
            sentences=analysis.sentences(costs),
            doubts=analysis.doubts(self._points),
        )
        if self.folder is None:
            self.folder = new_folder(self._experiment.runs, "shares-latency", known.target)
        replace(self.folder / FILE, known.model_dump_json(indent=1))
        return known


def check_target(target: str | None) -> None:
    """Raise InputError for a server that no delay line can be put in front of."""
    if target not in LOADS:
        raise InputError(
            "--latency is for servers that Headcount starts, behind a delay line of its own: "
            f"--target {' or '.join(LOADS)}"
        )
