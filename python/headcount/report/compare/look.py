"""How charts distinguish subjects: colour, dashes, and names beside the lines."""

STYLES = ("throughput", "cpu", "overload", "p99", "users", "capacity")
"""Colours of the style sheet, distinct for colour-blind readers, too; more subjects repeat them."""


def style(place: int) -> str:
    """The classes of the subject at that index: its colour, and dashes from the second on."""
    return f"{STYLES[place % len(STYLES)]} side-{min(place, 5)}"
