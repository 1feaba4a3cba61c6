"""Renders a document with Typst."""

import datetime as dt
import json
import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import typst

from headcount.errors import HeadcountError, InputError
from headcount.report.brand.template import HEADCOUNT, Brand
from headcount.report.document.blocks import Document, Figure
from headcount.report.pdf.drawing import whole
from headcount.report.pdf.payload import payload
from headcount.report.pdf.title import title_page

ROUNDS = 8
"""Attempts to replace characters that no font has; each reports all it met, so one should do."""
SERIF = "Libertinus Serif"
"""The default typeface of reports; the library includes it."""

_UNDRAWN = re.compile(r'the text `"(.+?)"` could not be displayed')
_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]+)\}|\\(.)")
_EPOCH = dt.datetime(1980, 1, 1, tzinfo=dt.UTC)


def pdf(document: Document, brand: Brand = HEADCOUNT) -> bytes:
    """Render a document as PDF/UA-1: tagged, with text for every figure.

    Pure: the same document and brand give the same bytes on any machine. Raises InputError if
    the brand's typeface or logo cannot be used.
    """
    fonts = _fonts(brand.fonts)
    family = brand.template.type.family if brand.template.type else SERIF
    if family not in fonts.families():
        raise InputError(
            f"there is no font {family!r} in {brand.fonts}; there are: "
            f"{', '.join(fonts.families())}"
        )
    moment = _moment(document.measured_at)

    def draw(figure: Figure) -> str:
        return whole(figure, family)

    data = payload(document, draw) | title_page(document, brand, family)
    data["date"] = [moment.year, moment.month, moment.day] if moment else None
    return _set(data, fonts, moment or _EPOCH)


def _set(data: dict[str, Any], fonts: typst.Fonts, moment: dt.datetime) -> bytes:
    """Render it; characters that no font has are replaced by their code points."""
    source = files("headcount.report.pdf").joinpath("template.typ").read_bytes()
    text = json.dumps(data, ensure_ascii=False)
    for _ in range(ROUNDS):
        compiler = typst.Compiler(
            source, font_paths=fonts, ignore_system_fonts=True, sys_inputs={"data": text}
        )
        try:
            made = compiler.compile(
                format="pdf", pdf_standards=["ua-1"], timestamp=int(moment.timestamp())
            )
        except typst.TypstError as error:
            undrawn = set(_UNDRAWN.findall(error.diagnostic))
            if not undrawn:
                raise HeadcountError(
                    f"the report cannot be laid out: {error.diagnostic}"
                ) from error
            text = _without(text, undrawn)
            continue
        if isinstance(made, bytes):
            return made
    raise HeadcountError("no font of the report has some of its characters")


def _without(text: str, undrawn: set[str]) -> str:
    """Replace characters that no font has by their code points."""
    for found in undrawn:
        plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], found)
        for character in plain:
            if not character.isascii():
                text = text.replace(character, f"[U+{ord(character):04X}]")
    return text


@lru_cache(maxsize=4)
def _fonts(folder: Path | None) -> typst.Fonts:
    """The fonts of the library and of a folder; none of the machine's."""
    return typst.Fonts(include_system_fonts=False, font_paths=[folder] if folder else [])


def _moment(measured_at: str) -> dt.datetime | None:
    try:
        found = dt.datetime.fromisoformat(measured_at)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)
