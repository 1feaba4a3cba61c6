"""Colours of lines and of what stands around them."""

from rich.style import Style

COLOURS = tuple(
    Style(color=colour)
    for colour in (
        "#5fd787",
        "#5fafff",
        "#ffaf5f",
        "#ff5f87",
        "#d7afff",
        "#ffff87",
        "#5fffff",
        "#d0d0d0",
    )
)
"""By number. They differ in brightness as well as in hue; the selected line is drawn on top."""
STRONG = Style(color="#ffffff", bold=True)
"""The selected line when it is highlighted."""
FAINT = Style(color="#6c6c6c")
"""All others meanwhile; the axes."""
MARKED = Style(color="#ffff87", bold=True)
"""Bookmarks."""
HEAD = Style(bold=True, underline=True)
CHOSEN = Style(reverse=True)
"""The selected row."""
