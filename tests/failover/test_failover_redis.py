"""The ledger in a real Redis, which keeps what it acknowledged or does not, as it is set."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from headcount.bundle import failover as record
from headcount.errors import TargetError
from headcount.failover.ledger.redis import RedisStore
from headcount.lab.redis import RedisServer
from processes import Headcount, wait_for


def target(server: RedisServer, **changed: object) -> str:
    options: dict[str, Any] = {
        "address": server.address,
        "tls": server.authority is not None,
        "verify_certificates": str(server.authority) if server.authority else True,
        **changed,
    }
    return json.dumps(options)


@pytest.mark.parametrize("tls", ["off", "on"])
def test_rows_are_written_and_read_back(tls: str) -> None:
    server = RedisServer({"tls": tls})
    try:
        assert server.forgets, "nothing of it is on disk"
        store = RedisStore(target(server, database=3))
        store.begin()
        assert (store.newest(0), store.kept()) == (0, {})
        for number in (1, 2, 3):
            store.write(0, number)
        store.write(12, 1)
        assert (store.newest(0), store.newest(12), store.newest(1)) == (3, 1, 0)
        assert store.kept() == {0: frozenset({1, 2, 3}), 12: frozenset({1})}
        other = RedisStore(target(server))
        assert other.kept() == {}, "another database"
        other.close()
        store.remove()
        assert store.kept() == {}
        store.close()
        store.close()
        with pytest.raises(TargetError, match="Redis does not answer HSET"):
            store.write(0, 4)
        with pytest.raises(TargetError, match="Redis refuses: WRONGPASS"):
            RedisStore(target(server, user="nobody", password="wrong"))  # noqa: S106 - of nobody
    finally:
        server.stop()
    with pytest.raises(TargetError, match="does not answer"):
        RedisStore(target(server))


@pytest.mark.parametrize(("settings", "is_gone"), [((), True), (("appendonly=yes",), False)])
def test_a_killed_redis_keeps_what_it_logs(
    headcount: Headcount, settings: tuple[str, ...], is_gone: bool
) -> None:
    """Its log is written before it answers, and outlives the process even if it is not synced."""
    given = [word for one in settings for word in ("--set", one)]
    ended = headcount.run(
        *("failover", "ycsb-a", "--target", "lab:redis", *given, "--scale", "0.01"),
        *("--users", "5", "--pace", "uniform:0.1s..0.3s", "--fault", "kill", "--repeat", "1"),
        *("--recover-after", "1s", "--at", "2s", "--after", "2s", "--calm", "1s"),
        *("--longest", "6s", "--settle", "1s", "--json"),
    )
    assert ended.code in (0, 4), ended
    (one,) = json.loads(ended.out)["outages"]
    writes = one["writes"]
    assert writes["acknowledged"] > 100, one
    assert (writes["gone"] > 100) == is_gone, one
    assert writes["gone"] > 100 or writes["gone"] == 0, one


def test_ctrl_c_while_the_server_is_not_ready_yet_keeps_the_outage(
    headcount: Headcount, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    started = headcount.start(
        *("failover", "ycsb-a", "--target", "lab:redis", "--set", "appendonly=yes"),
        *("--scale", "0.01", "--users", "5", "--pace", "uniform:0.1s..0.3s", "--fault", "kill"),
        *("--repeat", "2", "--recover-after", "1s", "--at", "2s", "--after", "2s", "--calm", "1s"),
        *("--settle", "1s", "--ready", f"touch {asked}; false"),
    )
    wait_for(asked.exists)
    started.send(signal.SIGINT)
    ended = started.ended()
    assert ended.code == 130, ended
    found = record.read(headcount.bundles()[-1])
    assert found is not None
    (one,) = found.outages
    assert (found.ending, one.outcome, one.writes) == ("interrupted", "measured", None)
