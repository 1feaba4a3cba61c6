"""The documentation says what the code does: keys, codes, events, workloads, counters, links."""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest
import workloads_page
from pages import DOCS, ROOT, anchors, codes, pages, rows, sections, text
from protocol_pages import of_own_page
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from headcount import workloads
from headcount.bundle.recovery import RECOVERED
from headcount.counters import reference
from headcount.errors import ExitCode
from headcount.fields.model import Strict
from headcount.lab import (
    app,
    files,
    ha_file,
    ha_postgresql,
    ha_web,
    mail_settings,
    postgresql_settings,
    samba_settings,
    web_settings,
)
from headcount.plan import amounts, criteria
from headcount.plan.agents import Agents
from headcount.plan.cost import Cost, CostItem
from headcount.plan.disclosure import Disclosure
from headcount.plan.flow import (
    Choose,
    Condition,
    If,
    Lua,
    Page,
    Pause,
    Repeat,
    Set,
    Transaction,
)
from headcount.plan.marks import Marks
from headcount.plan.pace import Pace, Think
from headcount.plan.plan import Plan, SearchOptions
from headcount.plan.scenario import Scenario
from headcount.plan.script import Script
from headcount.plan.step import Step
from headcount.plan.target import parse
from headcount.plan.task_score import TaskScore
from headcount.plan.variables import Variable
from headcount.plan.workload import Run, Score, Workload
from headcount.protocols.discussion import Discussion
from headcount.protocols.http import HttpClient
from headcount.protocols.library import Class, Library
from headcount.protocols.mail import MailClient
from headcount.protocols.mail_profile import Mail, MixRow, Recipients, Start
from headcount.protocols.oauth2 import OAuth2
from headcount.protocols.pages import PageClass, Pages
from headcount.protocols.program import Program
from headcount.protocols.registry import labs
from headcount.protocols.smb import SmbClient
from headcount.protocols.sql import SqlClient
from headcount.protocols.tables import tables_model
from headcount.protocols.tree import Data, Tree
from headcount.schemas import BUNDLE

MODELS: dict[str, type[BaseModel] | list[type[BaseModel]]] = {
    "Workloads": Workload,
    "Pace": Pace,
    "Time": Think,
    "Data": Data,
    "Tree": Tree,
    "Library": [Library, Class],
    "Pages": [Pages, PageClass],
    "Program": Program,
    "Script": Script,
    "Run": Run,
    "Score": Score,
    "Task score": TaskScore,
    "Marks": Marks,
    "Scenarios": Scenario,
    "Steps": Step,
    "Flow": [If, Repeat, Pause, Choose, Set, Page, Lua, Transaction],
    "Conditions": Condition,
    "Variables": Variable,
    "Plans": Plan,
    "Agents": Agents,
    "Cost": Cost,
    "Cost items": CostItem,
    "Disclosure": Disclosure,
    "Search": SearchOptions,
    "Client": SmbClient,
    "Web client": HttpClient,
    "Database client": SqlClient,
    "Mail client": MailClient,
    "Tokens": OAuth2,
    "Discussion": Discussion,
    "Mail": Mail,
    "Messages": MixRow,
    "Recipients": Recipients,
    "Start": Start,
}
"""Sections of the reference of plan and workload files, and what they describe."""


CLIENTS = ["Client", "Web client", "Database client", "Mail client"]
"""Sections of protocols, whose common keys are in the section of all clients."""


def keys(page: str, section: str) -> list[str]:
    """The keys in the first cells of a section's tables, of which a cell may have several."""
    return [key for row in rows(sections(page)[section]) for key in row_keys(row)]


def row_keys(row: list[str]) -> list[str]:
    """The keys of a row; a program's own name for one follows in parentheses."""
    return codes(row[0].partition(" (")[0]) if row[0].startswith("`") else []


def default(row: list[str]) -> str:
    """The default that a row states, if any."""
    return row[1].rpartition("; ")[2] if "; " in row[1] else ""


