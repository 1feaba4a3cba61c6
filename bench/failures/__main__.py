"""`python -m bench.failures`: break servers, run Headcount as users do, judge its answers."""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.failures.case import PASSWORD, Case, cases
from bench.failures.certificates import AUTHORITY
from bench.failures.judge import Judged, judged
from bench.failures.mail import DOMAIN, mail
from bench.failures.samba import samba
from bench.failures.servers import nginx, postgresql, raw
from bench.failures.workload import workload

LONGEST_S = 300.0
"""A run that takes longer than a quick look has failed."""
WORKLOADS = {
    "samba": ["home-folders", "--scale", "0.02"],
    "mail": ["mail-light", "--compress", "120", "--start-users", "10", "--max-users", "10"],
}
"""Headcount's own workloads, where users would use them; mail so often that a minute has some."""


def main(arguments: Sequence[str]) -> int:
    """Play the cases; returns 0, or 1 where an answer was wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.failures", description=__doc__)
    parser.add_argument("--part", choices=("develop", "held-out"), help="only these")
    parser.add_argument("--only", nargs="+", metavar="WORD", help="cases with a word in the name")
    parser.add_argument("--keep", type=Path, help="folder for what Headcount printed")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers end with their blocks
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    found = [
        play(case, options.keep)
        for case in cases()
        if options.part in (None, case.part)
        and (not options.only or any(word in case.name for word in options.only))
    ]
    if options.keep is not None:
        lines = [json.dumps(_record(one)) + "\n" for one in found]
        (options.keep / "judged.ndjson").write_text("".join(lines), "utf-8")
    right = sum(one.is_right for one in found)
    print(f"{right} of {len(found)} explained")
    return 0 if right == len(found) else 1


def play(case: Case, keep: Path | None = None) -> Judged:
    """Break a server, let Headcount look at it, and judge, print and keep the result."""
    with tempfile.TemporaryDirectory() as name, serving(case, Path(name)) as target:
        file = Path(name) / "broken.toml"
        if case.server not in WORKLOADS:
            file.write_text(workload(case), "utf-8")
        words = WORKLOADS.get(case.server, [str(file)])
        command = [str(Path(sys.executable).with_name("headcount")), "run", *words, *target]
        command += ["--quick", "--budget", "1m", "--runs", f"{name}/runs"]
        begun = time.monotonic()
        done = subprocess.run(
            command,
            env={**os.environ, "HEADCOUNT_PASSWORD": PASSWORD, "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=LONGEST_S,
        )
    if keep is not None:
        (keep / f"{case.name}.txt").write_text(done.stdout, "utf-8")
    one = judged(case, done.returncode, done.stdout, time.monotonic() - begun)
    mark = "right" if one.is_right else "WRONG"
    print(f"{mark}  {one.seconds:5.1f} s  exit {one.code}  {case.part:8}  {case.name}", flush=True)
    for pattern in one.missing:
        print(f"       does not say {pattern}")
    for pattern in one.wrong:
        print(f"       says {pattern}")
    return one


@contextlib.contextmanager
def serving(case: Case, folder: Path) -> Iterator[list[str]]:
    """How a user names the target of a case, whose server runs as long as the block."""
    place = folder / "server"
    place.mkdir()
    folder.chmod(0o711)
    if case.server == "nginx":
        with nginx(case, place) as address:
            target = ["--target", f"{case.scheme}://{address}"]
            if case.trusted:
                target += ["--client", f"verify_certificates={place}/{AUTHORITY}"]
            yield target
    elif case.server == "raw":
        with raw(case) as address:
            yield ["--target", f"http://{address}"]
    elif case.server == "samba":
        with samba(case, place) as address:
            yield ["--target", f"smb://{address}/{case.share}"]
    elif case.server == "mail":
        with mail(case, place) as (imap, smtp):
            client = ["--client", f"domain={DOMAIN}", "--client", f"smtp=smtp://{smtp}"]
            yield ["--target", f"imap://{imap}", *client]
    else:
        with postgresql(case, place) as address:
            yield ["--target", f"postgresql://{address}", "--user", "shop"]


def _record(one: Judged) -> dict[str, object]:
    return {
        "name": one.case.name,
        "part": one.case.part,
        "right": one.is_right,
        "code": one.code,
        "missing": one.missing,
        "wrong": one.wrong,
        "seconds": round(one.seconds, 1),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
