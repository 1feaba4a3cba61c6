"""What Redis's errors mean, by its own words."""

import pytest

from headcount.analyse.failures import cause_of

MEANT = [
    ("refused", "OOM command not allowed when used memory > 'maxmemory'.", "redis-memory"),
    ("connect", "ERR max number of clients reached", "redis-clients"),
    ("refused", "READONLY You can't write against a read only replica.", "redis-replica"),
    ("refused", "MOVED 3999 127.0.0.1:6381", "redis-cluster"),
    ("refused", "CLUSTERDOWN The cluster is down", "redis-cluster"),
    ("refused", "LOADING Redis is loading the dataset in memory", "redis-loading"),
    ("refused", "MISCONF Redis is configured to save RDB snapshots", "redis-snapshot"),
    ("refused", "BUSY Redis is busy running a script.", "redis-busy"),
    ("refused", "NOPERM this user has no permissions to run the 'set' command", "redis-rights"),
    ("login", "127.0.0.1:6379: NOAUTH Authentication required.", "redis-password"),
    ("login", "WRONGPASS invalid username-password pair or user is disabled.", "redis-password"),
    ("login", "ERR invalid password", "redis-password"),
    ("wrong-data", "GET of key 7: the key is not there", "redis-key-gone"),
    ("wrong-data", "the value of key 7 is damaged from byte 56 on", "wrong-data"),
]


@pytest.mark.parametrize(("kind", "message", "rule"), MEANT)
def test_errors_of_redis_are_explained(kind: str, message: str, rule: str) -> None:
    assert cause_of(kind, message).id == rule


def test_errors_of_others_are_not_taken_for_those_of_redis() -> None:
    assert not cause_of("refused", "RCPT TO: 450 4.2.0 busy now").id.startswith("redis")
    assert not cause_of("refused", "smtp: busy now").id.startswith("redis")
