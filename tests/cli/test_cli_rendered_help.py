"""What help shows is what was written: nothing is taken for markup, and options stand in panels."""

import inspect
import re
from dataclasses import dataclass
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from command_line import app
from headcount.cli.grouped import grouped
from headcount.cli.verbs import VERBS
from headcount.protocols.registry import labs, schemes


@dataclass(frozen=True)
class Size:
    width: int = 0
    height: int | None = None


PANELS = ("Target", "Load", "Search", "Criteria", "Server under test", "Output", "Advanced")


def letters(text: str) -> str:
    """A text without blanks, lines and frames, which wrapping changes."""
    return re.sub(r"[\s│╭╮╰╯─]", "", text)


def in_order(wanted: str, shown: str) -> bool:
    """Whether all letters come one after the other, with those of other columns between them."""
    rest = iter(shown)
    return all(letter in rest for letter in wanted)


@pytest.mark.parametrize("columns", ["80", "120"])
@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_every_text_as_it_is_written(verb: str, columns: str) -> None:
    command: Any = get_command(app)
    shown = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": columns})
    # A cell of the table ends at its frame, so what is left of it belongs to the line's option.
    help_column = "".join(
        letters(re.split(r"\s{2,}", line.strip(" │"))[-1]) for line in shown.output.splitlines()
    )
    all_of_it = letters(shown.output)
    for param in command.commands[verb].params:
        if param.help and not param.hidden and columns == "120":
            assert letters(param.help) in help_column, (verb, param.name)
        elif param.help and not param.hidden:  # where words are broken, columns run into another
            assert in_order(letters(param.help), all_of_it), (verb, param.name)


@pytest.mark.parametrize("panel", PANELS)
def test_options_of_a_run_stand_in_panels(panel: str) -> None:
    shown = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "100"}).output
    assert f"╭─ {panel} ─" in shown


def test_every_scheme_and_lab_server_stands_in_the_help_of_a_target() -> None:
    command: Any = get_command(app)
    (target,) = [one for one in command.commands["run"].params if one.name == "target"]
    for scheme in schemes():
        assert f"{scheme}://" in target.help
    for lab in labs():
        assert re.search(rf"\blab:{lab}\b", target.help), lab


def test_options_of_a_group_are_parameters_and_come_back_as_the_group() -> None:
    came: list[Any] = []

    @grouped
    def verb(what: str, size: Size, *, loud: bool = False) -> None:
        came.append((what, size, loud))

    names = inspect.signature(verb).parameters
    assert list(names) == ["what", "width", "height", "loud"]
    assert names["height"].default is None
    verb(what="a", width=1, height=2, loud=True)
    assert came == [("a", Size(1, 2), True)]


def test_the_list_of_verbs_has_the_first_sentence_of_each() -> None:
    command: Any = get_command(app)
    for name, verb in VERBS.items():
        first = " ".join(command.commands[name].help.split("\n\n")[0].split())
        assert first == verb.summary, name
