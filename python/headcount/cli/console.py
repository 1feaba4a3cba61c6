"""Where the command line writes: answers to standard output, progress and errors beside it."""

import json
import os
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from headcount.secret_text import redacted, redacted_values
from headcount.text import clean, escaped_json

if os.environ.get("COLUMNS") == "0":  # some terminals: width unknown
    del os.environ["COLUMNS"]


class Screen(Console):
    """A console that hides secrets, and lets the command line handle a broken pipe."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render text without its secrets, also in tables and live displays."""
        if isinstance(renderable, str):
            renderable = redacted(renderable)
        elif (
            isinstance(renderable, Text)
            and (safe := redacted(renderable.plain)) != renderable.plain
        ):
            renderable = Text(
                safe,
                style=renderable.style,
                justify=renderable.justify,
                overflow=renderable.overflow,
                no_wrap=renderable.no_wrap,
                end=renderable.end,
            )
        return super().render(renderable, options)

    def on_broken_pipe(self) -> None:
        """Raise what printing raises; Rich would exit with 1, which means failed criteria."""
        raise BrokenPipeError


out = Screen(highlight=False, soft_wrap=True, emoji=False)
err = Screen(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def fail(message: str) -> None:
    """Print an error: one message, no traceback."""
    err.print("[bold red]error:[/]", end=" ")
    err.print(clean(message), markup=False)


def print_text(text: str, end: str = "\n") -> None:
    """Print text as it is, without its secrets."""
    print(redacted(text), end=end, flush=True)


def print_json(value: Any) -> None:
    """Print an answer for programs, without secrets."""
    print(escaped_json(json.dumps(redacted_values(value), indent=1, ensure_ascii=False)))
