"""One user who tries out a workload: what is played, and what is shown of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from headcount import secret_text
from headcount.cli.try_out import print_event
from headcount.controller import tryout
from headcount.controller.access import Secrets
from headcount.controller.sut import connect
from headcount.plan.plan import validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload


def tried(folder: Path, path: str, names: Sequence[str], **more: Any) -> list[tryout.Event]:
    """What happens if a user opens this path in a folder and lists it; asserts that it succeeds."""
    look = [{"name": "open", "op": "open", "path": path}, {"name": "list", "op": "list"}]
    values = {
        "name": "x",
        "title": "x",
        "protocol": "files",
        "criteria": ["errors<1%"],
        "pace": {"kind": "closed", "time": {"draw": "fixed", "mean": "1s"}},
        "run": {"duration": "1s"},
        "scenarios": [{"name": "look", "weight": 1, "limit": "1s", "steps": look}],
        **more,
    }
    workload = validate(Workload, values, "it")
    plan = resolve(workload, f"file://{folder}", Overrides(users=1, seed=1))
    events: list[tryout.Event] = []
    with connect(plan, Secrets()) as sut:
        target = sut.access.engine_target()
        assert tryout.try_out(plan, target, events.append, names), events
    return events


def test_a_scenario_that_is_named_twice_is_played_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tryout, "LONGEST_S", 2.0)
    events = tried(tmp_path, ".", ["look", "look"])
    ends = [one for one in events if isinstance(one, tryout.ScenarioEnd)]
    assert ends == [tryout.ScenarioEnd("look", failed=False)]


def test_a_password_of_a_file_is_not_shown_where_it_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(secret_text, "_known", {})
    (tmp_path / "sesame-open").mkdir()
    (tmp_path / "users.csv").write_text("name,password\nada,sesame-open\n", "utf-8")
    users = {"user": {"file": str(tmp_path / "users.csv")}}
    for event in tried(tmp_path, "{user.password}", ["look"], variables=users):
        print_event(event, bodies=True)
    shown = capsys.readouterr().out
    assert "> OPEN ***" in shown
    assert "sesame" not in shown


def test_no_part_of_a_secret_is_shown_where_a_text_is_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(secret_text, "_known", {})
    secret_text.learn("q7Zk2mWp9Xv4Rt8Ny3Lb6Hc1")
    text = "x" * 390 + "q7Zk2mWp9Xv4Rt8Ny3Lb6Hc1"
    exchange = tryout.Exchange("POST", "/", text, 200, [], len(text), text)
    message = tryout.Message(is_sent=True, text=text)
    step = tryout.PlayedStep("look", "a", 1.0, None, [exchange, message], {"text": text})
    print_event(step, bodies=False)
    shown = capsys.readouterr().out
    assert shown.count("x***") == 4, shown
    assert "q7" not in shown


def test_what_lua_prints_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_event(tryout.PrintedLine("found \x1b]0;title\x07 [b]"), bodies=False)
    assert capsys.readouterr().out == "  found \ufffd]0;title\ufffd [b]\n"
