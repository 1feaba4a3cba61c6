"""Logos: drawings are taken, and everything that is more than a drawing is refused."""

from pathlib import Path

import pytest
from report_factory import content
from test_brand_template import png

from headcount.errors import InputError
from headcount.report.brand.logo import load_logo
from headcount.report.brand.template import Brand, Template
from headcount.report.document.build import of_content
from headcount.report.pdf.render import pdf

NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def svg(inner: str, attributes: str = 'viewBox="0 0 9 9"', before: str = "") -> bytes:
    return f"{before}<svg {NS} {attributes}>{inner}</svg>".encode()


def billion_squares() -> str:
    """Each of 30 groups draws the one before twice: 2^30 squares."""
    parts = ['<g id="g0"><rect width="1" height="1"/></g>']
    parts += [
        f'<g id="g{n}"><use href="#g{n - 1}"/><use href="#g{n - 1}"/></g>' for n in range(1, 30)
    ]
    return f"<defs>{''.join(parts)}</defs><use href='#g29'/>"


ENTITIES = '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>'

UNSAFE = [
    (svg("<script>alert(1)</script>"), "it holds <script>; a logo must not run anything"),
    (svg('<rect onload="x()"/>'), "runs something by itself (onload)"),
    (svg("<foreignObject/>"), "it holds <foreignObject>"),
    (svg('<image href="http://127.0.0.1/x.png"/>'), "it holds <image>; give the picture itself"),
    (svg('<image xlink:href="file:///etc/passwd"/>'), "it holds <image>"),
    (svg('<use href="other.svg#a"/>'), "points to something outside of it"),
    (svg('<use xlink:href="http://x/#a"/>'), "points to something outside of it"),
    (svg('<rect fill="url(http://x/y#z)"/>'), "loads something from elsewhere (fill)"),
    (svg("<rect style=\"fill:URL( '//x' )\"/>"), "loads something from elsewhere (style)"),
    (svg("<style>@import 'x.css';</style>"), "its style sheet loads something"),
    (svg("<style>rect{fill:url(x)}</style>"), "its style sheet loads something"),
    (svg("<text>Example</text>"), "convert the text to outlines"),
    (svg("<a href='#x'/>"), "it holds <a>"),
    (svg("<animate/>"), "it holds <animate>"),
    (svg("<filter/>"), "it holds <filter>"),
    (svg("&a;", before=ENTITIES), "it declares a document type"),
    (svg("", before='<?xml-stylesheet href="x.css"?>'), "a style sheet from elsewhere"),
    (svg("<rect"), "neither a PNG nor valid SVG"),
    (svg("<rect/>", attributes=""), "it has no viewBox"),
    (b"<svg viewBox='0 0 1 1'/>", "not <svg> of http://www.w3.org/2000/svg"),
    (b"<html/>", "not <svg>"),
    (b"\xff\xd8\xff\xe0 a JPEG", "neither a PNG nor text"),
    (b"", "neither a PNG nor valid SVG"),
    (svg("<rect/>" * 6000), "draws more than 5,000 elements"),
    (svg("<g>" * 100 + "</g>" * 100), "nested more than 40 deep"),
    (svg(billion_squares()), "draws more than 5,000 elements"),
    (svg('<g id="a"><use href="#a"/></g>'), "use each other"),
    (svg(" " * 600_000), "more than 500,000 bytes"),
]


@pytest.mark.parametrize(("data", "why"), UNSAFE, ids=lambda value: str(value)[:40])
def test_unsafe_drawings_are_refused(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "logo"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_logo(path)
    assert why in str(caught.value)
    assert str(path) in str(caught.value)


def test_metadata_of_editors_is_removed_from_a_drawing(tmp_path: Path) -> None:
    path = tmp_path / "logo.svg"
    path.write_bytes(
        svg(
            '<metadata><x:y xmlns:x="urn:x">secret</x:y></metadata>'
            '<ink:view xmlns:ink="urn:ink" onload="x()"/>'
            '<title>Example</title><clipPath id="c"><circle r="3"/></clipPath>'
            '<g id="a"><path d="M0 0L9 9"/></g><use xlink:href="#a" clip-path="url(#c)"/>'
        )
    )
    text = load_logo(path)
    assert "secret" not in text
    assert "urn:ink" not in text
    assert 'd="M0 0L9 9"' in text
    made = pdf(of_content(content()), Brand(Template(name="X"), text))
    assert made.startswith(b"%PDF-")


@pytest.mark.parametrize(("data", "why"), [
    (png(4000, 1), "is 4,000 by 1 pixels"),
    (png(8, 8)[:-20], "damaged PNG"),
    (png(8, 8).replace(b"IDAT", b"IDAX"), "damaged PNG"),
    (png(8, 8) + b"more", "damaged PNG"),
    (b"\x89PNG\r\n\x1a\n", "damaged PNG"),
])  # fmt: skip
def test_pictures_that_cannot_be_shown_are_refused(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "logo.png"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_logo(path)
    assert why in str(caught.value)


def test_a_picture_keeps_its_shape(tmp_path: Path) -> None:
    path = tmp_path / "logo.png"
    path.write_bytes(png(60, 20))
    assert 'viewBox="0 0 60 20"' in load_logo(path)
