"""One page of an exporter: the samples of the requested metrics, by their labels.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/ (text format 0.0.4).
"""

import math
from collections.abc import Collection, Mapping
from types import MappingProxyType

from prometheus_client.parser import text_string_to_metric_families

from headcount.errors import InputError

Labels = tuple[tuple[str, str], ...]
"""A series' labels in order of their names."""
Page = Mapping[str, Mapping[Labels, float]]
"""Samples by metric and labels."""


def parse(text: str, metrics: Collection[str] | None = None) -> Page:
    """Parse a page: the requested metrics, or all.

    Lines of other metrics are skipped before parsing: an exporter that reports every process writes
    a hundred times more than is needed. Values that are not finite are left out. Raises InputError
    if a requested line is malformed.
    """
    wanted = [
        line
        for line in _lines(text)
        if line
        and line[0] != "#"
        and (metrics is None or line[: _end_of_name(line)].rstrip() in metrics)
    ]
    page: dict[str, dict[Labels, float]] = {}
    try:
        for family in text_string_to_metric_families("\n".join(wanted) + "\n"):
            for sample in family.samples:
                if math.isfinite(sample.value):
                    labels = tuple(sorted(sample.labels.items()))
                    page.setdefault(sample.name, {})[labels] = float(sample.value)
    except (ValueError, IndexError, KeyError) as error:
        raise InputError(f"this is not Prometheus' text format: {error}") from error
    return MappingProxyType(page)


def names(text: str) -> set[str]:
    """The metrics on a page, whatever their values are."""
    return {line[: _end_of_name(line)].rstrip() for line in _lines(text) if line and line[0] != "#"}


def _lines(text: str) -> list[str]:
    """Lines end only with a line feed: any other character may be in a label."""
    return text.split("\n")


def _end_of_name(line: str) -> int:
    brace, blank = line.find("{"), line.find(" ")
    ends = [end for end in (brace, blank) if end >= 0]
    return min(ends, default=len(line))
