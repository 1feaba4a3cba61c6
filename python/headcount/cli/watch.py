"""`headcount watch`: the counters of machines, servers, runs and logs, as they come."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.console import err, out
from headcount.cli.grouped import grouped
from headcount.cli.outputs import check_log
from headcount.fields import units

EPILOG = "Start with: headcount watch"

LEAST_S, MOST_S = 0.1, 3600.0
"""Accepted intervals; shorter ones would measure the sampler."""


@dataclass(frozen=True)
class Shown:
    """What is watched, and how long."""

    source: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="A machine: local, ssh://[user@]host, http://host:9100/metrics. Repeatable.",
        ),
    ] = None
    counters: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Counters to show, by name, label or pattern: 'system.cpu.*'."
        ),
    ] = None
    interval: Annotated[str, typer.Option(help="Time between samples, from 100ms to 1h.")] = "1s"
    for_: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="Stop after this time, such as 10m.")
    ] = None
    alert: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION", help="Alert on: 'system.cpu.utilization>0.9', 'CPU busy>90%'."
        ),
    ] = None
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all counters to this log.")
    ] = None


@grouped
def watch(
    shown: Shown,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[TARGET]",
            help="What to watch: a server on this machine (http://127.0.0.1:8080, lab:nginx), the "
            "folder of a run in progress, or a counter log. Default: this machine.",
        ),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print lines instead of a full screen.")
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List the counters with their meanings, and exit.")
    ] = False,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print one line of JSON per sample; also readable as a log."),
    ] = False,
) -> None:
    """Watch counters live: chart, alerts, log and report.

    Re-creates Windows NT's Performance Monitor in a terminal. Keys are shown at the bottom, and ?
    lists all of them. Ctrl-C ends and keeps the log, which headcount diagnose reads.
    """
    from headcount.cli import watching

    if shown.log is not None:
        check_log(shown.log)
    interval_s = units.seconds(shown.interval, "--interval")
    for_s = None if shown.for_ is None else units.seconds(shown.for_, "--for")
    asked = watching.Asked(
        target=target,
        sources=tuple(shown.source or ()),
        counters=tuple(shown.counters or ()),
        alerts=tuple(shown.alert or ()),
        interval_s=watching.checked(interval_s, LEAST_S, MOST_S),
        for_s=for_s,
        log=shown.log,
    )
    if list_:
        watching.list_counters(asked, json=json)
    elif json or plain or not (out.is_terminal and err.is_terminal and sys.stdin.isatty()):
        watching.print_lines(asked, json=json)
    else:
        watching.show(asked)
