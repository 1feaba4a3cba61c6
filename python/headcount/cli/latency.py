"""`headcount shares --latency`: what a latency does to the memory that a connection costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from headcount.cli.console import err, out, print_json
from headcount.cli.outputs import check_runs
from headcount.cli.secrets import secrets_for
from headcount.errors import ExitCode, InputError

if TYPE_CHECKING:
    from headcount.bundle.latency import LatencyPoint
    from headcount.controller.shares.latency import LatencyExperiment

USUAL_DURATION = "20s"
USUAL_REPEATS = 3


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for; None is the default."""

    latencies: str
    users: int
    repeats: int | None
    duration: str | None
    seed: int | None


def measure(
    target: str | None,
    wanted: Wanted,
    settings: tuple[dict[str, str], dict[str, str]],
    others: Mapping[str, bool],
    runs: Path,
    *,
    json: bool,
) -> None:
    """Measure the costs of a connection at each latency, and print them.

    `settings` are the lab server's and the client's. `others` has options that mean nothing here,
    and whether each was given.
    """
    # The engine and statistics take half a second to load; other verbs do not need them.
    from headcount import workloads
    from headcount.controller.shares.latency import LOADS, LatencyExperiment, check_target

    check_target(target)
    for option, given in others.items():
        if given:
            raise InputError(f"--latency and {option} exclude each other; give one of them")
    repeats = USUAL_REPEATS if wanted.repeats is None else wanted.repeats
    if repeats < 2:
        raise InputError("--repeats is 1: intervals need two or more repeats of each latency")
    assert target is not None
    server, client = settings
    experiment = LatencyExperiment(
        workload=workloads.load(LOADS[target].workload),
        target=target,
        latencies=_latencies(wanted.latencies),
        users=wanted.users,
        repeats=repeats,
        duration=wanted.duration or USUAL_DURATION,
        seed=1 if wanted.seed is None else wanted.seed,
        runs=runs,
        server=server,
        client=client,
    )
    check_runs(runs)
    _measure(experiment, json=json)


def _measure(experiment: "LatencyExperiment", *, json: bool) -> None:
    from headcount.controller.listener import Silent
    from headcount.controller.shares.latency import LatencyRun, latency_plan
    from headcount.report.terminal import latency as report

    secrets = secrets_for(latency_plan(experiment, 0, min(experiment.latencies)), None, None)
    run = LatencyRun(experiment, secrets)
    starts = experiment.repeats * len(experiment.latencies)
    if not json:
        text = f"Playing {experiment.users:,} users with each latency: {starts} starts"
        err.print(text, markup=False)
    done: list[LatencyPoint] = []

    def on_point(point: "LatencyPoint") -> None:
        done.append(point)
        if not json:
            err.print(f"  {len(done)}/{starts}  {_line(point)}", markup=False)

    found = run.measure(Silent(), on_point)
    if json:
        print_json({**found.model_dump(mode="json"), "folder": str(run.folder)})
    else:
        report.show(found, out)
        out.print(f"Results: {run.folder}", markup=False)
    if found.outcome == "interrupted":
        raise typer.Exit(ExitCode.INTERRUPTED)


def _line(point: "LatencyPoint") -> str:
    """The result of one start of the server, printed while others follow."""
    from headcount.analyse.latency import latency_text
    from headcount.text import storage

    held = storage(point.during.socket_bytes)
    return (
        f"{latency_text(point.latency_s):>8}  {point.achieved_per_s:.3g} scenarios/s  "
        f"sockets {held}  {point.outcome}"
    )


def _latencies(text: str) -> dict[float, str]:
    """The text of each latency in a comma-separated list, by its seconds."""
    from headcount.plan.line_limits import time_s

    found = {}
    for word in (one.strip() for one in text.split(",")):
        is_none = word in ("0", "0ms", "0s")
        found[0.0 if is_none else time_s(word, "--latency")] = word
    if len(found) < 2:
        raise InputError(
            f'--latency is "{text}"; write two or more, which are compared with the shortest: '
            "--latency 0,15ms,100ms"
        )
    return found
