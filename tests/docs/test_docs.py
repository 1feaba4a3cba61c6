"""The documentation says what the code does: keys, codes, events, workloads, counters, links."""

import ast
import re
from pathlib import Path

import pytest
import workloads_page
from pages import DOCS, ROOT, anchors, codes, pages, rows, sections, text
from pydantic import BaseModel

from headcount import workloads
from headcount.bundle import schema
from headcount.counters import reference
from headcount.errors import ExitCode
from headcount.lab import (
    app,
    files,
    mail_settings,
    postgresql_settings,
    samba_settings,
    web_settings,
)
from headcount.plan import criteria
from headcount.plan.client import SmbClient
from headcount.plan.cost import Cost, CostItem
from headcount.plan.data import Data, Tree
from headcount.plan.disclosure import Disclosure
from headcount.plan.discussion import Discussion
from headcount.plan.fields import Strict
from headcount.plan.library import Class, Library
from headcount.plan.mail import Mail, MixRow, Recipients, Start
from headcount.plan.mail_client import MailClient
from headcount.plan.marks import Marks
from headcount.plan.pages import PageClass, Pages
from headcount.plan.plan import Plan, SearchOptions
from headcount.plan.program import Program
from headcount.plan.script import Script
from headcount.plan.sql import SqlClient
from headcount.plan.target import LAB, parse
from headcount.plan.task_score import TaskScore
from headcount.plan.web import HttpClient
from headcount.plan.workload import Pace, Run, Scenario, Score, Step, Think, Workload

MODELS: dict[str, type[BaseModel]] = {
    "Workloads": Workload,
    "Pace": Pace,
    "Time": Think,
    "Data": Data,
    "Tree": Tree,
    "Library": Library,
    "Classes": Class,
    "Pages": Pages,
    "Page classes": PageClass,
    "Program": Program,
    "Script": Script,
    "Run": Run,
    "Score": Score,
    "Task score": TaskScore,
    "Marks": Marks,
    "Scenarios": Scenario,
    "Steps": Step,
    "Plans": Plan,
    "Cost": Cost,
    "Cost items": CostItem,
    "Disclosure": Disclosure,
    "Search": SearchOptions,
    "Client": SmbClient,
    "Web client": HttpClient,
    "Database client": SqlClient,
    "Mail client": MailClient,
    "Discussion": Discussion,
    "Mail": Mail,
    "Messages": MixRow,
    "Recipients": Recipients,
    "Start": Start,
}
"""Sections of the reference of plan and workload files, and what they describe."""


def keys(page: str, section: str) -> list[str]:
    """The first cells of a section's tables, without backticks and heads."""
    first = [row[0] for row in rows(sections(page)[section])]
    return [cell.strip("`") for cell in first if cell.startswith("`")]


@pytest.mark.parametrize("section", MODELS)
def test_every_key_of_a_file_is_described_once_and_no_other(section: str) -> None:
    page = text("plan-and-workload-files.md")
    assert keys(page, section) == list(MODELS[section].model_fields)


def test_defaults_of_keys_are_the_models() -> None:
    page = text("plan-and-workload-files.md")
    for section, model in MODELS.items():
        described = {row[0].strip("`"): row[2] for row in rows(sections(page)[section])}
        for name, field in model.model_fields.items():
            told = described[name]
            assert field.is_required() == (told == "required"), f"{section}: {name} is {told}"
            value = field.default
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert told == f"{value:,g}", f"{section}: {name} is {told}"


def test_the_settings_of_lab_servers_are_described() -> None:
    page = text("plan-and-workload-files.md")
    assert [n for n in sections(page) if n.startswith("lab:")] == [f"lab:{n}" for n in LAB]
    assert keys(page, "lab:app") == list(app.SETTINGS)
    assert keys(page, "lab:samba") == list(samba_settings.SETTINGS)
    assert keys(page, "lab:files") == list(files.SETTINGS)
    for row in rows(sections(page)["lab:samba"])[1:]:
        setting = samba_settings.SETTINGS[row[0].strip("`")]
        assert row[1] == f'`"{setting.default}"`'
        if setting.values:
            assert row[2] == ", ".join(f"`{value}`" for value in setting.values)
        assert row[3] == (f"`{setting.parameter}`" if setting.parameter else "none")
        assert row[4] == setting.why


SETTINGS = {
    "nginx": web_settings.NGINX,
    "apache": web_settings.APACHE,
    "mail": mail_settings.MAIL,
    "postgresql": postgresql_settings.POSTGRESQL,
}


