"""Every command that a page shows can be given: its verbs, options and values exist."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from pages import ROOT, blocks, codes, pages
from typer.testing import CliRunner

from command_line import app
from headcount.cli import fold_criteria
from headcount.plan import plan as plans
from headcount.plan.gate import require_owner
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import parse
from headcount.workloads import load

LEAVE_OUT = re.compile(r"\.\.\.|[A-Z]{4,}")
"""Of a command with placeholders only the verb and the options are looked at."""


def commands_of(page: Path) -> list[list[str]]:
    """The commands of a page, without `headcount` itself."""
    inline = [code for code in codes(page.read_text("utf-8")) if is_command(code)]
    return in_blocks(page) + [
        fold_criteria(shlex.split(code.removeprefix("headcount "), comments=True))
        for code in inline
    ]


def in_blocks(page: Path) -> list[list[str]]:
    """The commands of a page's code blocks."""
    lines = []
    for block in blocks(page.read_text("utf-8"), "console"):
        lines += re.findall(r"^\$ (?:uv run |nohup )?headcount (.*)$", block, re.MULTILINE)
    return [fold_criteria(shlex.split(line, comments=True)) for line in lines]


def is_command(code: str) -> bool:
    return bool(re.match(r"headcount [a-z-]", code))


COMMANDS = [
    pytest.param(command, id=f"{page.relative_to(ROOT)}: {' '.join(command)}")
    for page in pages()
    for command in commands_of(page)
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_command_that_is_shown_is_valid(arguments: list[str]) -> None:
    group = typer.main.get_command(app)
    context = group.make_context("headcount", [], resilient_parsing=True)
    command, rest = group, arguments
    while rest and not rest[0].startswith("-") and hasattr(command, "commands"):
        _, found, rest = command.resolve_command(context, rest)
        assert found is not None, f"there is no verb {arguments}"
        command = found
    options = {option for parameter in command.params for option in parameter.opts}
    options |= {"--help", "-h", "--version"}
    used = {argument.partition("=")[0] for argument in rest if argument.startswith("-")}
    assert used <= options, f"{command.name} has no {used - options}"
    whole = not any(LEAVE_OUT.search(argument) for argument in rest)
    if whole and rest and "--help" not in rest and command is not group:
        command.make_context(command.name, list(rest), parent=context)


def test_there_are_commands_to_look_at() -> None:
    verbs = {command.values[0][0] for command in COMMANDS}
    assert verbs >= {"run", "prepare", "cleanup", "serve", "workloads", "runs", "show", "resume"}


RUNS = sorted(
    {shlex.join(command) for page in pages() for command in in_blocks(page) if command[0] == "run"}
)
OFFLINE = sorted(
    {
        shlex.join(command)
        for page in pages()
        for command in in_blocks(page)
        if command[0] in ("storage", "workloads", "published") or command[-1] == "--help"
        if command[:2] != ["workloads", "check"]  # its files are the reader's
    }
)
SLIP = "app-sever"
"""The workload of the example of an error."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the commands of pages name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "client.txt").write_text('Mkdir "\\\\clients" NT_STATUS_OK\n', "utf-8")
    (example,) = blocks((ROOT / "docs" / "web-servers.md").read_text("utf-8"), "toml")
    (tmp_path / "shop.toml").write_text(example, "utf-8")
    rows = "".join(f"user{number},secret\n" for number in range(4))
    (tmp_path / "people.csv").write_text(f"username,password\n{rows}", "utf-8")
    (tmp_path / "people.csv").chmod(0o600)
    example, *_ = blocks((ROOT / "docs" / "databases.md").read_text("utf-8"), "toml")
    (tmp_path / "mine.toml").write_text(example, "utf-8")
    costs = 'currency = "USD"\n[[items]]\nname = "server"\nunit_price = 29581\n'
    (tmp_path / "costs.toml").write_text(costs, "utf-8")
    return tmp_path


@pytest.mark.parametrize("line", [line for line in RUNS if SLIP not in line])
def test_a_run_that_is_shown_has_a_plan(line: str, home: Path) -> None:
    """Up to the first connection to the server; its owner is named where one must be."""
    arguments = shlex.split(line.replace("WORKLOAD", "mail-medium"))
    if arguments[1].endswith("plan.toml"):
        made = home / arguments[1]
        made.parent.mkdir(parents=True)
        plan = resolve(load("app-server"), "lab:app", Overrides(users=4, seed=1))
        made.write_text(plan.to_toml(), "utf-8")
    if arguments[1] == "my-workload.toml":
        arguments[1] = "app-server"
    named = "/usr/share/dbench/client.txt"
    arguments = ["client.txt" if each == named else each for each in arguments]
    if "--plan" not in arguments:
        arguments.append("--plan")
    ended = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert ended.exception is None, f"{ended.exception}: {ended.output}"
    (home / "made.toml").write_text(ended.stdout.partition("\nformat = ")[0], "utf-8")
    found = plans.load(home / "made.toml")
    host = parse(found.target).host
    if host and host not in ("127.0.0.1", "localhost"):
        require_owner("192.0.2.1:1", found.authorised_by)


@pytest.mark.parametrize("line", OFFLINE)
def test_a_command_that_needs_no_server_is_run(line: str) -> None:
    ended = CliRunner().invoke(app, shlex.split(line))
    assert ended.exit_code == 0, f"{ended.exception}: {ended.output}"


def test_there_are_commands_to_run() -> None:
    assert RUNS
    assert OFFLINE
