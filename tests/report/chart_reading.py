"""Reads figures back from their drawings: places of marks and lines, and what the axes say."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from headcount.report.markup import Html

Place = tuple[float, float]


@dataclass(frozen=True)
class Drawing:
    """A drawing that was parsed as XML."""

    root: ET.Element

    @classmethod
    def of(cls, svg: Html) -> "Drawing":
        return cls(ET.fromstring(svg))  # noqa: S314  our own drawing

    def classed(self, tag: str, *classes: str) -> list[ET.Element]:
        wanted = set(classes)
        return [e for e in self.root.iter(tag) if wanted <= set((e.get("class") or "").split())]

    def marks(self, style: str) -> list[Place]:
        """Places of the marks of a style; those of legends are not among them."""
        found = [
            e
            for e in self.classed("path", "dot", style)
            if not {"key", "ceiling"} & set((e.get("class") or "").split())
        ]
        return [place for e in found for place in middles(e.get("d") or "")]

    def line(self, style: str) -> list[Place]:
        for e in self.classed("path", "line", style):
            if "key" not in (e.get("class") or ""):
                return places(e.get("d") or "")
        return []

    def texts(self, *classes: str) -> list[tuple[str, float, float]]:
        return [
            (e.text or "", float(e.get("x") or 0), float(e.get("y") or 0))
            for e in self.classed("text", *classes)
        ]


def places(data: str) -> list[Place]:
    """The points that a path goes through."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", data)]


def middles(data: str) -> list[Place]:
    """The middles of the strokes of marks: a dot's has no length, a square's that of a side."""
    found = re.findall(r"M([-\d.]+) ([-\d.]+)h([\d.]+)", data)
    return [(float(x) + float(length) / 2, float(y)) for x, y, length in found]


def scale(ticks: list[tuple[float, float]]):
    """From a coordinate to a value, by two ticks: (coordinate, value) of a linear axis."""
    (one, low), *_, (other, high) = ticks
    return lambda place: low + (place - one) * (high - low) / (other - one)


def pixels(path: Path) -> Counter[str]:
    """How many pixels of a portable pixmap have each colour."""
    kind, width, height, most, data = path.read_bytes().split(maxsplit=4)
    assert (kind, most) == (b"P6", b"255")
    assert len(data) == 3 * int(width) * int(height)
    return Counter(f"#{data[at : at + 3].hex()}" for at in range(0, len(data), 3))
