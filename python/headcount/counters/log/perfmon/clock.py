"""Times of the rows of a Windows log.

PDH writes MM/DD/YYYY HH:MM:SS.mmm in any locale. Spreadsheets and scripts that rewrite a log use
the order of their own locale; the dates of the whole log show which.
"""

import re
from array import array
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

_STAMP = re.compile(
    r"\s*(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})[ T,]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?"
    r"(?:[.,:](\d+))?\s*(?:([AaPp])\.?[Mm]\.?)?\s*"
)
_LONGEST_YEAR = 4
_MONTHS = 12
_NOON = 12

Fields = tuple[int, int, int, str, float]
"""The three parts of a date as written, what is between them, and the seconds of the day."""

_Date = tuple[int, int, int, str]


def fields(stamp: str) -> Fields | None:
    """Split a time into its fields; None if it is not a time."""
    found = _STAMP.fullmatch(stamp)
    if found is None:
        return None
    one, between, two, three, hour, minute, second, fraction, half = found.groups()
    hours = int(hour)
    if half is not None:
        hours = hours % _NOON + (_NOON if half in "Pp" else 0)
    seconds = hours * 3600 + int(minute) * 60 + int(second or 0)
    return int(one), int(two), int(three), between, seconds + float(f"0.{fraction or 0}")


class Stamps:
    """The times of all rows; stores each date once."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._dates: dict[_Date, int] = {}
        self._which = array("l")
        self._seconds = array("d")

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._seconds)

    def add(self, stamp: Fields) -> None:
        """Add the time of a row."""
        one, two, three, between, seconds = stamp
        self._which.append(self._dates.setdefault((one, two, three, between), len(self._dates)))
        self._seconds.append(seconds)

    def times(self, bias_min: int) -> NDArray[np.float64]:
        """Seconds since 1970 (UTC) of each row; ``bias_min`` is added to the log's times.

        Raises:
            ValueError: A date that does not exist.

        """
        order = _order(self._dates)
        midnights = np.array([_midnight(date[:3], order) for date in self._dates])
        times: NDArray[np.float64] = midnights[np.array(self._which)] + np.array(self._seconds)
        return times + bias_min * 60.0


def _order(stamps: Collection[_Date]) -> str:
    """The order of the parts of the dates: `YMD`, `DMY` or `MDY`."""
    dates = {(one, two, three) for one, two, three, _ in stamps}
    if any(one > 31 or len(str(one)) == _LONGEST_YEAR for one, _, _ in dates):
        return "YMD"
    if any(one > _MONTHS for one, _, _ in dates):
        return "DMY"
    if any(two > _MONTHS for _, two, _ in dates):
        return "MDY"
    usual, other = ("DMY", "MDY") if any(stamp[3] == "." for stamp in stamps) else ("MDY", "DMY")
    return other if _span(dates, other) < _span(dates, usual) else usual


def _span(dates: set[tuple[int, int, int]], order: str) -> float:
    midnights = [_midnight(date, order) for date in dates]
    return max(midnights) - min(midnights)


def _midnight(date: tuple[int, int, int], order: str) -> float:
    named = dict(zip(order, date, strict=True))
    year = named["Y"] if named["Y"] >= 100 else named["Y"] + 2000
    day = datetime(year, named["M"], 1, tzinfo=UTC) + timedelta(days=named["D"] - 1)
    if day.month != named["M"]:
        raise ValueError(f"no such date: {date}")
    return day.timestamp()
