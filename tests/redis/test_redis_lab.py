"""Redis in the lab: a real one, spoken to with redis-cli."""

import json

import pytest

from headcount import _engine
from headcount.errors import InputError, TargetError
from headcount.lab.redis import REDIS, RedisServer
from headcount.protocols.registry import start_lab
from processes import owners, processes_with
from redis_server import serving

pytestmark = pytest.mark.e2e


def target(address: str, **options: object) -> str:
    data_set = {"keys": 50, "value_bytes": 100, "seed": 1}
    return json.dumps({"address": address, "data_set": data_set, **options})


def test_redis_has_its_settings_and_leaves_nothing() -> None:
    with serving(maxmemory_mib="32", maxmemory_policy="allkeys-lru", appendonly="yes") as store:
        assert store.cli("ping") == "PONG"
        assert store.cli("config", "get", "maxmemory").split()[1] == str(32 << 20)
        assert store.cli("config", "get", "maxmemory-policy").split()[1] == "allkeys-lru"
        assert store.cli("config", "get", "appendonly").split()[1] == "yes"
        assert store.cli("config", "get", "save") == "save"
        hello = json.loads(_engine.hello("redis", target(store.server.address)))
        assert hello["version"] == store.server.programs["redis"]
        assert dict(hello["settings"])["maxmemory"] == "32.00M"
        home = store.server.home
        assert home.is_dir()
    assert not home.exists()
    assert processes_with(str(home)) == []
    with pytest.raises(TargetError, match="no connection"):
        _engine.hello("redis", target(store.server.address))


def test_redis_does_not_run_as_root() -> None:
    with serving() as store:
        assert 0 not in owners(store.server.pids)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"jitter": "on"}, "lab:redis has no setting jitter; it has: io_threads, maxclients"),
        ({"appendfsync": "often"}, 'appendfsync is "often"; it can be: always, everysec, no'),
        ({"io_threads": "0"}, 'io_threads is "0"; it can be: 1 to 128'),
    ],
)
def test_unknown_settings_and_values_are_refused(settings: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        start_lab("redis", settings)
    with pytest.raises(InputError, match=message):
        RedisServer.check_settings(settings)


def test_defaults_are_among_what_is_accepted() -> None:
    RedisServer.check_settings({key: one.default for key, one in REDIS.items()})


def test_the_tls_setting_turns_tls_on() -> None:
    with serving(tls="on") as store:
        assert store.cli("ping") == "PONG"
        trusted = {"tls": True, "verify_certificates": str(store.server.authority)}
        hello = json.loads(_engine.hello("redis", target(store.server.address, **trusted)))
        assert hello["tls"].startswith("TLSv1_3")
        with pytest.raises(TargetError, match="certificate"):
            _engine.hello("redis", target(store.server.address, tls=True))
