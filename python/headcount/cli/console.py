"""Where the command line writes: answers to standard output, progress and errors beside it."""

import json
from typing import Any

from rich.console import Console

out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def fail(message: str) -> None:
    """Print an error: one message, no traceback."""
    err.print("[bold red]error:[/]", end=" ")
    err.print(message, markup=False)


def print_json(value: Any) -> None:
    """Print an answer for programs."""
    print(json.dumps(value, indent=1, ensure_ascii=False))
