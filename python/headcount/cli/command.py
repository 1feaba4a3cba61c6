"""Commands whose help shows texts as they are written: square brackets are no markup in them."""

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
        TyperCommand.format_help(_shown(self), ctx, formatter)


class Group(TyperGroup):
    """A verb of verbs, and the command line itself."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        import_help()
        TyperGroup.format_help(_shown(self), ctx, formatter)


UNUSED = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""What Typer's help imports for ways to show texts that are not used here."""


def import_help() -> None:
    """Import Typer's help without them: parsers of Markdown take a third of the CPU of `--help`."""
    if "typer.rich_utils" in sys.modules:
        return
    left_out = [name for name in UNUSED if name not in sys.modules]
    for name in left_out:
        sys.modules[name] = ModuleType(name)
        setattr(sys.modules[name], UNUSED[name], None)
    try:
        importlib.import_module("headcount.cli.console")  # mends the terminal's width first
        importlib.import_module("typer.rich_utils")
    finally:
        for name in left_out:
            del sys.modules[name]


def flowing(text: str) -> str:
    r"""A docstring whose paragraphs are a line each: the terminal breaks them where it ends.

    >>> flowing("One\ntwo.\n\n- a\n- b")
    'One two.\n\n- a\n- b'
    """
    paragraphs = inspect.cleandoc(text).split("\n\n")
    is_list = re.compile(r"^( |- )", re.MULTILINE)
    return "\n\n".join(one if is_list.search(one) else one.replace("\n", " ") for one in paragraphs)


def _shown(command: Any) -> Any:
    """A copy of a command as it is shown: its help flows, and Rich's marks are escaped."""
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
        shown.commands = {name: _shown(one) for name, one in command.commands.items()}
    return shown
