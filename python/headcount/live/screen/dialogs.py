"""Dialogs: a line to type, a page to read."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from headcount.errors import HeadcountError

_BOX = """
    align: center middle;
    & > #box { width: 90%; max-width: 100; height: auto; max-height: 90%; border: round $primary;
               padding: 0 1; background: $surface; }
"""


class Ask(ModalScreen[str | None]):
    """One line to type; an error shows before it is taken.

    Args:
        question: What to type.
        given: What is there already.
        check: Raises an error of Headcount for what cannot be taken.

    """

    DEFAULT_CSS = f"Ask {{ {_BOX} }}"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave")]

    def __init__(
        self, question: str, given: str = "", check: Callable[[str], object] | None = None
    ) -> None:
        """Nothing typed yet."""
        super().__init__()
        self._question, self._given, self._check = question, given, check

    def compose(self) -> ComposeResult:
        """A question, a line, and room for what is wrong."""
        with Vertical(id="box"):
            yield Static(Text(self._question))
            yield Input(self._given, id="typed")
            yield Static("", id="wrong")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it, or say why not."""
        typed = event.value.strip()
        if not typed:
            self.dismiss(None)
            return
        try:
            if self._check is not None:
                self._check(typed)
        except HeadcountError as error:
            self.query_one("#wrong", Static).update(Text(str(error), style="bold red"))
            return
        self.dismiss(typed)

    def action_leave(self) -> None:
        """Take nothing."""
        self.dismiss(None)


class Page(ModalScreen[None]):
    """Paragraphs to read; the first is the heading."""

    DEFAULT_CSS = f"Page {{ {_BOX} & > #box > Static {{ margin-bottom: 1; }} }}"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,e,enter,question_mark", "leave", "Leave")
    ]

    def __init__(self, paragraphs: Sequence[str]) -> None:
        """Show paragraphs."""
        super().__init__()
        self._paragraphs = paragraphs

    def compose(self) -> ComposeResult:
        """A heading, and the rest."""
        with VerticalScroll(id="box"):
            for number, paragraph in enumerate(self._paragraphs):
                yield Static(Text(paragraph, style="bold" if number == 0 else ""))

    def action_leave(self) -> None:
        """Close it."""
        self.dismiss(None)
