"""The workloads that come with Headcount: valid, sourced, and understood by the engine."""

import json
from typing import Any

import pytest

from headcount import workloads
from headcount._engine import Engine, mail_day
from headcount.errors import PlanError
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Run
from headcount.protocols.http import http_client
from headcount.protocols.registry import protocols
from headcount.protocols.sql import sql_client

NAMES = workloads.names()
TARGETS = {
    "app": "app://127.0.0.1:9",
    "smb": "smb://127.0.0.1:9/data",
    "http": "http://127.0.0.1:9/pages",
    "mail": "lab:mail",
    "mail+sql": "lab:mail+lab:postgresql",
    "sql": "postgresql://127.0.0.1:9/shop",
}
"""Nothing is sent before users join, so nobody need listen there. Protocols that are not here play
their workloads in tests of their own."""


def mail_target(plan: Plan) -> dict[str, Any]:
    assert plan.mail is not None
    server = {"address": "127.0.0.1:9"}
    who = {"user": "u{n}", "address": "u{n}@test.invalid", "password": "", "run": 1}
    profile = plan.mail.engine_form({"dest1.test.invalid": 1.0})
    return {"imap": server, "send": {"server": server}, **who, "profile": profile}


def engine_target(plan: Plan) -> str:
    if plan.protocol == "mail":
        return json.dumps(mail_target(plan))
    if plan.pages is not None:
        client = http_client(plan.client).engine_form()
        return json.dumps({"url": plan.target, "data_set": plan.pages.engine_form(), **client})
    values: dict[str, Any] = {"address": "127.0.0.1:9"}
    if plan.discussion is not None:
        where = {"database": "shop", **sql_client(plan.client).engine_form()}
        values |= {**where, "data_set": plan.discussion.engine_form()}
        both = {"first": mail_target(plan), "second": values} if plan.mail is not None else values
        return json.dumps(both)
    if plan.data_set is not None:
        user = {"share": "data", "user": "user{n:05}", "password": ""}
        values |= {**user, "data_set": plan.data_set}
    else:
        values |= {"file_bytes": plan.file_bytes, "range_bytes": plan.range_bytes, "seed": 1}
    return json.dumps(values)


def test_there_are_workloads() -> None:
    assert {"app-server", "sys-60", "app-disk", "app-network", "app-processor"} <= set(NAMES)
    assert {"home-folders", "file-copy"} <= set(NAMES)
    assert {workloads.load(name).protocol for name in NAMES} == set(protocols()) - {"files"}


@pytest.mark.parametrize("name", NAMES)
def test_a_workload_says_what_it_recreates_from_what_and_where_it_differs(name: str) -> None:
    workload = workloads.load(name)
    assert workload.name == name
    assert workload.recreates
    assert "re-creates" in workload.title
    assert workload.sources
    assert workload.deviations
    assert any("ours" in deviation for deviation in workload.deviations)
    assert all(scenario.title and scenario.origin for scenario in workload.scenarios)


@pytest.mark.parametrize("name", [n for n in NAMES if workloads.load(n).protocol in TARGETS])
def test_the_engine_accepts_a_workload(name: str) -> None:
    workload = workloads.load(name)
    plan = resolve(workload, TARGETS[workload.protocol], Overrides(seed=1, workers=1))
    engine = Engine(engine_plan(plan), plan.workload.protocol, engine_target(plan))
    names = {step.name for scenario in plan.workload.scenarios for step in scenario.steps}
    assert set(engine.step_names) == names
    engine.close()


@pytest.mark.parametrize(
    ("name", "sent", "received", "within"),
    [
        ("mail-light", 6.7, 20.4, 0.02),
        ("mail-medium", 19.8, 55.9, 0.02),
        ("mail-heavy", 38.6, 118.9, 0.06),
        ("mail-mmb", 14.18, 66.3, 0.01),
    ],
)
def test_a_day_has_as_much_mail_as_the_original(
    name: str, sent: float, received: float, within: float
) -> None:
    workload = workloads.load(name)
    assert workload.mail is not None
    weights = {scenario.name: scenario.weight for scenario in workload.scenarios}
    profile = json.dumps(workload.mail.engine_form({}))
    day = json.loads(mail_day(profile, json.dumps({"new": weights["write"]})))
    assert day["sent"] == pytest.approx(sent, rel=within)
    assert day["received"] == pytest.approx(received, rel=within)
    # All scenarios of a day, at the pace's mean interval, take eight hours.
    assert sum(weights.values()) * workload.pace.time.mean_s == pytest.approx(8 * 3600, rel=1e-3)


def test_the_engine_checks_the_steps_of_a_workload() -> None:
    plan = resolve(workloads.load("app-disk"), "lab:app", Overrides(seed=1, workers=1))
    text = engine_plan(plan).replace('"bytes": 4096', '"bytes": 1000', 1)
    with pytest.raises(PlanError, match=r'scenario "random-read", step "random-read": .*4096'):
        Engine(text, "app", engine_target(plan))
    plan = resolve(workloads.load("home-folders"), "lab:samba", Overrides(seed=1, workers=1))
    text = engine_plan(plan).replace('"control": "object-id"', '"control": "objectid"', 1)
    with pytest.raises(PlanError, match=r'step "ask-for-object-id": .*objectid.*object-id'):
        Engine(text, "smb", engine_target(plan))


def test_steps_and_limits_read_well() -> None:
    scenarios = {s.name: s for s in workloads.load("home-folders").scenarios}
    assert scenarios["logon"].steps[0].text == "logon reconnect=true"
    assert scenarios["cmd-navigate"].steps[1].text == "list"
    assert scenarios["word-edit-save"].steps[14].text == (
        "rename to.file=same to.after=.wbk replace=true"
    )
    assert scenarios["logon"].limit_text == "1s"
    assert scenarios["cmd-upload"].limit_text == "1s, or 5s for each MiB if that is more"
    (opened, *_) = workloads.load("file-copy").scenarios[3].steps
    assert opened.text == "open path.file=library path.class=text,image,data"
    (read,) = workloads.load("app-disk").scenarios[0].steps
    assert read.text == "read bytes=4096"


def test_the_older_word_for_a_reported_steady_state_still_works() -> None:
    run = workloads.load("app-disk").run
    assert run.steady == "reported"
    older = run.model_dump() | {"steady": "told"}
    assert Run.model_validate(older) == run
