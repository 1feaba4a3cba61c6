"""Databases in plans: targets, who their users are, and the data set."""

import pytest

from headcount import workloads
from headcount.errors import InputError
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import parse
from headcount.protocols.discussion import Discussion
from headcount.protocols.sql import sql_client

TARGET = "postgresql://127.0.0.1/shop"


def plan(**overrides: object) -> Plan:
    values = Overrides(users=2, **overrides)  # type: ignore[arg-type]
    return resolve(workloads.load("notes-discussion"), TARGET, values)


def test_targets_name_a_host_and_a_database() -> None:
    found = parse("postgresql://db.example.com/my%20shop")
    assert (found.protocol, found.host, found.port) == ("sql", "db.example.com", 5432)
    assert found.database == "my shop"
    assert parse("postgresql://[::1]:5433/shop").port == 5433
    assert parse("lab:postgresql").protocol == "sql"


@pytest.mark.parametrize(
    "text",
    ["postgresql://db", "postgresql://db/", "postgresql://db/a/b", "postgresql://db/a?sslmode=on"],
)
def test_invalid_targets_are_refused_with_a_valid_example(text: str) -> None:
    with pytest.raises(InputError, match=r"must name one database, as in postgresql://server/shop"):
        parse(text)


def test_a_password_in_a_target_is_not_repeated() -> None:
    with pytest.raises(InputError) as refused:
        parse("postgresql://ada:secret@db/shop")
    assert "has no user name and no password" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_client_keys_reach_the_engine() -> None:
    client = sql_client({"user": "ada", "sslmode": "verify-full", "root_certificates": "/a.pem"})
    assert client.engine_form() == {
        "user": "ada",
        "first_user": 0,
        "sslmode": "verify-full",
        "require_auth": "scram-sha-256,none",
        "channel_binding": "prefer",
        "statements": "prepared",
        "root_certificates": "/a.pem",
        "verify": True,
    }
    assert sql_client({"statements": "unnamed"}).engine_form()["statements"] == "unnamed"
    usual = sql_client({}).engine_form()
    assert "root_certificates" not in usual
    assert usual["sslmode"] == "auto"
    weak = sql_client({"require_auth": "password, md5"}).engine_form()
    assert weak["require_auth"] == "password,md5"
    bound = sql_client({"channel_binding": "require", "sslmode": "prefer"}).engine_form()
    assert bound["channel_binding"] == "require"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sslmode": "on"}, "sslmode"),
        ({"require_auth": "any"}, r'require_auth: it is "any"; it can be password, md5, scram'),
        ({"require_auth": ""}, "require_auth"),
        ({"channel_binding": "on"}, "channel_binding"),
        ({"statements": "simple"}, "statements"),
        ({"channel_binding": "require", "sslmode": "disable"}, "which needs TLS, and sslmode"),
        ({"user": "u{n}"}, "user"),
        ({"root_certificates": "/a.pem"}, "which only sslmode = verify-full and verify-ca use"),
        ({"database": "x"}, "database"),
    ],
)
def test_mistakes_of_the_client_are_named(given: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sql_client(given)


def test_the_data_set_is_scaled_in_numbers_and_not_in_sizes() -> None:
    usual = plan().discussion
    scaled = plan(scale=0.01).discussion
    assert usual is not None
    assert scaled is not None
    assert (usual.documents, usual.people) == (10_000, 10_000)
    assert (scaled.documents, scaled.people, scaled.categories) == (100, 100, 20)
    assert scaled.engine_form()["body_bytes"] == 1_000
    assert "10,000 documents of 1000 in 20 categories" in usual.text


def test_sizes_of_bodies_have_bounds() -> None:
    with pytest.raises(ValueError, match="1 byte to 1 MiB"):
        Discussion(documents=1, categories=1, body_size="2MiB", people=1)


def test_only_databases_have_a_discussion() -> None:
    values = workloads.load("app-server").model_dump(mode="json", exclude_none=True)
    discussion = {"documents": 1, "categories": 1, "body_size": 1, "people": 1}
    with pytest.raises(
        ValueError, match=r'\[discussion\] is only for the protocols "mail\+sql" and "sql"'
    ):
        type(workloads.load("app-server")).model_validate({**values, "discussion": discussion})


def test_the_script_is_the_originals() -> None:
    """The loop of NotesBench's script: 440 s of pauses on average, ten operations."""
    workload = workloads.load("notes-discussion")
    assert workload.script is not None
    pauses = {s.name: s.pause.mean_s for s in workload.scenarios if s.pause is not None}
    assert sum(pauses[name] for name in workload.script.turns) == 7.5 + 6.5 + 6.5 + 3 * 20 + 360
    assert len(workload.script.turns) == 10
