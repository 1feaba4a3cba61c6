"""Where the command line writes: answers to standard output, progress and errors beside it."""

import json
import os
from typing import Any

from rich.console import Console

if os.environ.get("COLUMNS") == "0":  # as some terminals say that they do not know
    del os.environ["COLUMNS"]


class Screen(Console):
    """A console that leaves it to the command line to end when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """Raise what printing raises; Rich would exit with 1, which means failed criteria."""
        raise BrokenPipeError


out = Screen(highlight=False, soft_wrap=True, emoji=False)
err = Screen(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def fail(message: str) -> None:
    """Print an error: one message, no traceback."""
    err.print("[bold red]error:[/]", end=" ")
    err.print(message, markup=False)


def print_json(value: Any) -> None:
    """Print an answer for programs."""
    print(json.dumps(value, indent=1, ensure_ascii=False))
