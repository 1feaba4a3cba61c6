"""A plan or a bundle cannot allow itself anything."""

from pathlib import Path

import pytest

from headcount import workloads
from headcount.errors import InputError
from headcount.plan.consent import with_consent
from headcount.plan.resolve import Overrides, resolve
from processes import Ended, Headcount

STRANGE = "http://192.0.2.55:8080"


def stranger_plan(folder: Path, target: str = STRANGE, **more: object) -> Path:
    """A stranger's plan, which says that its owner agreed."""
    wanted = Overrides(users=1, authorised_by="Mallory", **more)  # type: ignore[arg-type]
    path = folder / "plan.toml"
    path.write_text(resolve(workloads.load("web-static"), target, wanted).to_toml(), "utf-8")
    return path


def assert_refused(ended: Ended) -> None:
    assert ended.code == 2, ended
    assert "192.0.2.55:8080 is not this machine" in ended.message
    assert "--authorised-by" in ended.message


def test_a_plan_cannot_give_its_own_consent() -> None:
    plan = resolve(workloads.load("web-static"), STRANGE, Overrides(authorised_by="Mallory"))
    assert with_consent(plan, None).authorised_by is None
    assert with_consent(plan, "Ada").authorised_by == "Ada"


def test_a_strangers_plan_is_not_run(headcount: Headcount, tmp_path: Path) -> None:
    path = stranger_plan(tmp_path)
    assert 'authorised_by = "Mallory"' in path.read_text("utf-8")
    assert_refused(headcount.run("run", str(path)))


def test_a_strangers_bundle_is_not_resumed(headcount: Headcount, tmp_path: Path) -> None:
    stranger_plan(tmp_path)
    assert_refused(headcount.run("resume", str(tmp_path)))


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("sources", "http://192.0.2.55:9100/metrics"),
        ("sources", "db=ssh://db.example"),
        ("views", "nginx=http://192.0.2.55/status"),
        ("sources", "http://127.example:9100/metrics"),  # a name that looks like loopback
    ],
)
def test_a_plan_asks_no_other_machine_for_counters(kind: str, address: str) -> None:
    plan = resolve(workloads.load("web-static"), "http://127.0.0.1:1", Overrides())
    strange = plan.model_copy(update={kind: [address]})
    with pytest.raises(InputError, match="asks another machine for counters"):
        with_consent(strange, None)
    assert with_consent(strange, "Ada").authorised_by == "Ada"


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("sources", "local"),
        ("sources", "here=http://127.0.0.1:9100/metrics"),
        ("sources", "http://[::1]:9100/metrics"),
        ("sources", "http://0.0.0.0:9100/metrics"),
        ("views", "nginx=http://localhost/status"),
        ("views", "haproxy=/run/haproxy.sock"),
    ],
)
def test_this_machine_may_be_asked(kind: str, address: str) -> None:
    plan = resolve(workloads.load("web-static"), "http://127.0.0.1:1", Overrides())
    asking = plan.model_copy(update={kind: [address]})
    assert with_consent(asking, None).authorised_by is None
