"""The line of a TOML file on which a key stands."""

from headcount import _engine
from headcount.fields.mistakes import LineOf, Place


def line_numbers(text: str) -> LineOf:
    """A function that finds the line of a key, or of the nearest thing around it.

    The file is only scanned when somebody asks: most files have no mistakes.
    """
    known: dict[Place, int] = {}

    def line_of(place: Place) -> int | None:
        if not known:
            known.update((tuple(key.split("\0")), line) for key, line in _lines(text))
        near = (place[:length] for length in range(len(place), 0, -1))
        return next((known[one] for one in near if one in known), 1 if known else None)

    return line_of


def below(line_of: LineOf, *above: str) -> LineOf:
    """The same for what stands below a key, as a workload does in a plan."""
    return lambda place: line_of((*above, *place))


def _lines(text: str) -> list[tuple[str, int]]:
    return _engine.toml_lines(text) or []
