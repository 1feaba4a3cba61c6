"""`lab:ha-postgresql` and the ledger, from the installed command."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from processes import Headcount

SHOP = """
name = "shop"
title = "Reads and writes"
protocol = "sql"
criteria = ["errors<1%"]
discussion = { documents = 100, categories = 4, body_size = 200, people = 100 }

[pace]
kind = "open"
time = { draw = "uniform", low = "200ms", high = "600ms" }

[[scenarios]]
name = "read"
weight = 3
limit = "1s"
steps = [{ name = "read", op = "read-document" }]

[[scenarios]]
name = "write"
weight = 1
limit = "1s"
steps = [{ name = "write", op = "update-document", bytes = 100 }]

[run]
ramp = "1s"
duration = "10s"
"""
SOON = [
    *("--set", "ttl_s=8", "--set", "loop_wait_s=2", "--set", "retry_timeout_s=3"),
    *("--set", "check_ms=500", "--repeat", "1", "--at", "3s", "--settle", "2s", "--calm", "2s"),
]
"""A lease of eight seconds, and looks for the primary twice a second."""


@pytest.fixture
def shop(tmp_path: Path) -> str:
    file = tmp_path / "shop.toml"
    file.write_text(SHOP, "utf-8")
    return str(file)


def only_outage(
    headcount: Headcount, shop: str, fault: str, arguments: Sequence[str]
) -> dict[str, Any]:
    """The only outage of a failover."""
    ended = headcount.run(
        *("failover", shop, "--target", "lab:ha-postgresql", "--users", "20", *SOON),
        *("--fault", fault, *arguments, "--json"),
    )
    assert ended.code == 0, ended
    found: dict[str, Any] = json.loads(ended.out)
    (one,) = found["outages"]
    assert one["outcome"] == "measured", one
    assert one["users_lost"] == 0
    return {**one, "fault": found["fault"]}


def test_a_killed_primary_is_replaced_when_its_lease_has_run_out(
    headcount: Headcount, shop: str
) -> None:
    """After the lease of 8 s at the earliest: it was renewed 2 s before the fault, or less."""
    one = only_outage(headcount, shop, "kill", ["--after", "5s"])
    assert one["fault"] == "kill the primary node (SIGKILL)"
    assert one["silent_s"] > 5
    assert one["served_s"] is not None
    assert one["log_ons"] == 20
    assert one["writes"]["acknowledged"] > 100


@pytest.mark.parametrize("replication", ["async", "sync"])
def test_a_primary_that_is_cut_off_loses_acknowledged_writes_unless_it_waits_for_the_standby(
    headcount: Headcount, shop: str, replication: str
) -> None:
    one = only_outage(
        headcount, shop, "isolate", ["--after", "14s", "--set", f"replication={replication}"]
    )
    writes = one["writes"]
    assert writes["acknowledged"] > 100
    if replication == "sync":
        assert writes["gone"] == 0
        return
    assert writes["gone"] > 10
    assert -1 < writes["gone_from_s"] < writes["gone_to_s"]


def test_rows_are_written_only_where_they_can_be_read_back(headcount: Headcount) -> None:
    ended = headcount.run(
        *("failover", "web-static", "--target", "lab:nginx", "--users", "5"),
        *("--fault", "kill", "--writers", "2"),
    )
    assert ended.code == 2, ended
    assert (
        "--writers 2: rows can be written and read back at redis://host/0, smb://host/share and "
        "postgresql://host/database only"
    ) in ended.err


def test_a_lease_that_cannot_be_renewed_in_time_is_refused(headcount: Headcount, shop: str) -> None:
    ended = headcount.run(
        *("failover", shop, "--target", "lab:ha-postgresql", "--users", "5"),
        *("--fault", "kill", "--set", "ttl_s=20"),
    )
    assert ended.code == 2, ended
    assert "ttl_s is 20, and must be at least loop_wait_s + 2 * retry_timeout_s, which is 30" in (
        " ".join(ended.err.split())
    )
