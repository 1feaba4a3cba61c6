"""`python -m bench`: measure, print, and write a file if asked."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from bench.application import application
from bench.dbench import dbench
from bench.disk import disk
from bench.engine import steps, users
from bench.figure import Figure, show
from bench.files import files
from bench.gate.command import main as gate
from bench.home_folders import home_folders
from bench.journey import journey
from bench.machine import described, load, wait_until_quiet
from bench.mail import mail
from bench.mail_server import mail_server
from bench.peers import locust
from bench.recorder import recorder
from bench.redis import redis
from bench.sampling import sampling
from bench.smb import smb
from bench.sort import sort
from bench.sql import sql
from bench.stalls import stalls
from bench.start_up import start_up
from bench.web import web
from bench.web_stalls import web_stalls

WIDTH = 100
"""Columns of the tables if the output is not a terminal."""

SUBJECTS: Mapping[str, tuple[str, Callable[[], list[Figure]]]] = {
    "step": ("CPU of a null step", steps),
    "users": ("Users who mostly think, one worker", users),
    "recorder": ("What recording hundreds of scenarios costs users who wait", recorder),
    "truth": ("Response times when the server stands still for 1 s of each 10 s", stalls),
    "locust": ("A user who does nothing, beside Locust", locust),
    "request": ("CPU of the application server's client for a request", application),
    "smb": ("CPU of the SMB client for an operation, beside smbtorture", smb),
    "files": ("CPU for an operation on files, with io_uring and with threads", files),
    "web": ("CPU of the HTTP client for a request, beside wrk, h2load, oha and k6", web),
    "journey": (
        "CPU of a step that takes a value from a reply, beside wrk, k6, Locust, Goose",
        journey,
    ),
    "web-truth": ("The same of a web server, beside oha, h2load and k6", web_stalls),
    "redis": ("CPU of the Redis client for a GET, beside redis-benchmark", redis),
    "sql": ("CPU of the PostgreSQL client for a statement, beside pgbench", sql),
    "mail": ("CPU of the clients of mail, beside async-imap and smtp-source; a day of users", mail),
    "mail-server": ("10,000 users of mail on a Dovecot of this machine", mail_server),
    "disk": ("Disk I/O, beside fio on the same file (in brackets: quartiles of the ratio)", disk),
    "sort": ("Sorting 300 MB with two threads, beside GNU sort and DuckDB", sort),
    "dbench": ("A load file on a folder in memory, beside dbench", dbench),
    "sampling": ("CPU of sampling counters once a second", sampling),
    "start-up": ("CPU to start", start_up),
    "home-folders": ("The workload home-folders, beside what FSCT published", home_folders),
}

ON_REQUEST = {"mail-server"}
"""Subjects that are only measured on request: they take long, and much of the machine."""


def main() -> None:
    """Measures the subjects asked for, all but those on request by default, or runs the gate."""
    if sys.argv[1:2] == ["gate"]:
        sys.exit(gate(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument(
        "--patience",
        type=float,
        default=120.0,
        metavar="S",
        help="wait so long for a quiet machine",
    )
    options = parser.parse_args()
    unknown = set(options.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no subject is called {min(unknown)}; there are: {', '.join(SUBJECTS)}")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    usual = [subject for subject in SUBJECTS if subject not in ON_REQUEST]
    report = measure(options.subjects or usual, options.patience, console)
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def measure(subjects: list[str], patience_s: float, console: Console) -> dict[str, object]:
    """Measure and print subjects, waiting for a quiet machine before each; returns the report."""
    machine = described()
    console.print(f"{machine['processors']} processors, {machine['system']} {machine['kernel']}")
    console.print("Figures are noisy; only ratios within one run mean something.\n")
    measured: list[dict[str, object]] = []
    for subject in subjects:
        title, take = SUBJECTS[subject]
        before = wait_until_quiet(patience_s)
        figures = take()
        after = load()
        stolen_s = after.stolen_s - before.stolen_s
        averages = f"load {before.average:.2f} before, {after.average:.2f} after"
        show(f"{title} ({subject}; {averages}, {stolen_s:.1f} s stolen)", figures, console)
        measured.append(
            {
                "subject": subject,
                "load_before": before.average,
                "load_after": after.average,
                "stolen_s": stolen_s,
                "figures": [figure.as_json() for figure in figures],
            }
        )
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return {"measured_at": at, "machine": machine, "subjects": measured}


if __name__ == "__main__":
    main()
