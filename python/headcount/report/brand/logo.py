"""Logos: a PNG, or an SVG with nothing but a drawing, both as SVG."""

import base64
import struct
import zlib
from pathlib import Path

from headcount.errors import InputError
from headcount.foreign.file import opened
from headcount.report.brand.vector import check_vector

MOST_BYTES = 500_000
"""Larger than any page needs; the report should stay small."""
MOST_PIXELS = 3000
"""Width and height of a PNG: 15 mm of a page are 350 pixels at 600 dots per inch."""

_PNG = b"\x89PNG\r\n\x1a\n"


def load_logo(path: Path) -> str:
    """Read a logo as the text of an SVG; raises InputError that says what is wrong with it."""
    try:
        with opened(path) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"the logo {path} cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise InputError(
            f"the logo {path} has more than {MOST_BYTES:,} bytes; make it smaller, or save it as "
            "an SVG of plain paths"
        )
    if data.startswith(_PNG):
        return _of_png(data, path)
    return check_vector(data, path)


def _of_png(data: bytes, path: Path) -> str:
    """Put a PNG into an SVG of its size, so that every logo is drawn the same way."""
    width, height = _size(data, path)
    picture = base64.b64encode(data).decode("ascii")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><image width="{width}" height="{height}" '
        f'href="data:image/png;base64,{picture}"/></svg>'
    )


def _size(data: bytes, path: Path) -> tuple[int, int]:
    """Width and height of a PNG with all its chunks intact (PNG specification, 5 and 11.2.2)."""
    torn = InputError(f"the logo {path} is a damaged PNG; save it again")
    place, size = len(_PNG), (0, 0)
    kind = b""
    while place < len(data):
        if place + 8 > len(data):
            raise torn
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        end = place + 12 + length
        if end > len(data):
            raise torn
        (stated,) = struct.unpack(">I", data[end - 4 : end])
        if zlib.crc32(data[place + 4 : end - 4]) != stated:
            raise torn
        if kind == b"IHDR" and length == 13:
            size = struct.unpack(">II", data[place + 8 : place + 16])
        place = end
    if kind != b"IEND" or min(size) < 1:
        raise torn
    if max(size) > MOST_PIXELS:
        raise InputError(
            f"the logo {path} is {size[0]:,} by {size[1]:,} pixels; the largest size is "
            f"{MOST_PIXELS:,} each way, and 1,000 is enough"
        )
    return size
