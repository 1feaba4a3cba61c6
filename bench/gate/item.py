"""An item of work: what is measured, and who takes turns at it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from bench.gate.results import OURS, Metric

__all__ = ["OURS", "Item", "Metric", "Sides", "Take"]

Take = Callable[[], Mapping[str, float]]
"""Measures once: values by the names of metrics."""


@dataclass(frozen=True)
class Sides:
    """Who takes turns, and which peers cannot.

    Attributes:
        takes: What measures each side once; Headcount's is called `headcount`.
        missing: Peers that are not measured, each with the reason and what to do.

    """

    takes: Mapping[str, Take]
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """One item of work.

    Attributes:
        name: What it is selected by.
        title: What one operation is.
        metrics: What is measured of it. Small is good in all of them.
        open: Starts what the item needs (a server, data) for as long as it is measured.
        most_rounds: Most rounds, if one takes long. At least four, or no difference could be
            distinguished from chance.

    """

    name: str
    title: str
    metrics: tuple[Metric, ...]
    open: Callable[[], AbstractContextManager[Sides]]
    most_rounds: int = 1000
