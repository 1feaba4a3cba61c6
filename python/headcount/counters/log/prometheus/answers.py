"""Answers of Prometheus' HTTP API, read a series at a time."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log import pieces
from headcount.counters.log.prometheus.series import Machine, Series
from headcount.errors import InputError
from headcount.foreign.damage import DAMAGE

_BEGIN = re.compile(r'"result"\s*:\s*\[')
_BLANK = re.compile(r"\s*")
_ADDED = frozenset({"__name__", "instance", "job"})
"""Labels that Prometheus adds to those of an exporter."""

Points = tuple[Column, Column]
"""Times and values of one series."""


def answer_machines(path: Path, file: TextIO) -> tuple[list[Machine], int]:
    """The machines in answers to range queries, and the number of series without a name."""
    found: dict[str, dict[Series, list[Points]]] = {}
    unnamed = 0

    def take(_: int, some: Sequence[Mapping[str, Any]]) -> None:
        nonlocal unnamed
        for one in some:
            metric = one.get("metric", {})
            name = metric.get("__name__")
            if name is None:
                unnamed += 1
                continue
            labels = tuple(sorted((k, str(v)) for k, v in metric.items() if k not in _ADDED))
            machine = found.setdefault(str(metric.get("instance", "")), {})
            machine.setdefault((name, labels), []).append(_points(path, one))

    try:
        around = pieces.around(file, take, _BEGIN)
        for answer in _documents(around):
            _check(path, answer)
    except DAMAGE as error:
        raise InputError(
            f"{path} is not a complete response of Prometheus' HTTP API ({error}); save it again, "
            "for example with curl --output"
        ) from error
    return [_machine(name, series) for name, series in found.items()], unnamed


def _machine(name: str, series: dict[Series, list[Points]]) -> Machine:
    machine = Machine(name)
    times_s = np.unique(np.concatenate([at_s for parts in series.values() for at_s, _ in parts]))
    machine.rows.begin(times_s)
    for one in list(series):
        for at_s, numbers in series.pop(one):
            machine.rows.put(np.searchsorted(times_s, at_s), {one: numbers})
    return machine


def _points(path: Path, series: Mapping[str, Any]) -> Points:
    try:
        points = [(float(at_s), float(value)) for at_s, value in series.get("values", [])]
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"{path}: a series has a point that is not a time and a value") from error
    known = np.array([point for point in points if math.isfinite(point[1])]).reshape(-1, 2)
    return known[:, 0].copy(), known[:, 1].copy()


def _documents(text: str) -> Iterator[Any]:
    """Each answer of the text."""
    decoder, place = json.JSONDecoder(), 0
    while (blank := _BLANK.match(text, place)) is not None and blank.end() < len(text):
        answer, place = decoder.raw_decode(text, blank.end())
        yield answer


def _check(path: Path, answer: Mapping[str, Any]) -> None:
    """Raise InputError unless it is the answer to a range query."""
    if answer.get("status") != "success":
        reason = answer.get("error", "no reason given")
        raise InputError(f"{path}: Prometheus refused the query: {reason}")
    kind = answer.get("data", {}).get("resultType")
    if kind != "matrix":
        raise InputError(
            f"{path} is a response of type {kind} for one moment; query a range with "
            "/api/v1/query_range"
        )
