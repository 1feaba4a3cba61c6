"""How subjects are told apart in charts: colour, dashes, and their names beside the lines."""

STYLES = ("throughput", "cpu", "overload", "p99", "users", "capacity")
"""Colours of the style sheet, apart for those who see few colours, too; more begin anew."""


def style(place: int) -> str:
    """The class of the subject in that place: its colour, and from the second on its dashes."""
    return f"{STYLES[place % len(STYLES)]} side-{min(place, 5)}"
