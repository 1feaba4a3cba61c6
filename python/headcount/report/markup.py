"""HTML and SVG built from elements, so that escaping is the rule and not a habit.

Everything that is not :class:`Html` is escaped, wherever it comes from. There are no templates in
which to forget an escape.
"""

from collections.abc import Iterable
from html import escape

from headcount.text import clean

_EMPTY = frozenset({"meta", "link", "br"})
_SELF_CLOSING = frozenset({"path", "rect", "line"})


class Html(str):
    """Safe markup, which only :func:`element` and :func:`joined` make."""

    __slots__ = ()


Value = str | float | bool | None
"""What an attribute may be."""


def element(tag: str, *children: str | None, **attributes: Value) -> Html:
    """Make one element.

    Args:
        tag: Its name; given by our code, never by data.
        children: Text, which is escaped, or markup; None is left out.
        attributes: ``class_`` is class and ``aria_label`` is aria-label; None and False are left
            out, True has no value.

    """
    start = f"<{tag}{''.join(_attribute(name, value) for name, value in attributes.items())}"
    if tag in _EMPTY:
        return Html(f"{start}>")
    if tag in _SELF_CLOSING:
        return Html(f"{start}/>")
    return Html(f"{start}>{joined(children)}</{tag}>")


def joined(parts: Iterable[str | None]) -> Html:
    """Concatenate text and markup; text is escaped, None is left out."""
    return Html("".join(_safe(part) for part in parts if part is not None))


def _safe(part: str) -> str:
    return part if isinstance(part, Html) else escape(clean(part), quote=False)


def _attribute(name: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = number(value) if isinstance(value, int | float) else clean(value)
    return f' {name}="{escape(text, quote=True)}"'


def number(value: float) -> str:
    """A number as an attribute, to a tenth, which is finer than a pixel.

    >>> [number(x) for x in (3, 2.25, -0.01)]
    ['3', '2.2', '0']
    """
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
