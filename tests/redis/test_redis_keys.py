"""The keys on a real Redis: made, checked, repaired and deleted, and nothing else touched."""

import json
from collections.abc import Iterator

import pytest

from headcount import _engine
from headcount.errors import InputError, TargetError
from headcount.failover.ledger.redis import RedisStore
from redis_server import Store, serving

pytestmark = pytest.mark.e2e

KEYS, BYTES = 3000, 1000
RIGHT, WRONG = {"password": "right"}, {"password": "wrong-one"}


@pytest.fixture(scope="module")
def server() -> Iterator[Store]:
    with serving() as store:
        yield store


@pytest.fixture
def store(server: Store) -> Store:
    server.cli("flushall")
    return server


def target(store: Store, **options: object) -> str:
    data_set = {"keys": KEYS, "value_bytes": BYTES, "seed": 1}
    return json.dumps({"address": store.server.address, "data_set": data_set, **options})


def prepared(store: Store, *, read_through: bool = False, **options: object) -> dict[str, int]:
    text = _engine.prepare("redis", target(store, **options), 0, 0, lambda _: None, read_through)
    made: dict[str, int] = json.loads(text)
    return made


def cleaned(store: Store) -> dict[str, object]:
    done: dict[str, object] = json.loads(
        _engine.cleanup("redis", target(store), 0, 0, lambda _: None)
    )
    return done


def test_keys_are_made_once_and_only_they_are_deleted(store: Store) -> None:
    store.cli("set", "theirs", "42")
    assert prepared(store) == {"made_keys": KEYS, "written_bytes": KEYS * BYTES}
    assert store.cli("dbsize") == str(KEYS + 2)
    assert store.cli("strlen", "headcount:000002999") == str(BYTES)
    assert prepared(store) == {"made_keys": 0, "written_bytes": 0}
    assert cleaned(store) == {"found": True, "keys": KEYS}
    assert store.cli("keys", "*") == "theirs"
    assert cleaned(store) == {"found": False, "keys": 0}


def test_keys_that_users_wrote_after_the_server_lost_all_are_known(store: Store) -> None:
    prepared(store)
    store.cli("flushall")
    store.cli("set", "headcount:000000001", "of a user")
    ledger = RedisStore(target(store))
    ledger.write(0, 1)
    ledger.remove()
    assert cleaned(store) == {"found": True, "keys": 1}
    prepared(store)
    ledger.remove()
    ledger.close()
    assert prepared(store) == {"made_keys": 0, "written_bytes": 0}, "its marker is as it was"
    assert cleaned(store) == {"found": True, "keys": KEYS}


def test_reading_through_repairs_missing_and_damaged_keys(store: Store) -> None:
    prepared(store)
    store.cli("del", "headcount:000000007")
    store.cli("setrange", "headcount:000000008", "500", "XXXX")
    store.cli("append", "headcount:000000009", "more")
    assert prepared(store)["made_keys"] == 0
    assert prepared(store, read_through=True)["made_keys"] == 3
    assert prepared(store, read_through=True)["made_keys"] == 0


def test_another_data_set_takes_the_place_of_the_first(store: Store) -> None:
    prepared(store)
    other = {"keys": 10, "value_bytes": 24, "seed": 2}
    assert prepared(store, data_set=other)["made_keys"] == 10
    assert store.cli("dbsize") == "11"


def test_keys_of_others_with_the_same_names_are_kept(store: Store) -> None:
    store.cli("set", "headcount:000000001", "theirs")
    with pytest.raises(InputError, match="they are not Headcount's; give another database"):
        prepared(store)
    assert store.cli("keys", "*") == "headcount:000000001"
    assert prepared(store, database=1)["made_keys"] == KEYS
    store.cli("flushall")


def test_an_unfinished_data_set_is_made_again(store: Store) -> None:
    def stop(_text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _engine.prepare("redis", target(store), 0, 0, stop, False)
    assert "unfinished" in store.cli("get", "headcount:data-set")
    assert prepared(store)["made_keys"] == KEYS


@pytest.mark.parametrize("user", ["", "ada"])
def test_a_refused_log_on_is_an_error_of_the_input(user: str) -> None:
    with serving() as closed:
        if user:
            closed.cli("acl", "setuser", user, "on", ">right", "~headcount:*", "+@all")
        closed.cli("config", "set", "requirepass", "right")
        options = {"user": user}
        with pytest.raises(InputError, match="NOAUTH"):
            _engine.hello("redis", target(closed, **options))
        with pytest.raises(InputError, match="WRONGPASS") as refused:
            _engine.hello("redis", target(closed, **options, **WRONG))
        assert "wrong-one" not in str(refused.value)
        hello = json.loads(_engine.hello("redis", target(closed, **options, **RIGHT)))
        assert hello["version"] == closed.server.programs["redis"]


def test_a_full_memory_is_the_servers_error() -> None:
    with serving(maxmemory_mib="3") as small, pytest.raises(TargetError, match="OOM"):
        prepared(small)
