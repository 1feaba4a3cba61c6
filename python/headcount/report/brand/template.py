"""The template of a company's reports: a file with the issuer and the look."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError

from headcount.errors import InputError
from headcount.fields.mistakes import as_mistake, describe
from headcount.fields.model import Strict
from headcount.plan.toml_file import toml_values
from headcount.report.brand import colour
from headcount.report.brand.dates import DateLanguage
from headcount.report.brand.logo import load_logo

MOST_BYTES = 100_000
"""Bytes of a template: nobody would read forty pages of legal text in a report."""
LEGAL_CHARACTERS = 20_000


def _colour(value: str) -> str:
    with as_mistake():
        return colour.check(value)


Line = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\n\r]*$")]
"""One line of text."""
Colour = Annotated[str, AfterValidator(_colour)]


class Colours(Strict):
    """Colours, without those of charts, which are chosen so that everyone can distinguish them."""

    accent: Colour = Field(default="#0b4f95", description="Headings, rules and the headline")


class Type(Strict):
    """Another typeface than the report's own."""

    family: Line = Field(description="The font's name, as its files state it")
    folder: Line = Field(description="Folder with its files (TTF or OTF), beside the template")


class Words(Strict):
    """Texts of the company in the report."""

    kind: Line | None = Field(default=None, description="Above the title: Server capacity report")
    prepared_for: Line | None = Field(default=None, description="Who gets the report")
    prepared_by: Line | None = Field(default=None, description="Who is responsible for it")
    reference: Line | None = Field(default=None, description="Number of the order or project")
    footer: Line | None = Field(default=None, description="At the foot of every page: Confidential")
    legal: str | None = Field(
        default=None, max_length=LEGAL_CHARACTERS, description="Notices at the end of the report"
    )


class Template(Strict):
    """The file, as it is written."""

    name: Line = Field(description="The company's logo, at the top of every page")
    logo: Line | None = Field(default=None, description="PNG or SVG, beside the template")
    logo_text: Line | None = Field(
        default=None, description="Alternative text for the logo; otherwise the name"
    )
    paper: Literal["a4", "us-letter"] = Field(default="a4", description="Size of the pages")
    dates: DateLanguage = Field(default="iso", description="The language of dates")
    colours: Colours = Colours()
    type: Type | None = None
    text: Words = Words()


@dataclass(frozen=True, slots=True)
class Brand:
    """A template with its files: `logo` is the text of an SVG, `fonts` the folder of typefaces."""

    template: Template
    logo: str | None = None
    fonts: Path | None = None


HEADCOUNT = Brand(Template(name="Headcount"))
"""How a report looks without a template."""


def load(path: Path) -> Brand:
    """Read a template; raises InputError with every mistake in it, and what to do about it."""
    where = f"the template {path}"
    values = toml_values(path, where, most_bytes=MOST_BYTES)
    try:
        template = Template.model_validate(values)
    except ValidationError as error:
        raise InputError(describe(error, Template, where)) from error
    logo = load_logo(path.parent / template.logo) if template.logo else None
    fonts = path.parent / template.type.folder if template.type else None
    if fonts is not None and not fonts.is_dir():
        raise InputError(f"{where}: type.folder: {fonts} is not a folder")
    return Brand(template, logo, fonts)
