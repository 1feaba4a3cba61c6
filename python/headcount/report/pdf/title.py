"""What the template of a company adds: title page, page headers and footers, notices."""

from typing import Any

from headcount.report.brand.dates import date_text
from headcount.report.brand.template import LEGAL_CHARACTERS, Brand
from headcount.report.document.blocks import Document
from headcount.report.document.prose import moment
from headcount.report.pdf.payload import LINE_CHARACTERS, cut, prose
from headcount.text import clean

FOOTER_CHARACTERS = 100


def title_page(document: Document, brand: Brand, family: str) -> dict[str, Any]:
    """The payload that depends on the brand, which replaces the document's own."""
    template, text = brand.template, brand.template.text
    return {
        "author": clean(text.prepared_by or template.name),
        "kind": prose(text.kind or document.kind),
        "facts": [
            [prose(name, LINE_CHARACTERS), prose(value, LINE_CHARACTERS)]
            for name, value in _facts(document, brand)
        ],
        "made-by": prose(f"Made by {document.generator}", LINE_CHARACTERS),
        "brand": {
            "name": cut(clean(template.name), FOOTER_CHARACTERS),
            "accent": template.colours.accent,
            "paper": template.paper,
            "font": [family],
            "footer": cut(clean(text.footer or ""), FOOTER_CHARACTERS),
            "legal": prose(text.legal or "", LEGAL_CHARACTERS),
            "logo": brand.logo,
            "logo-alt": clean(template.logo_text or template.name),
        },
    }


def _facts(document: Document, brand: Brand) -> list[tuple[str, str]]:
    text = brand.template.text
    stated = [
        ("Prepared for", text.prepared_for),
        ("Prepared by", text.prepared_by),
        ("Reference", text.reference),
    ]
    return [
        *((name, value) for name, value in stated if value is not None),
        ("Measured", _date(document.measured_at, brand)),
        *document.facts,
    ]


def _date(measured_at: str, brand: Brand) -> str:
    """The day in the language of the template, and the time in UTC."""
    whole = moment(measured_at)
    if brand.template.dates == "iso" or whole == measured_at:
        return whole
    _, _, time = whole.partition(" ")
    return f"{date_text(measured_at, brand.template.dates)}, {time}"
