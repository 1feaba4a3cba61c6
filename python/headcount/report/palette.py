"""The colours of a page and of its figures, for the screen in light and dark and for paper."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

Scheme = Literal["light", "dark", "print"]


@cache
def page(scheme: Scheme) -> Mapping[str, str]:
    """Return the colours of text, cards and rules by name, as ``#rrggbb``."""
    return _part(scheme, "page")


@cache
def drawn(scheme: Scheme) -> Mapping[str, str]:
    """Return the colours of drawings, by class, as ``#rrggbb``."""
    return _part(scheme, "drawn")


def variables() -> str:
    """Return style rules that define all colours as variables and assign them to classes.

    Drawings get their colours by class, so that one drawing serves light, dark and paper.
    """
    light, dark, paper = (_declared(scheme) for scheme in ("light", "dark", "print"))
    classes = "".join(f"svg .{name}{{--c:var(--{name})}}" for name in drawn("light"))
    return (
        f":root{{color-scheme:light dark;{light}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{color-scheme:light;{paper}}}}}{classes}"
    )


def rules(scheme: Scheme) -> Iterator[str]:
    """Return the rules of drawings without variables, for programs that do not support those."""
    for name, colour in drawn(scheme).items():
        lines = ",".join(f".{kind}.{name}" for kind in ("line", "dot", "whisker", "heat"))
        fills = ",".join(f".{kind}.{name}" for kind in ("area", "band", "bar"))
        yield f"{lines}{{stroke:{colour}}}{fills}{{fill:{colour}}}text.{name}{{fill:{colour}}}"


def _declared(scheme: Scheme) -> str:
    both = {**page(scheme), **drawn(scheme)}
    return "".join(f"--{name}:{colour};" for name, colour in both.items()).rstrip(";")


def _part(scheme: Scheme, part: str) -> Mapping[str, str]:
    data = _data()
    return MappingProxyType({**data["light"][part], **data[scheme][part]})


@cache
def _data() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    text = files("headcount.report").joinpath("palette.toml").read_text("utf-8")
    return MappingProxyType(tomllib.loads(text))
