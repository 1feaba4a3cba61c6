"""The keys of the screen: each one's name and effect, for the footer, the help and the docs."""

from textual.binding import Binding, BindingType

CHART, ALERTS, LOG, REPORT = "chart-view", "alerts", "log", "report"

KEYS: tuple[tuple[str, str, str, str], ...] = (
    ("1", "view('chart-view')", "Chart", "lines over time, each with its own scale"),
    ("2", "view('alerts')", "Alerts", "thresholds, and when counters exceeded them"),
    ("3", "view('log')", "Log", "the log being written, the sources, and what watching costs"),
    ("4", "view('report')", "Report", "the latest value of every counter"),
    ("a", "add", "Add", "add counters: a list to search, each with its meaning"),
    ("d,delete", "remove", "Remove", "remove the chosen counter, or the chosen alert"),
    ("plus,equals_sign", "scale(1)", "Scale up", "show the chosen counter ten times as high"),
    ("minus", "scale(-1)", "Scale down", "show the chosen counter a tenth as high"),
    ("0", "fit", "Fit", "scale the chosen counter to its values again"),
    ("h", "highlight", "Highlight", "highlight the chosen counter"),
    ("space", "freeze", "Freeze", "pause or resume the chart"),
    ("b", "bookmark", "Bookmark", "add a note to this moment; the log keeps it"),
    ("e", "explain", "Explain", "what the chosen counter means, its thresholds and their sources"),
    ("t", "alert", "Threshold", "set an alert, such as CPU busy>90%"),
    ("w", "write", "Write log", "start or stop writing a log"),
    ("i", "interval", "Interval", "change the sampling interval"),
    ("x", "export", "Export", "save what is on the screen as CSV"),
    ("left_square_bracket", "zoom(-1)", "Shorter", "show a shorter time"),
    ("right_square_bracket", "zoom(1)", "Longer", "show a longer time, up to everything"),
    ("left", "move(-1)", "Back", "go back by half of the time shown"),
    ("right", "move(1)", "Forward", "go forward in time"),
    ("question_mark", "keys", "Keys", "this list"),
    ("q,ctrl+c", "leave", "Quit", "quit and close the log"),
)
"""Key, action, name and meaning."""

SIGNS = {
    "plus,equals_sign": "+",
    "minus": "-",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "left": "\N{LEFTWARDS ARROW}",
    "right": "\N{RIGHTWARDS ARROW}",
    "d,delete": "d",
    "q,ctrl+c": "q",
    "space": "space",
}
"""How keys are written that are not letters."""
_FOOTER = ("a", "d,delete", "h", "space", "b", "e", "question_mark", "q,ctrl+c")
"""Those for which there is room in 80 columns."""


def bindings() -> list[BindingType]:
    """All keys for Textual; they take precedence over tables' use of the same keys."""
    return [
        Binding(
            key, action, name, show=key in _FOOTER, key_display=SIGNS.get(key, key), priority=True
        )
        for key, action, name, _ in KEYS
    ]


def page() -> list[str]:
    """The list for people."""
    lines = [f"{SIGNS.get(key, key):<6}{name:<11}{meaning}" for key, _, name, meaning in KEYS]
    return ["Keys", "\n".join(lines), "Up and down choose a counter. Escape leaves a dialog."]
