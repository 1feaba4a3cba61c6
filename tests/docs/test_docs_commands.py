"""Every command that a page shows can be given: its verbs, options and values exist."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from pages import ROOT, blocks, codes, pages

from command_line import app
from headcount.cli import fold_criteria

LEAVE_OUT = re.compile(r"\.\.\.|[A-Z]{4,}")
"""Of a command with placeholders only the verb and the options are looked at."""


def shown(page: Path) -> list[list[str]]:
    """The commands of a page, without `headcount` itself."""
    content = page.read_text("utf-8")
    lines = []
    for block in blocks(content, "console"):
        lines += re.findall(r"^\$ (?:uv run |nohup )?headcount (.*)$", block, re.MULTILINE)
    lines += [code.removeprefix("headcount ") for code in codes(content) if is_command(code)]
    return [fold_criteria(shlex.split(line, comments=True)) for line in lines]


def is_command(code: str) -> bool:
    return bool(re.match(r"headcount [a-z-]", code))


COMMANDS = [
    pytest.param(command, id=f"{page.relative_to(ROOT)}: {' '.join(command)}")
    for page in pages()
    for command in shown(page)
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_command_that_is_shown_can_be_given(arguments: list[str]) -> None:
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
