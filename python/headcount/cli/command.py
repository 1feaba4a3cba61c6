"""Commands whose help shows texts literally: square brackets in them are not markup."""

import copy
import importlib
import inspect
import re
import sys
from types import ModuleType
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A verb."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        import_help()
        TyperCommand.format_help(_display_copy(self), ctx, formatter)


class Group(TyperGroup):
    """A verb of verbs, and the command line itself."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        import_help()
        TyperGroup.format_help(_display_copy(self), ctx, formatter)


UNUSED = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""Modules that Typer's help imports and Headcount's help does not use."""


def import_help() -> None:
    """Import Typer's help without `UNUSED`: Markdown parsers take a third of `--help`'s CPU."""
    if "typer.rich_utils" in sys.modules:
        return
    left_out = [name for name in UNUSED if name not in sys.modules]
    for name in left_out:
        sys.modules[name] = ModuleType(name)
        setattr(sys.modules[name], UNUSED[name], None)
    try:
        importlib.import_module("headcount.cli.console")  # corrects the terminal's width first
        importlib.import_module("typer.rich_utils")
    finally:
        for name in left_out:
            del sys.modules[name]


def flowing(text: str) -> str:
    r"""A docstring with each paragraph on one line, which the terminal wraps at its own width.

    >>> flowing("One\ntwo.\n\n- a\n- b")
    'One two.\n\n- a\n- b'
    """
    paragraphs = inspect.cleandoc(text).split("\n\n")
    is_list = re.compile(r"^( |- )", re.MULTILINE)
    return "\n\n".join(one if is_list.search(one) else one.replace("\n", " ") for one in paragraphs)


def _display_copy(command: Any) -> Any:
    """A copy of a command for display: its help flows, and Rich's markup is escaped."""
    from rich.markup import escape

    shown = copy.copy(command)
    for name in ("help", "short_help", "epilog"):
        text = getattr(shown, name, None)
        if text:
            setattr(shown, name, escape(flowing(text) if name == "help" else text))
    if hasattr(shown, "params"):
        shown.params = [copy.copy(param) for param in shown.params]
        for param in shown.params:
            param.help = escape(param.help) if param.help else param.help
    if isinstance(command, TyperGroup):
        shown.commands = {name: _display_copy(one) for name, one in command.commands.items()}
    return shown
