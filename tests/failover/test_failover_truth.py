"""Outages of known length, measured as users feel them, on the command line."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from failover_site import HELLO, hello_nginx

from headcount.analyse.outage.felt import Limits, felt
from headcount.analyse.outage.slot import Slot
from headcount.bundle import failover as record
from headcount.bundle import moments
from headcount.lab import port
from processes import Headcount

OUTAGES = ("drop:0.2", "stall:0.2", "drop:1", "stall:1", "drop:5", "stall:5")
LONG = ("drop:30", "stall:30")
PATIENCE = '[run]\nstep_timeout = "60s"\n'
"""Of users: nobody gives up before the longest outage is over."""
LEAST = 4
"""Repetitions that must count and be exact: on a busy machine users may be late before the fault,
and later than the server after it."""
PROXY = Path(__file__).with_name("outage_proxy.py")


@contextmanager
def proxy(server_port: int, folder: Path, outages: tuple[str, ...]) -> Iterator[tuple[int, Path]]:
    """A proxy in front of a server: its port, and the FIFO that takes orders."""
    number, fifo = port.free(), folder / "orders"
    os.mkfifo(fifo)
    command = [str(number), str(server_port), str(fifo), str(folder / "outages"), *outages]
    with subprocess.Popen([sys.executable, str(PROXY), *command], stdout=subprocess.PIPE) as one:
        try:
            assert one.stdout is not None
            assert one.stdout.readline() == b"ready\n"
            yield number, fifo
        finally:
            one.kill()


@pytest.mark.e2e
@pytest.mark.timeout(400)
def test_outages_are_measured_within_a_tenth_of_a_second(
    headcount: Headcount, tmp_path: Path, proof: bool
) -> None:
    outages = (*OUTAGES, *LONG) if proof else OUTAGES
    workload = tmp_path / "hello.toml"
    workload.write_text(HELLO.replace("[run]\n", PATIENCE))
    with (
        hello_nginx(tmp_path) as server_port,
        proxy(server_port, tmp_path, outages) as (number, fifo),
    ):
        ended = headcount.run(
            *("failover", str(workload), "--target", f"http://127.0.0.1:{number}/"),
            *("--users", "40", "--repeat", str(len(outages)), "--at", "2s", "--after", "1s"),
            *("--calm", "2s", "--settle", "1s", "--fault", f"printf x > {fifo}", "--json"),
        )
    assert ended.code == 0, ended
    found = json.loads(ended.out)
    real = [line.split() for line in (tmp_path / "outages").read_text().splitlines()]
    assert [one[0] for one in real] == [one.split(":")[0] for one in outages]
    assert sum(one["outcome"] == "measured" for one in found["outages"]) >= LEAST, found
    exact = 0
    for (kind, length), one in zip(real, found["outages"], strict=True):
        if one["outcome"] != "measured":
            assert one["reasons"] == ["users were not served within their limits before the fault"]
            continue
        # Refused users try again after a tenth of a second or more.
        longer = [one["silent_s"] - float(length), one["served_s"] - float(length)]
        assert longer[0] >= -0.1, (kind, length)
        assert longer[1] >= -0.35, (kind, length)
        exact += longer[0] <= 0.1 and longer[1] <= 0.35
        assert (one["lost"] > 0) == (kind == "drop"), kind
        assert one["users_lost"] == 0
    assert exact >= LEAST, found
    # The record follows from the files of the bundle.
    bundle = headcount.bundles()[-1]
    kept = record.read(bundle)
    assert kept is not None
    assert len(kept.outages) == len(outages)
    limits = Limits(kept.users, kept.allowed, 2.0)
    for one in kept.outages:
        rows = moments.read(bundle, one.level)
        assert rows is not None
        slots = [Slot(*row) for row in rows]
        seen = (slots[0].at_s, one.injected_s + one.watched_s)
        again = felt(slots, one.injected_s, seen, kept.slot_s, limits)
        assert again.silent_s == pytest.approx(one.silent_s, abs=0.02)
        assert again.lost == one.lost
