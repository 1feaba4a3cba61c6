"""Commands whose help shows texts as they are written: square brackets are no markup in them."""

import copy
import importlib
import sys
from types import ModuleType
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A verb."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        import_help()
        TyperCommand.format_help(_escaped(self), ctx, formatter)


class Group(TyperGroup):
    """A verb of verbs, and the command line itself."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help."""
        import_help()
        TyperGroup.format_help(_escaped(self), ctx, formatter)


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


def _escaped(command: Any) -> Any:
    """A copy of a command with Rich's marks escaped in all its texts."""
    from rich.markup import escape

    shown = copy.copy(command)
    for name in ("help", "short_help", "epilog"):
        text = getattr(shown, name, None)
        setattr(shown, name, escape(text) if text else text)
    if hasattr(shown, "params"):
        shown.params = [copy.copy(param) for param in shown.params]
        for param in shown.params:
            param.help = escape(param.help) if param.help else param.help
    if isinstance(command, TyperGroup):
        shown.commands = {name: _escaped(one) for name, one in command.commands.items()}
    return shown
