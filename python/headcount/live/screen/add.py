"""The dialog that adds counters: a list to search, each with its explanation."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from headcount.live.explanation import explanation
from headcount.live.line import title
from headcount.live.monitor import Monitor
from headcount.text import clean

Key = tuple[str, str]


def matching_keys(catalogue: Mapping[str, Sequence[str]], typed: str) -> list[Key]:
    """The counters whose label or name has every word that was typed, by label.

    >>> matching_keys({"a": ["system.cpu.utilization", "system.disk.utilization"]}, "cpu busy")
    [('a', 'system.cpu.utilization')]
    """
    words = typed.casefold().split()
    keys = [(source, name) for source, names in catalogue.items() for name in names]
    matching = [
        (source, name)
        for source, name in keys
        if all(word in f"{title(name)} {name} {source}".casefold() for word in words)
    ]
    return sorted(matching, key=lambda key: (title(key[1]).casefold(), key))


class Add(ModalScreen[None]):
    """Type to search, Enter adds the chosen one or takes it away again, Escape ends."""

    DEFAULT_CSS = """
    Add { align: center middle;
      & > #box { width: 95%; max-width: 110; height: 95%; border: round $primary; padding: 0 1;
                 background: $surface; }
      & #found { height: 1fr; border: none; }
      & #meaning { height: 7; border-top: solid $primary; } }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave"),
        Binding("down", "next(1)", "Next", priority=True),
        Binding("up", "next(-1)", "Previous", priority=True),
    ]

    def __init__(self, monitor: Monitor) -> None:
        """Of what a monitor's sources give."""
        super().__init__()
        self._monitor = monitor
        self._keys: list[Key] = []

    def compose(self) -> ComposeResult:
        """What is typed, what is found, what it means."""
        with Vertical(id="box"):
            yield Static("Add counters: type to search, Enter adds or removes, Escape ends")
            yield Input(placeholder="disk write, cpu, system.network...", id="typed")
            yield OptionList(id="found", compact=True)
            yield Static("", id="meaning")

    def on_mount(self) -> None:
        """List everything."""
        self._search("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what is found."""
        self._search(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add the chosen one, or take it away."""
        event.stop()
        options = self.query_one("#found", OptionList)
        self._toggle(options.highlighted)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Add what was clicked, or take it away."""
        self._toggle(event.option_index)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Explain the chosen one."""
        name = self._keys[event.option_index][1]
        parts = explanation(name)[1:]
        self.query_one("#meaning", Static).update(Text("\n".join(parts)))

    def action_next(self, step: int) -> None:
        """Choose another one while typing goes on."""
        options = self.query_one("#found", OptionList)
        if step > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def action_leave(self) -> None:
        """End."""
        self.dismiss(None)

    def _toggle(self, number: int | None) -> None:
        if number is None or number >= len(self._keys):
            return
        source, name = self._keys[number]
        line = next((one for one in self._monitor.lines if one.key == (source, name)), None)
        if line is None:
            self._monitor.add(source, name)
        else:
            self._monitor.remove(line)
        options = self.query_one("#found", OptionList)
        options.replace_option_prompt_at_index(number, self._prompt((source, name)))

    def _search(self, typed: str) -> None:
        options = self.query_one("#found", OptionList)
        self._keys = matching_keys(self._monitor.catalogue(), typed)
        options.clear_options()
        options.add_options([Option(self._prompt(key)) for key in self._keys])
        if self._keys:
            options.highlighted = 0
        else:
            self.query_one("#meaning", Static).update("No counter matches.")

    def _prompt(self, key: Key) -> Text:
        source, name = key
        shown = any(line.key == key for line in self._monitor.lines)
        several = len(self._monitor.sources) > 1
        mark = "\N{CHECK MARK} " if shown else "  "
        text = Text(f"{mark}{title(name)}", no_wrap=True)
        text.append(f"  {clean(source)}" if several else "", style="dim")
        return text
