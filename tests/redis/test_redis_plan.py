"""Redis in plans: targets, who the users are, and the keys."""

import pytest

from headcount import workloads
from headcount.errors import InputError
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import parse
from headcount.protocols.redis import Keys, redis_client

YCSB = {"ycsb-a": {"read": 50, "update": 50}, "ycsb-b": {"read": 95, "update": 5}}


def plan(target: str = "redis://127.0.0.1", **overrides: object) -> Plan:
    values = Overrides(users=2, **overrides)  # type: ignore[arg-type]
    return resolve(workloads.load("ycsb-a"), target, values)


@pytest.mark.parametrize(
    ("text", "host", "port", "database", "is_tls"),
    [
        ("redis://cache.example", "cache.example", 6379, "0", False),
        ("redis://cache.example/3", "cache.example", 6379, "3", False),
        ("rediss://[::1]:6380/0", "::1", 6380, "0", True),
    ],
)
def test_targets_name_a_host_and_perhaps_a_database(
    text: str, host: str, port: int, database: str, *, is_tls: bool
) -> None:
    found = parse(text)
    assert (found.protocol, found.host, found.port) == ("redis", host, port)
    assert (found.database, found.is_tls) == (database, is_tls)


@pytest.mark.parametrize("text", ["redis://h/cache", "redis://h/-1", "redis://h/0/1"])
def test_a_database_is_a_number(text: str) -> None:
    with pytest.raises(InputError, match="the number of a database, as in redis://host/1"):
        parse(text)


def test_a_password_in_a_target_is_not_repeated() -> None:
    with pytest.raises(InputError) as refused:
        parse("redis://:secret@cache/0")
    assert "has no user name and no password" in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(("name", "shares"), YCSB.items())
def test_shares_are_ycsbs(name: str, shares: dict[str, int]) -> None:
    scenarios = workloads.load(name).scenarios
    assert {one.name: one.weight for one in scenarios} == shares


def test_workload_c_only_reads() -> None:
    (one,) = workloads.load("ycsb-c").scenarios
    assert one.steps[0].op == "get"


def test_keys_are_scaled_and_keep_their_values() -> None:
    keys = plan().workload.table(Keys)
    assert keys is not None
    assert (keys.count, keys.value_size, keys.seed) == (100_000, 1000, 1)
    assert keys.scaled(0.01).engine_form() == {"keys": 1000, "value_bytes": 1000, "seed": 1}
    assert keys.scaled(1e-9).count == 1


@pytest.mark.parametrize(("size", "part"), [(23, "24 bytes to 16 MiB"), ("17MiB", "17MiB")])
def test_sizes_of_values_have_bounds(size: int | str, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        Keys(count=1, value_size=size)


def test_a_workload_of_keys_needs_them() -> None:
    values = workloads.load("ycsb-a").model_dump(mode="json", exclude_none=True)
    del values["keys"]
    with pytest.raises(ValueError, match=r'the protocol "redis" needs a \[keys\]'):
        type(workloads.load("ycsb-a")).model_validate(values)


def test_client_keys_reach_the_engine() -> None:
    assert redis_client({"user": "ada", "tls": "on", "verify": "off"}).engine_form() == {
        "user": "ada",
        "tls": True,
        "verify_certificates": True,
        "verify": False,
    }
    with pytest.raises(InputError, match="there is no such key"):
        redis_client({"signing": "on"})
