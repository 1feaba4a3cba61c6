"""Stacks samples of sadf's JSON: a column per figure instead of an object per sample.

Samples of a log have the same sections with the same fields, unless a disk or link comes or goes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.counters.columns import Column
from headcount.counters.log.sysstat.figures import FIELDS, IDENTITIES, SECTIONS, Figure

_NUMBERS = frozenset({int, float, bool})
"""Python types of JSON numbers; a boolean counts as 0 or 1."""


class _UnlikeError(Exception):
    """Samples do not have the same fields."""


def batches(samples: Sequence[Figure]) -> Iterator[tuple[NDArray[np.intp] | slice, dict[str, Any]]]:
    """The samples in one batch per shape: their indexes, and the stacked sample.

    In a stacked sample every number is a column with its value in each of the samples.
    """
    try:
        yield slice(None), _sections(samples)
    except _UnlikeError:
        shapes: dict[object, list[int]] = {}
        for place, sample in enumerate(samples):
            shapes.setdefault(_shape(sample, SECTIONS), []).append(place)
        for places in shapes.values():
            yield np.array(places), _sections([samples[place] for place in places])


def _sections(samples: Sequence[Figure]) -> dict[str, Any]:
    if len(set(map(tuple, samples))) > 1:
        raise _UnlikeError
    names = [name for name in samples[0] if name in SECTIONS]
    return dict(zip(names, map(_stacked, _fields(samples, names)), strict=True))


def _fields(figures: Sequence[Figure], names: Sequence[str]) -> Iterable[Sequence[Any]]:
    """The values of each of these fields in all figures, all of which have them."""
    if len(names) < 2:
        return [[figure[name] for figure in figures] for name in names]
    return zip(*map(itemgetter(*names), figures), strict=True)


def _used(figure: Figure, wanted: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in figure.items() if name in wanted}


def _stacked(values: Sequence[Any]) -> Any:
    """Stacks the values at one place in all samples; raises _UnlikeError if their shapes differ."""
    kinds = set(map(type, values))
    if kinds <= _NUMBERS:
        return _column(values)
    if len(kinds) > 1:
        raise _UnlikeError
    first = values[0]
    if isinstance(first, dict):
        if len(set(map(tuple, values))) > 1:
            raise _UnlikeError
        names = [name for name in first if name in FIELDS]
        return {
            name: _alike(column) if name in IDENTITIES else _stacked(column)
            for name, column in zip(names, _fields(values, names), strict=True)
        }
    if isinstance(first, list):
        if len(set(map(len, values))) > 1:
            raise _UnlikeError
        return [_stacked(items) for items in zip(*values, strict=True)]
    return _alike(values)


def _alike(values: Sequence[Any]) -> Any:
    """The value that all share; raises _UnlikeError if they differ."""
    first = values[0]
    if values.count(first) < len(values) and len(set(map(repr, values))) > 1:
        raise _UnlikeError
    return first


def _column(values: Sequence[Any]) -> Column:
    try:
        return np.fromiter(values, np.float64, len(values))
    except OverflowError:  # an integer with over 300 digits
        return np.array([value if abs(value) < 1e300 else np.nan for value in values], np.float64)


def _shape(value: object, wanted: Collection[str] = FIELDS) -> object:
    """A key that two samples share exactly if they can be stacked."""
    if isinstance(value, Mapping):
        inner = _used(value, wanted).items()
        return tuple(value), *(
            repr(one) if key in IDENTITIES else _shape(one) for key, one in inner
        )
    if isinstance(value, list):
        return list, *map(_shape, value)
    return _NUMBERS if isinstance(value, bool | int | float) else repr(value)
