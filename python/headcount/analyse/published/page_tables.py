"""Tables of the page of published results."""

from collections.abc import Mapping, Sequence


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """A table of rows with the same columns; empty columns are dropped."""
    names = [name for name in rows[0] if any(row[name] for row in rows)]
    head = [_line(names), f"|{'---|' * len(names)}"]
    return "\n".join([*head, *(_line([row[name] for name in names]) for row in rows)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def shared_place(places: Sequence[str]) -> str:
    """The comma-separated parts with which all places begin."""
    parts = [place.split(", ") for place in places]
    shared = []
    for those in zip(*parts, strict=False):
        if len(set(those)) > 1:
            break
        shared.append(those[0])
    return ", ".join(shared)