def fields(section: str) -> dict[str, FieldInfo]:
    """The fields of what a section describes."""
    models = MODELS[section]
    listed = models if isinstance(models, list) else [models]
    found = {
        field.alias or name: field for model in listed for name, field in model.model_fields.items()
    }
    if "tables" in found:  # in files they are keys themselves
        del found["tables"]
        own = {table for one in of_own_page() for table in one.tables}
        found |= {key: one for key, one in tables_model().model_fields.items() if key not in own}
    return found


@pytest.mark.parametrize("section", MODELS)
def test_every_key_of_a_file_is_described_once_and_no_other(section: str) -> None:
    page = text("plan-and-workload-files.md")
    common = keys(page, "Clients") if section in CLIENTS else []
    assert sorted(keys(page, section) + common) == sorted(fields(section))


def test_defaults_of_keys_are_the_models() -> None:
    page = text("plan-and-workload-files.md")
    for section in MODELS:
        common = rows(sections(page)["Clients"]) if section in CLIENTS else []
        table = rows(sections(page)[section]) + common
        described = {key: default(row) for row in table for key in row_keys(row)}
        for name, field in fields(section).items():
            default_text = described[name]
            assert field.is_required() == (default_text == "required"), (
                f"{section}: {name} is {default_text}"
            )
            value = field.default
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert default_text == f"{value:,g}", f"{section}: {name} is {default_text}"


def test_the_settings_of_lab_servers_are_described() -> None:
    page = text("plan-and-workload-files.md")
    own = {name for one in of_own_page() for name in one.labs}
    found = {name for name in sections(page) if name.startswith("lab:")}
    assert found == {f"lab:{name}" for name in labs() if name not in own}
    assert keys(page, "lab:app") == list(app.SETTINGS)
    assert keys(page, "lab:samba") == list(samba_settings.SETTINGS)
    assert keys(page, "lab:files") == list(files.SETTINGS)
    for row in rows(sections(page)["lab:samba"])[1:]:
        (key,) = row_keys(row)
        setting = samba_settings.SETTINGS[key]
        values = default_first(setting.default, ", ".join(setting.values))
        assert row[0] == key_and_parameter(key, setting.parameter)
        assert row[1] == values if setting.values else row[1].startswith(values)
        assert row[2] == setting.why


def default_first(default: str, values: str) -> str:
    """The values of a setting, the default first."""
    words = values.split(", ")
    if default in words:
        return ", ".join([f"`{default}`", *(word for word in words if word != default)])
    return f"`{default}`; {values}"


def key_and_parameter(key: str, parameter: str | None) -> str:
    """A setting, and what the program calls it if that is something else."""
    same = parameter in (None, "none", key) or (parameter or "").replace(" ", "_") == key
    return f"`{key}`" if same else f"`{key}` (`{parameter}`)"


SETTINGS = {
    "nginx": web_settings.NGINX,
    "apache": web_settings.APACHE,
    "ha-web": ha_web.HA_WEB,
    "ha-postgresql": ha_postgresql.HA_POSTGRESQL,
    "ha-file": ha_file.HA_FILE,
    "mail": mail_settings.MAIL,
    "postgresql": postgresql_settings.POSTGRESQL,
}


@pytest.mark.parametrize("name", list(SETTINGS))
def test_the_settings_of_other_lab_servers_are_described(name: str) -> None:
    apache = {} if name == "apache" else web_settings.APACHE
    found = rows(sections(text("plan-and-workload-files.md"))[f"lab:{name}"])[1:]
    expected = [
        [
            key_and_parameter(key, one.parameter),
            default_first(one.default, one.text),
            "As for Apache." if key in apache and apache[key].why == one.why else one.why,
        ]
        for key, one in SETTINGS[name].items()
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("section", "model"),
    [
        ("Web client", HttpClient),
        ("Mail client", MailClient),
        ("Database client", SqlClient),
    ],
)
def test_clients_keys_are_described_with_their_defaults(section: str, model: type[Strict]) -> None:
    for row in rows(sections(text("plan-and-workload-files.md"))[section])[1:]:
        (key,) = row_keys(row)
        whole = model.model_fields[key].get_default(call_default_factory=True)
        written = {"None": "", "{}": "", "True": "on", "False": "off", "1.0": "1"}
        assert default(row).strip("`") == written.get(str(whole), str(whole)), key


