"""Colours of a template: six hexadecimal digits that can be read on white paper."""

import re

from headcount.errors import InputError

LEAST_CONTRAST = 4.5
"""Contrast of text to its background: the level AA of the Web Content Accessibility Guidelines 2.1,
1.4.3, which PDF/UA refers to as well."""

_FORM = re.compile(r"#[0-9a-fA-F]{6}")


def check(text: str) -> str:
    """Return a colour unchanged; raises InputError if it is not one, or too light to read."""
    if _FORM.fullmatch(text) is None:
        raise InputError(f'it is "{text}"; write a colour as six hexadecimal digits: "#0b4f95"')
    contrast = to_white(text)
    if contrast < LEAST_CONTRAST:
        raise InputError(
            f"{text} is too light for text on white paper: its contrast is {contrast:.1f} to 1, "
            f"and at least {LEAST_CONTRAST} to 1 is needed to read it; take a darker one"
        )
    return text.lower()


def to_white(colour: str) -> float:
    """The contrast of a colour to white, from 1 (white) to 21 (black); WCAG 2.1, definitions."""
    return 1.05 / (luminance(colour) + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance of a colour in sRGB, from 0 to 1; WCAG 2.1, definitions.

    >>> luminance("#ffffff"), luminance("#000000")
    (1.0, 0.0)
    """
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