@pytest.mark.parametrize("name", list(SETTINGS))
def test_the_settings_of_other_lab_servers_are_described(name: str) -> None:
    known = SETTINGS[name]
    found = rows(sections(text("plan-and-workload-files.md"))[f"lab:{name}"])[1:]
    told = [
        [f"`{key}`", f'`"{one.default}"`', one.text, f"`{one.parameter}`", one.why]
        for key, one in known.items()
    ]
    assert found == told


@pytest.mark.parametrize(
    ("section", "model"),
    [
        ("Web client", HttpClient),
        ("Mail client", MailClient),
        ("Database client", SqlClient),
    ],
)
def test_clients_keys_are_described_with_their_defaults(section: str, model: type[Strict]) -> None:
    for key, _, default, _ in rows(sections(text("plan-and-workload-files.md"))[section])[1:]:
        whole = model.model_fields[key.strip("`")].get_default(call_default_factory=True)
        told = {"": "none", "{}": "none", "True": "on", "False": "off", "1.0": "1"}
        assert default.strip("`") == told.get(str(whole), str(whole)), key


def test_the_clients_keys_are_described_with_what_they_can_be() -> None:
    described = rows(sections(text("plan-and-workload-files.md"))["Client"])[1:]
    for key, _, default, _ in described:
        field = SmbClient.model_fields[key.strip("`")]
        whole = ",".join(field.default) if isinstance(field.default, list) else field.default
        told = {"": "none", True: "on"}.get(whole, str(whole))
        assert default.strip("`") == told, key
        choices = re.findall(r"Literal\[(.*?)\]", str(field.annotation))
        if choices:
            kind = next(row[1] for row in described if row[0] == key)
            assert codes(kind) == re.findall(r"'(.*?)'", choices[0]), key


def test_targets_that_are_shown_are_some() -> None:
    shown = rows(sections(text("plan-and-workload-files.md"))["Targets"])[1:]
    found = [parse(target) for row in shown for target in codes(row[0]) if "port" not in target]
    assert {target.lab for target in found} >= set(LAB)
    assert {target.share for target in found} >= {"share", "home{n:05}"}


def test_exit_codes() -> None:
    told = {row[1].strip("`"): int(row[0]) for row in rows(text("exit-codes.md"))[1:]}
    assert told == {code.name: code.value for code in ExitCode}


def test_every_form_of_criteria_is_described_and_its_example_is_one() -> None:
    forms = rows(sections(text("criteria.md"))["The forms"])[1:]
    examples = [criteria.parse(row[1].strip("`")) for row in forms]
    seen = {(example.metric, example.strict) for example in examples}
    metrics = ("percentile", "mean", "errors", "overload", "achieved", "score")
    assert seen == {(metric, strict) for metric in metrics for strict in (True, False)}
    assert any(example.scenario for example in examples)


def test_kinds_of_faults() -> None:
    source = (ROOT / "crates" / "load" / "src" / "fault.rs").read_text("utf-8")
    kinds = re.findall(r'=> "([a-z-]+)",', source)
    assert len(kinds) > 5
    assert keys(text("criteria.md"), "Errors") == kinds


def test_events_of_a_bundle() -> None:
    found = set()
    for path in (ROOT / "python" / "headcount" / "controller").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("undle.event"):
                found.add(ast.literal_eval(node.args[0]))
    assert set(keys(text("bundle.md"), "`events.ndjson`")) == found


def test_every_schema_is_linked() -> None:
    for name in schema.FILES:
        assert f"(schemas/{name}.schema.json)" in text("bundle.md")


def test_every_workload_is_listed_and_the_page_is_current() -> None:
    page = text("workloads.md")
    assert page == workloads_page.page(), "run: python tests/docs/workloads_page.py"
    for name in workloads.names():
        assert f"**{workloads.load(name).title}.**" in page


def test_the_page_of_counters_is_current() -> None:
    how = "run: python -m headcount.counters.reference > docs/counters.md"
    assert text("counters.md") == reference.reference(), how


@pytest.mark.parametrize("page", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", page.read_text("utf-8")):
        if re.match(r"https?://|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(path.read_text("utf-8")), f"{page.name} links to {target}"


def test_every_page_is_in_the_index() -> None:
    index = text("README.md")
    for page in DOCS.glob("*.md"):
        assert page.name == "README.md" or f"]({page.name})" in index, page.name


def test_files_that_pages_name_are_there() -> None:
    for page in pages():
        for code in codes(page.read_text("utf-8")):
            path = re.fullmatch(r"((?:crates|python|tests|bench|docs)/[\w/.-]+)", code)
            if path and "NAME" not in code:
                assert (ROOT / path[1]).exists(), f"{page.name} names {code}"
