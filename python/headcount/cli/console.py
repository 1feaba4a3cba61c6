"""Where the command line writes: answers to standard output, progress and errors beside it."""

import errno
import json
import os
import stat
import sys
from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from headcount.secret_text import redacted, redacted_values
from headcount.text import clean, escaped_json

if os.environ.get("COLUMNS") == "0":  # some terminals: width unknown
    del os.environ["COLUMNS"]


class Screen(Console):
    """A console that hides secrets, and goes on where nobody reads any more."""

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

    def _write_buffer(self) -> None:
        """Write what was printed; a terminal that was closed is a reader that has gone.

        So is a full disk with the messages: they are not what the work is for.
        """
        try:
            super()._write_buffer()
        except OSError as error:
            is_closed = error.errno == errno.EIO and _is_device(self.file)
            if not (self.stderr or is_closed):
                raise
            raise BrokenPipeError from error

    def on_broken_pipe(self) -> None:
        """Drop what follows: the exit code is that of the work. Rich would exit with 1."""
        drop(self.file)


out = Screen(highlight=False, soft_wrap=True, emoji=False)
err = Screen(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def drop(stream: IO[str]) -> None:
    """Drop what is written to a stream whose reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _is_device(stream: IO[str]) -> bool:
    return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)


def fail(message: str) -> None:
    """Print an error: one message, no traceback."""
    err.print("[bold red]error:[/]", end=" ")
    err.print(clean(message), markup=False)


def print_text(text: str, end: str = "\n") -> None:
    """Print text as it is, without its secrets."""
    _print(redacted(text), end)


def print_json(value: Any) -> None:
    """Print an answer for programs, without secrets."""
    _print(escaped_json(json.dumps(redacted_values(value), indent=1, ensure_ascii=False)), "\n")


def _print(text: str, end: str) -> None:
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError:
        drop(sys.stdout)
