"""Plans that an earlier version wrote are read, written and played as they were."""

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

from headcount.plan.plan import engine_plan, load

OLD = Path(__file__).parent / "old_plans"
PLAYED: dict[str, str] = json.loads((OLD / "engine_plans.json").read_text("utf-8"))
"""SHA-256 of what the engine was given then, by workload."""


@pytest.mark.parametrize("name", PLAYED)
def test_an_old_plan_stays_what_it_was(name: str) -> None:
    path = OLD / f"{name}.toml"
    plan = load(path)
    assert tomllib.loads(plan.to_toml()) == tomllib.loads(path.read_text("utf-8"))
    assert hashlib.sha256(engine_plan(plan).encode()).hexdigest() == PLAYED[name]


def test_there_is_one_of_each_kind_of_protocol() -> None:
    protocols = {load(OLD / f"{name}.toml").protocol for name in PLAYED}
    assert protocols == {"app", "smb", "files", "http", "mail", "mail+sql", "sql"}
