"""A panel: the rectangle one scale of values is drawn in."""

from dataclasses import dataclass

from headcount.report.chart.scale import Scale


@dataclass(frozen=True, slots=True)
class Panel:
    """Where lines are drawn, and the scales that place them.

    Attributes:
        left: Left edge, in pixels of the drawing.
        top: Upper edge.
        right: Right edge.
        bottom: Lower edge.
        x: Scale from ``left`` to ``right``.
        y: Scale from ``bottom`` to ``top``.

    """

    left: float
    top: float
    right: float
    bottom: float
    x: Scale
    y: Scale