def test_the_clients_keys_are_described_with_what_they_can_be() -> None:
    for row in rows(sections(text("plan-and-workload-files.md"))["Client"])[1:]:
        (key,) = row_keys(row)
        field = SmbClient.model_fields[key]
        whole = ",".join(field.default) if isinstance(field.default, list) else field.default
        written = {"True": "on", "False": "off"}
        assert default(row).strip("`") == written.get(str(whole), str(whole)), key
        choices = re.findall(r"Literal\[(.*?)\]", str(field.annotation))
        if choices:
            kind = row[1].rpartition("; ")[0]
            assert codes(kind) == re.findall(r"'(.*?)'", choices[0]), key


def test_targets_that_are_shown_are_valid() -> None:
    shown = rows(sections(text("plan-and-workload-files.md"))["Targets"])[1:]
    found = [parse(target) for row in shown for target in codes(row[0]) if "port" not in target]
    own = {name for one in of_own_page() for name in one.labs}
    assert {target.lab for target in found} >= set(labs()) - own
    assert {target.share for target in found} >= {"share", "home{n:05}"}


def test_exit_codes() -> None:
    codes_of_page = {row[1].strip("`"): int(row[0]) for row in rows(text("exit-codes.md"))[1:]}
    assert codes_of_page == {code.name: code.value for code in ExitCode}


def test_every_form_of_criteria_is_described_with_a_valid_example() -> None:
    forms = rows(sections(text("criteria.md"))["The forms"])[1:]
    examples = [criteria.parse(row[1].strip("`")) for row in forms]
    seen = {(example.metric, example.strict) for example in examples}
    of_scenarios = ("percentile", "mean", "errors", "overload", "achieved", "score")
    assert {(metric, strict) for metric in of_scenarios for strict in (True, False)} <= seen
    assert {example.metric for example in examples} == set(get_args(criteria.Metric))
    assert any(example.scenario for example in examples)
    assert any(example.stretch_s for example in examples)


def test_every_short_name_of_a_counter_is_described() -> None:
    table = sections(text("criteria.md"))["Counters"]
    described = [name for row in rows(table)[1:] for name in re.findall(r"`([\w.]+)`", row[0])]
    assert described == list(amounts.SHORT)


def test_kinds_of_faults() -> None:
    source = (ROOT / "crates" / "load" / "src" / "fault.rs").read_text("utf-8")
    kinds = re.findall(r'=> "([a-z-]+)",', source)
    assert len(kinds) > 5
    assert keys(text("criteria.md"), "Errors") == kinds


def test_events_of_a_bundle() -> None:
    found = set()
    rooms = (ROOT / "python" / "headcount" / room for room in ("controller", "tune", "failover"))
    for path in (path for room in rooms for path in room.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("undle.event"):
                found.add(ast.literal_eval(node.args[0]))
    assert set(keys(text("bundle.md"), "`events.ndjson`")) == found | {RECOVERED}


def test_every_schema_is_linked() -> None:
    for name in BUNDLE:
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
    recipes = text("extending/README.md")
    for page in (DOCS / "extending").glob("*.md"):
        assert page.name == "README.md" or f"]({page.name})" in recipes, page.name


def test_files_that_pages_name_are_there() -> None:
    for page in pages():
        for code in codes(page.read_text("utf-8")):
            path = re.fullmatch(r"((?:crates|python|tests|bench|docs)/[\w/.-]+)", code)
            if path and "NAME" not in code:
                assert (ROOT / path[1]).exists(), f"{page.name} names {code}"
