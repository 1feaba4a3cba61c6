"""Logs of Windows as its programs write them, made for tests."""

from collections.abc import Sequence
from datetime import datetime, timedelta

START = datetime(2026, 3, 2, 9, 0, 0)  # noqa: DTZ001  # a log's times are local
ZONE = "(PDH-CSV 4.0) (Romance Standard Time)(-60)"
START_S = 1772438400.0
"""START in a zone that is an hour ahead of UTC (`date -u -d '2026-03-02 08:00' +%s`)."""


def cell(value: float | None, *, comma: bool = False) -> str:
    text = " " if value is None else f"{value:.15g}"
    return text.replace(".", ",") if comma else text


def stamp(row: int) -> str:
    return (START + timedelta(seconds=row)).strftime("%m/%d/%Y %H:%M:%S.%f")[:-3]


def pdh(
    columns: dict[str, Sequence[float | None]],
    *,
    mark: str = ZONE,
    host: str = "FILES1",
    delimiter: str = ",",
    comma: bool = False,
) -> str:
    """Return the text relog writes of these columns, a row a second from START."""
    names = [path if path.startswith("\\\\") else f"\\\\{host}\\{path}" for path in columns]
    lines = [delimiter.join(f'"{name}"' for name in [mark, *names])]
    for row, values in enumerate(zip(*columns.values(), strict=True)):
        cells = [stamp(row), *(cell(value, comma=comma) for value in values)]
        lines.append(delimiter.join(f'"{text}"' for text in cells))
    return "\r\n".join(lines) + "\r\n"
